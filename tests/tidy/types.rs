//! Types have few fields and few lifetimes.

use std::collections::BTreeSet;

use super::{assert_none, first_word, sources};

/// Maximum number of fields of a struct.
const FIELDS_MAX: usize = 12;

/// Maximum number of lifetimes of a type.
const LIFETIMES_MAX: usize = 2;

/// Their structs have one field for each option of the command line, or for each key of a record.
const OF_FORMATS: [&str; 4] = [
    "src/cli/args/",
    "crates/core/src/limits.rs",
    "crates/plan/src/record/",
    "crates/report/src/html/entry.rs",
];

/// A struct or an enum.
struct Definition<'t> {
    name: String,
    /// The text from the name to the opening brace of the body.
    head: String,
    /// The lines between the braces.
    body: Vec<&'t str>,
}

/// The structs and enums with a body in braces, as rustfmt writes them.
fn definitions(text: &str) -> Vec<Definition<'_>> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let indent = &line[..line.len() - line.trim_start().len()];
        let words = line.trim_start().trim_start_matches("pub").trim_start();
        let words =
            words.strip_prefix('(').and_then(|it| it.split_once(") ")).map_or(words, |it| it.1);
        let Some(named) = words.strip_prefix("struct ").or(words.strip_prefix("enum ")) else {
            continue;
        };
        let mut head = named.to_owned();
        while !head.ends_with(['{', ';', '}']) {
            let Some(next) = lines.next() else { return found };
            head += next;
        }
        if !head.ends_with('{') {
            continue;
        }
        let end = format!("{indent}}}");
        let body = lines.by_ref().take_while(|line| *line != end).collect();
        found.push(Definition { name: first_word(named), head, body });
    }
    found
}

impl Definition<'_> {
    fn fields(&self) -> usize {
        let indent = self.body.iter().map(|line| line.len() - line.trim_start().len()).min();
        let is_field = |line: &&&str| {
            let field = &line[indent.unwrap_or_default()..];
            let field = field.strip_prefix("pub").map_or(field, |rest| {
                let rest = rest
                    .strip_prefix('(')
                    .and_then(|it| it.split_once(')'))
                    .map_or(rest, |it| it.1);
                rest.trim_start()
            });
            let (name, rest) = field.split_at(first_word(field).len());
            !name.is_empty() && rest.starts_with(": ")
        };
        self.body.iter().filter(|line| !line.is_empty()).filter(is_field).count()
    }

    fn lifetimes(&self) -> usize {
        let quoted = self.head.split('\'').skip(1).map(first_word);
        quoted.filter(|name| name != "static").collect::<BTreeSet<_>>().len()
    }
}

#[test]
fn types_have_few_fields_and_lifetimes() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for file in sources() {
        for definition in definitions(&file.text) {
            count += 1;
            let (fields, lifetimes) = (definition.fields(), definition.lifetimes());
            let is_of_format = OF_FORMATS.iter().any(|place| file.path.starts_with(place));
            if fields > FIELDS_MAX && !is_of_format || lifetimes > LIFETIMES_MAX {
                let name = definition.name;
                wrong
                    .push(format!("{}: {name}: {fields} fields, {lifetimes} lifetimes", file.path));
            }
        }
    }
    assert!(count > 500, "the types are found: {count}");
    assert_none("types with too many fields or lifetimes", &wrong);
}

#[test]
fn fields_and_lifetimes_are_counted() {
    let text = "
pub(crate) struct Reader<'a, 'b, S: 'a> {
    /// The source: a file.
    #[serde(default)]
    source: S,
    pub(super) names: Vec<&'b str>,
    pub len: usize,
}

struct Empty;

mod inner {
    enum Part<'a> {
        One(&'a str),
        Two { first: u8, second: u8 },
    }
}
";
    let found = definitions(text);
    let counts = found.iter().map(|it| (it.name.as_str(), it.fields(), it.lifetimes()));
    assert_eq!(counts.collect::<Vec<_>>(), [("Reader", 3, 2), ("Part", 0, 1)]);
}

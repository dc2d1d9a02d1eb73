//! Sets of resource types, for patterns such as `@data`. The file `type-sets.txt` has the types of
//! the built-in sets and the reasons. Files of the user change these sets, and add others.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::type_set_file::{Entry, TypeSetError, TypeSetFault, TypeSetPlace};
use crate::glob::Glob;

/// The built-in sets, with the reason for each entry.
pub const TYPE_SETS: &str = include_str!("type-sets.txt");

/// A set of resource types.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeSet {
    name: Box<str>,
    globs: Globs,
}

/// Globs of types. A set has many, and each resource is compared with them.
#[derive(Debug, Default, PartialEq, Eq)]
struct Globs {
    /// The globs that match only types with this last word: `*_db_instance` by `instance`.
    by_last_word: HashMap<Box<str>, Vec<Glob>>,
    others: Vec<Glob>,
}

impl Globs {
    fn push(&mut self, glob: &str) {
        let list = match glob.rsplit_once('_') {
            Some((_, word)) if !word.contains('*') => {
                self.by_last_word.entry(word.into()).or_default()
            }
            _ => &mut self.others,
        };
        list.push(Glob::new(glob));
    }

    fn is_empty(&self) -> bool {
        self.by_last_word.is_empty() && self.others.is_empty()
    }

    fn matches(&self, type_name: &str) -> bool {
        let last_word = type_name.rsplit_once('_').map(|(_, word)| word);
        let found = last_word.and_then(|word| self.by_last_word.get(word)).into_iter().flatten();
        found.chain(&self.others).any(|glob| glob.matches(type_name.as_bytes()))
    }
}

impl TypeSet {
    /// The names of the built-in sets.
    pub const NAMES: [&str; 3] = ["@access", "@data", "@network"];

    /// The types that decide who may do something.
    pub fn access() -> &'static TypeSet {
        &TypeSets::of_process().sets[0]
    }

    /// The types of objects that hold data.
    pub fn data() -> &'static TypeSet {
        &TypeSets::of_process().sets[1]
    }

    /// The types that decide what can be reached from where.
    pub fn network() -> &'static TypeSet {
        &TypeSets::of_process().sets[2]
    }

    /// Returns the set of this name, such as `@data`. From then on, the set counts as used by a
    /// pattern ([`TypeSets::unused`]).
    pub fn named(name: &str) -> Option<&'static TypeSet> {
        let TypeSets { sets, facts, .. } = TypeSets::of_process();
        let index = sets.iter().position(|set| *set.name == *name)?;
        facts[index].is_used.store(true, Ordering::Relaxed);
        Some(&sets[index])
    }

    /// Returns the names of the built-in sets, and then those of the sets that the user added.
    pub fn names() -> impl Iterator<Item = &'static str> {
        TypeSets::of_process().sets.iter().map(|set| &*set.name)
    }

    /// Whether the set has a type.
    pub fn has(&self, type_name: &str) -> bool {
        self.globs.matches(type_name)
    }
}

/// All sets that patterns may name. They are the built-in ones until files of the user change them.
#[derive(Debug)]
pub struct TypeSets {
    /// The sets of [`TypeSet::NAMES`], and then those of the user.
    sets: Vec<TypeSet>,
    /// The facts about each set.
    facts: Vec<SetFacts>,
    /// The number of files of the user.
    files: usize,
    /// The number of lines with types in the files of the user.
    lines: usize,
}

/// Where a set comes from, and whether anything uses it.
#[derive(Debug, Default)]
struct SetFacts {
    /// The last line that drops the types of the set. Without such a line, the first line of a set
    /// of the user.
    place: Option<TypeSetPlace>,
    /// Whether a pattern uses the set.
    is_used: AtomicBool,
}

/// The sets of this process.
static SETS: OnceLock<TypeSets> = OnceLock::new();

impl Default for TypeSets {
    fn default() -> TypeSets {
        let built_in = |name: &str| {
            let mut globs = Globs::default();
            let entries = entries().filter(|entry| entry.set == name);
            entries.for_each(|entry| globs.push(entry.glob));
            TypeSet { name: name.into(), globs }
        };
        let sets: Vec<TypeSet> = TypeSet::NAMES.map(built_in).into();
        let facts = sets.iter().map(|_| SetFacts::default()).collect();
        TypeSets { sets, facts, files: 0, lines: 0 }
    }
}

impl TypeSets {
    /// Longest file, in bytes.
    pub const FILE_MAX: usize = 1 << 20;
    /// Most lines with types in all files. The time of a match grows with the types of its set.
    const LINES_MAX: usize = 10_000;
    /// Most sets. The message about an unknown set names all of them.
    const SETS_MAX: usize = 100;

    /// Adds the types of a file to its sets. A line of the file has a set, a glob of types, and a
    /// reason, which may be missing. The line `@data =` drops the types that the set `@data` had. A
    /// `#` begins a comment.
    ///
    /// # Errors
    ///
    /// Fails at the first invalid line, or if the file has no lines, or too many. The sets then
    /// have the types of the lines before it.
    pub fn add(&mut self, text: &str) -> Result<(), TypeSetError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let start = TypeSetPlace { file: self.files, line: 1 };
        self.files += 1;
        if text.len() > TypeSets::FILE_MAX {
            let fault = TypeSetFault::TooLong(TypeSets::FILE_MAX);
            return Err(TypeSetError { place: start, fault });
        }
        let mut is_empty = true;
        for (text, line) in text.lines().zip(1..) {
            let place = TypeSetPlace { line, ..start };
            let fail = |fault| TypeSetError { place, fault };
            if let Some(entry) = Entry::parse(text).map_err(fail)? {
                is_empty = false;
                self.add_entry(&entry, place).map_err(fail)?;
            }
        }
        match is_empty {
            true => Err(TypeSetError { place: start, fault: TypeSetFault::Empty }),
            false => Ok(()),
        }
    }

    fn add_entry(&mut self, entry: &Entry<'_>, place: TypeSetPlace) -> Result<(), TypeSetFault> {
        self.lines += 1;
        if self.lines > TypeSets::LINES_MAX {
            return Err(TypeSetFault::TooManyTypes(TypeSets::LINES_MAX));
        }
        let index = self.sets.iter().position(|set| *set.name == *entry.set);
        let index = index.unwrap_or(self.sets.len());
        if index == TypeSets::SETS_MAX {
            return Err(TypeSetFault::TooManySets(TypeSets::SETS_MAX));
        }
        if index == self.sets.len() {
            self.sets.push(TypeSet { name: entry.set.into(), globs: Globs::default() });
            self.facts.push(SetFacts { place: Some(place), ..SetFacts::default() });
        }
        let globs = &mut self.sets[index].globs;
        match entry.glob {
            "=" => {
                *globs = Globs::default();
                self.facts[index].place = Some(place);
            }
            glob => globs.push(glob),
        }
        Ok(())
    }

    /// Checks that every set has types, after all files were added. A rule about a set without
    /// types counts nothing, so a gate would pass by mistake.
    ///
    /// # Errors
    ///
    /// Fails if a set has no types. The error has the last line that drops the types of the set.
    pub fn check(&self) -> Result<(), TypeSetError> {
        let mut sets = self.sets.iter().zip(&self.facts);
        let empty = sets.find_map(|(set, facts)| facts.place.filter(|_| set.globs.is_empty()));
        match empty {
            None => Ok(()),
            Some(place) => Err(TypeSetError { place, fault: TypeSetFault::EmptySet }),
        }
    }

    /// Returns the sets that files have added to the process and that no pattern uses so far,
    /// each with the line that it begins at.
    pub fn unused() -> impl Iterator<Item = (&'static str, TypeSetPlace)> {
        let TypeSets { sets, facts, .. } = TypeSets::of_process();
        sets.iter().zip(facts).skip(TypeSet::NAMES.len()).filter_map(|(set, facts)| {
            let place = facts.place.filter(|_| !facts.is_used.load(Ordering::Relaxed))?;
            Some((&*set.name, place))
        })
    }

    /// Makes these the sets of the process.
    ///
    /// # Errors
    ///
    /// Fails if the process already has sets, because a pattern was parsed, or a type was looked
    /// up in a set.
    pub fn install(self) -> Result<(), SetsInUse> {
        SETS.set(self).map_err(|_| SetsInUse)
    }

    /// Returns the sets of the process. From now on, they do not change.
    fn of_process() -> &'static TypeSets {
        SETS.get_or_init(TypeSets::default)
    }
}

/// Sets of types are in use, so others cannot replace them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetsInUse;

impl fmt::Display for SetsInUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sets of types are in use already: install others before the first pattern")
    }
}

impl std::error::Error for SetsInUse {}

/// Returns the lines of the built-in sets.
fn entries() -> impl Iterator<Item = Entry<'static>> {
    TYPE_SETS.lines().filter_map(|line| Entry::parse(line).ok().flatten())
}

/// A pattern begins with `@` and is the name of no set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownSet;

impl UnknownSet {
    /// Checks a pattern. A pattern that does not begin with `@` is no set.
    pub(super) fn check(text: &str) -> Result<(), UnknownSet> {
        match text.starts_with('@') && TypeSet::named(text).is_none() {
            true => Err(UnknownSet),
            false => Ok(()),
        }
    }
}

impl fmt::Display for UnknownSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = TypeSet::names().collect();
        write!(f, "there is no such set of types: the sets are {}", names.join(", "))
    }
}

impl std::error::Error for UnknownSet {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::path::Path;

    #[test]
    fn globs_match_as_if_each_was_tried() {
        let words = ["", "a", "b", "aa", "*", "a*", "*b"];
        let texts = |words: &[&str]| -> Vec<String> {
            let pairs = words.iter().flat_map(|one| words.iter().map(move |two| [*one, *two]));
            let pairs = pairs.flat_map(|[one, two]| {
                [one.to_owned(), format!("{one}_{two}"), format!("{one}_{two}_b"), two.repeat(2)]
            });
            pairs.collect()
        };
        let (globs, types) = (texts(&words), texts(&words[..4]));
        for glob in &globs {
            let mut indexed = Globs::default();
            indexed.push(glob);
            for name in &types {
                let expected = Glob::new(glob).matches(name.as_bytes());
                assert_eq!(indexed.matches(name), expected, "{glob} {name}");
            }
        }
    }

    #[test]
    fn lines_are_sorted_and_have_a_reason() {
        let lines: Vec<&str> = TYPE_SETS.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(lines.len(), entries().count(), "a line is malformed");
        let mut last = ("", "");
        for Entry { set, glob, reason } in entries() {
            assert!(TypeSet::NAMES.contains(&set), "{set}");
            assert!(last < (set, glob), "{glob} is not sorted, or occurs twice");
            assert!(reason.ends_with('.') && reason.len() <= 60, "{glob}: {reason}");
            last = (set, glob);
        }
    }

    #[test]
    fn no_entry_is_covered_by_another() {
        for Entry { set, glob, .. } in entries() {
            // A type that the glob matches: each star stands for a text that no glob has.
            let sample = glob.replace('*', "q9");
            let others = entries().filter(|other| other.set == set && other.glob != glob);
            let covering: Vec<&str> = others
                .map(|other| other.glob)
                .filter(|other| Glob::new(other).matches(sample.as_bytes()))
                .collect();
            assert!(covering.is_empty(), "{set} {glob}: {covering:?}");
        }
    }

    /// `UPDATE=1` in the environment writes the page.
    #[test]
    fn the_manual_lists_the_sets() {
        let mut page = String::from(
            "# Sets of types\n\nA pattern for resources may be the name of a set of types, such as \
             `destroy:@data` ([how](patterns.md#sets-of-types)). The\ntypes are globs over all \
             providers. The lists are a guess from names: a type that they lack is not safe \
             because of that.\n",
        );
        let meanings = [
            ("@access", "decide who may do something"),
            ("@data", "hold data, which no configuration can bring back"),
            ("@network", "decide what can be reached from where"),
        ];
        for (name, meaning) in meanings {
            let heading = format!("\n## {name}\n\nThese types {meaning}.\n\n");
            page += &(heading + "| types | reason |\n| --- | --- |\n");
            for Entry { glob, reason, .. } in entries().filter(|entry| entry.set == name) {
                writeln!(page, "| `{glob}` | {reason} |").expect("a text");
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/type-sets.md");
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &page).expect("the manual");
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == page, "docs/type-sets.md is out of date: run this test with UPDATE=1");
    }

    #[test]
    fn unknown_sets_are_refused() {
        for text in ["@data", "data", "", "a@b"] {
            assert_eq!(UnknownSet::check(text), Ok(()), "{text}");
        }
        for text in ["@dta", "@", "@data*"] {
            assert_eq!(UnknownSet::check(text), Err(UnknownSet), "{text}");
        }
    }
    /// Returns the built-in sets with the lines of files.
    fn with(files: &[&str]) -> Result<TypeSets, TypeSetError> {
        let mut sets = TypeSets::default();
        files.iter().try_for_each(|file| sets.add(file)).map(|()| sets)
    }

    /// Returns the types among `types` that a set has.
    fn having<'t>(sets: &TypeSets, name: &str, types: &[&'t str]) -> Vec<&'t str> {
        let set = sets.sets.iter().find(|set| *set.name == *name).expect("a set");
        types.iter().copied().filter(|type_name| set.has(type_name)).collect()
    }

    #[test]
    fn files_extend_replace_and_add_sets() {
        let types = ["aws_db_instance", "acme_ledger", "acme_journal"];
        let having = |files: &[&str], name| having(&with(files).expect("sets"), name, &types);
        assert_eq!(having(&["@mine x"], "@data"), ["aws_db_instance"]);
        let extended = "\u{feff}# Ours.\r\n\r\n@data acme_led*  Has the books.\r\n";
        assert_eq!(having(&[extended], "@data"), ["aws_db_instance", "acme_ledger"]);
        let replaced = "@data acme_journal\n@data =\n@data acme_ledger\n";
        assert_eq!(having(&[replaced], "@data"), ["acme_ledger"]);
        assert_eq!(having(&[replaced, "@data acme_j*"], "@data"), ["acme_ledger", "acme_journal"]);
        assert_eq!(having(&[extended, "@data ="], "@data"), Vec::<&str>::new());
        let own = "@mine acme_*\n@other aws_*\n@mine aws_db_instance";
        assert_eq!(having(&[own], "@mine"), types);
        assert_eq!(having(&[own], "@data"), ["aws_db_instance"]);
        let sets = with(&[own]).expect("sets");
        let names: Vec<&str> = sets.sets.iter().map(|set| &*set.name).collect();
        assert_eq!(names, ["@access", "@data", "@network", "@mine", "@other"]);
    }

    #[test]
    fn a_set_without_types_is_an_error() {
        for (files, place) in [
            (&["@data =\n"][..], Some((0, 1))),
            (&["@mine x\n\n@data = # None.\n"], Some((0, 3))),
            (&["@mine x\n@mine =\n"], Some((0, 2))),
            (&["@data x\n", "# None.\n@data =\n@data =\n"], Some((1, 3))),
            (&["@data =\n@data x\n"], None),
            (&["@data =\n", "@data x\n"], None),
            (&["@mine x\n"], None),
            (&[], None),
        ] {
            let sets = with(files).expect("sets");
            let error = |(file, line)| TypeSetError {
                place: TypeSetPlace { file, line },
                fault: TypeSetFault::EmptySet,
            };
            assert_eq!(sets.check().err(), place.map(error), "{files:?}");
        }
    }

    #[test]
    fn errors_in_files_have_a_line() {
        let many: String =
            (0..TypeSets::SETS_MAX).map(|number| format!("@s{number} x\n")).collect();
        let long = "# \n".repeat(TypeSets::FILE_MAX / 3 + 1);
        let lines = "@mine x\n".repeat(TypeSets::LINES_MAX);
        for (files, line, fault) in [
            (&["# Ours.\n\n@data x\n@data\n"][..], 4, TypeSetFault::NoTypes),
            (&["@mine x", "destroy:@data"], 1, TypeSetFault::Name),
            (&["@mine x", "# None yet.\n"], 1, TypeSetFault::Empty),
            (&[&long], 1, TypeSetFault::TooLong(TypeSets::FILE_MAX)),
            (&[&many], 98, TypeSetFault::TooManySets(TypeSets::SETS_MAX)),
            (&[&lines, "\n@mine x"], 2, TypeSetFault::TooManyTypes(TypeSets::LINES_MAX)),
        ] {
            let error = with(files).expect_err("an error");
            let place = TypeSetPlace { file: files.len() - 1, line };
            assert_eq!(error, TypeSetError { place, fault });
            assert!(error.to_string().starts_with(&format!("line {line}: ")), "{error}");
        }
    }

    #[test]
    fn sets_in_use_cannot_be_replaced() {
        assert!(TypeSet::data().has("aws_db_instance"));
        assert_eq!(TypeSets::default().install(), Err(SetsInUse));
    }
}

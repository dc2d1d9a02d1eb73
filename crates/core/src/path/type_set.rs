//! Sets of resource types, for patterns such as `@data`. The file `type-sets.txt` has the types and
//! the reasons.

use std::fmt;
use std::sync::LazyLock;

use crate::glob::Glob;

/// The sets, with the reason for each entry.
pub const TYPE_SETS: &str = include_str!("type-sets.txt");

/// A set of resource types.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeSet {
    name: &'static str,
    globs: Vec<Glob>,
}

impl TypeSet {
    /// The names of the sets.
    pub const NAMES: [&str; 3] = ["@access", "@data", "@network"];

    /// The types that decide who may do something.
    pub fn access() -> &'static TypeSet {
        &SETS[0]
    }

    /// The types of objects that hold data.
    pub fn data() -> &'static TypeSet {
        &SETS[1]
    }

    /// The types that decide what can be reached from where.
    pub fn network() -> &'static TypeSet {
        &SETS[2]
    }

    /// Returns the set of this name, such as `@data`.
    pub fn named(name: &str) -> Option<&'static TypeSet> {
        SETS.iter().find(|set| set.name == name)
    }

    /// Whether the set has a type.
    pub fn has(&self, type_name: &str) -> bool {
        self.globs.iter().any(|glob| glob.matches(type_name.as_bytes()))
    }
}

static SETS: LazyLock<[TypeSet; TypeSet::NAMES.len()]> = LazyLock::new(|| {
    TypeSet::NAMES.map(|name| {
        let globs = entries().filter(|entry| entry.set == name).map(|entry| Glob::new(entry.glob));
        TypeSet { name, globs: globs.collect() }
    })
});

/// A line of the file.
struct Entry<'t> {
    set: &'t str,
    glob: &'t str,
    /// For people. The manual has it.
    #[cfg(test)]
    reason: &'t str,
}

fn entries() -> impl Iterator<Item = Entry<'static>> {
    TYPE_SETS.lines().filter(|line| line.starts_with('@')).filter_map(|line| {
        let (set, rest) = line.split_once(' ')?;
        let (glob, _reason) = rest.trim_start().split_once(' ')?;
        Some(Entry {
            set,
            glob,
            #[cfg(test)]
            reason: _reason.trim_start(),
        })
    })
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
        write!(f, "there is no such set of types: the sets are {}", TypeSet::NAMES.join(", "))
    }
}

impl std::error::Error for UnknownSet {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;
    use std::path::Path;

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
}

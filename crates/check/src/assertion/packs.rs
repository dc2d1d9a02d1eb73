//! The assertions that ship with plansift.

use super::parse::parse;
use super::read::Syntax;
use super::subject::Assertion;

/// A file of assertions, about the resources of a provider or of all providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The name, such as `aws`.
    pub name: &'static str,
    /// What the assertions are about, in a few words.
    pub about: &'static str,
    /// The file, in YAML.
    pub text: &'static str,
}

impl Pack {
    /// All packs.
    pub const ALL: [Pack; 5] = [
        Pack {
            name: "protect",
            about: "Objects that hold data, and their guards, for all providers",
            text: include_str!("../../packs/protect.yaml"),
        },
        Pack {
            name: "aws",
            about: "Exposure, permissions, audit trails and backups of AWS",
            text: include_str!("../../packs/aws.yaml"),
        },
        Pack {
            name: "azure",
            about: "Exposure, permissions and logs of Azure",
            text: include_str!("../../packs/azure.yaml"),
        },
        Pack {
            name: "google",
            about: "Exposure, permissions and logs of Google Cloud",
            text: include_str!("../../packs/google.yaml"),
        },
        Pack {
            name: "kubernetes",
            about: "Permissions, exposure and isolation in Kubernetes",
            text: include_str!("../../packs/kubernetes.yaml"),
        },
    ];

    /// Returns the assertions. They have no file, so reports name no line for them.
    ///
    /// # Panics
    ///
    /// Panics if the file is malformed. The tests parse all packs.
    pub fn assertions(self) -> Vec<Assertion> {
        let parsed = parse(self.text, Syntax::Yaml);
        let assertions = parsed.unwrap_or_else(|error| panic!("pack {}: {error}", self.name));
        assertions.into_iter().map(|it| Assertion { is_of_pack: true, ..it }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_assertion_has_a_name_and_a_reason() {
        let mut names = BTreeSet::new();
        for pack in Pack::ALL {
            let parsed = parse(pack.text, Syntax::Yaml);
            let assertions = parsed.unwrap_or_else(|error| panic!("{}: {error}", pack.name));
            assert!(assertions.len() >= 8, "{}", pack.name);
            for Assertion { name, message, .. } in assertions {
                assert!(message.is_some_and(|text| text.ends_with('.')), "{}: {name}", pack.name);
                assert!(names.insert(name.clone()), "{name} occurs twice");
            }
        }
    }
}

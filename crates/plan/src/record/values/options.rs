//! The options of [`read`](super::read): the kind of the rows, and their source.

use std::sync::Arc;

use crate::plan::{self, Section};
use crate::record::patterns::UnmatchedPatterns;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::path::{AddressPattern, DocumentPath, Path, Paths, Step, split_document};
use plansift_core::text_document::DOCUMENT_DEPTH_MAX;

/// The options of [`read`](super::read): the kind of the rows, and their source.
#[derive(Clone, Debug)]
pub struct ValuesOptions {
    /// How to read the document.
    pub read: plan::PlanOptions,
    /// The kind of the rows.
    pub what: RowKind,
    /// The values whose resources and outputs become rows.
    pub of: ValuesSource,
    /// Patterns for types and addresses. Only resources that match a pattern become rows. Without a
    /// pattern, every resource becomes a row.
    pub only: Vec<AddressPattern>,
    /// Whether data sources and ephemeral resources become rows, too.
    pub all: bool,
    /// The values in the rows of resources.
    pub select: Select,
    /// Patterns whose matches are recorded.
    pub patterns: Option<Arc<UnmatchedPatterns>>,
}

/// The kind of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The resources in a set of values ([`ValuesSource`]).
    Resources,
    /// The outputs in a set of values ([`ValuesSource`]).
    Outputs,
    /// The variables of the root module.
    Variables,
    /// The checks.
    Checks,
}

/// The values whose resources and outputs become rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValuesSource {
    /// The planned values of a plan, or the values of a state.
    #[default]
    Auto,
    /// The planned values of a plan.
    Planned,
    /// The prior state of a plan.
    Prior,
    /// The values of a state.
    State,
}

impl ValuesSource {
    /// Returns the name of a section if it contains these values. `key` is the top-level key of the
    /// section.
    pub(super) fn section(self, section: Section, key: &str) -> Option<&'static str> {
        match (self, section) {
            (ValuesSource::Auto | ValuesSource::Planned, Section::PlannedValues) => {
                Some("planned_values")
            }
            (ValuesSource::Prior, Section::PriorState) => Some("prior_state"),
            (ValuesSource::Auto | ValuesSource::State, Section::Other) if key == "values" => {
                Some("values")
            }
            _ => None,
        }
    }
}

/// The selected paths into the values of a resource.
#[derive(Clone, Debug, Default)]
pub struct Select {
    texts: Vec<String>,
    places: Vec<Place>,
    /// The path in the values of each place, and the paths in its documents.
    paths: Paths,
}

/// A selected value, as a part of [`Select`].
#[derive(Clone, Debug)]
struct Place {
    /// The index of the first path.
    first: usize,
    /// The functions that decode the documents on the way to the value, outermost first.
    decoders: Vec<&'static str>,
}

/// A selected path. It may lead through documents in strings: `jsondecode(policy).Statement`.
#[derive(Clone, Copy, Debug)]
pub struct SelectedPath<'s> {
    place: &'s Place,
    paths: &'s Paths,
}

impl<'s> SelectedPath<'s> {
    /// Returns the steps to the value, or to the string with the outermost document.
    pub fn outer(self) -> impl Iterator<Item = Step<'s>> {
        self.steps(0)
    }

    /// Returns the Terraform function that decodes a document on the way, and the steps in that
    /// document. The outermost document has the level 0. `None` below the innermost document.
    pub fn document(self, level: usize) -> Option<(&'static str, impl Iterator<Item = Step<'s>>)> {
        let decoder = *self.place.decoders.get(level)?;
        Some((decoder, self.steps(level + 1)))
    }

    fn steps(self, index: usize) -> impl Iterator<Item = Step<'s>> {
        self.paths.get(self.place.first + index).into_iter().flat_map(Path::steps)
    }
}

impl Select {
    /// Adds a path such as `tags.Name`, `ingress[0].cidr_blocks` or `jsondecode(policy).Id`.
    ///
    /// # Errors
    ///
    /// Fails if `text` is not a path, or leads through more than [`DOCUMENT_DEPTH_MAX`] documents.
    pub fn push(&mut self, text: &str) -> Result<()> {
        let (mut rest, mut decoders, mut insides) = (text, Vec::new(), Vec::new());
        while let Some(DocumentPath { decoder, string, inside }) = split_document(rest) {
            decoders.insert(0, decoder);
            insides.push(inside);
            rest = string;
        }
        let first = self.paths.len();
        let mut parts = [rest].into_iter().chain(insides.into_iter().rev());
        let is_deep = decoders.len() > DOCUMENT_DEPTH_MAX as usize;
        let pushed = match is_deep || rest.is_empty() && !decoders.is_empty() {
            true => Err(Error::at(ErrorKind::Path, 0)),
            false => parts.try_for_each(|part| self.paths.push_text(part)),
        };
        if pushed.is_err() {
            self.paths.truncate(first);
            return pushed;
        }
        self.texts.push(text.to_owned());
        self.places.push(Place { first, decoders });
        Ok(())
    }

    /// Returns the paths as the user wrote them.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, SelectedPath<'_>)> {
        let paths = &self.paths;
        let places = self.places.iter().map(move |place| SelectedPath { place, paths });
        self.texts.iter().map(String::as_str).zip(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selected_path_is_split_at_its_documents() {
        let mut select = Select::default();
        let paths: [(&str, &[&str]); 5] = [
            ("tags.Name", &["tags.Name"]),
            ("jsondecode(policy)", &["policy", "jsondecode", ""]),
            (r#"yamldecode(m["a)"])[0].b"#, &[r#"m["a)"]"#, "yamldecode", "[0].b"]),
            (
                "jsondecode(yamldecode(x[1]).y.z).w",
                &["x[1]", "yamldecode", "y.z", "jsondecode", "w"],
            ),
            ("a", &["a"]),
        ];
        for (text, _) in paths {
            select.push(text).expect("a path");
            for wrong in ["a..b", "jsondecode(a).b..c", "jsondecode(a..b).c", "jsondecode()"] {
                assert!(select.push(wrong).is_err(), "{wrong}");
            }
        }
        let deep = "jsondecode(".repeat(5) + "a" + &")".repeat(5);
        assert!(select.push(&deep).is_err());
        fn text<'s>(steps: impl Iterator<Item = Step<'s>>) -> String {
            let mut paths = Paths::new();
            paths.push(steps);
            paths.iter().map(|path| path.to_string()).collect()
        }
        let found = select.iter().map(|(path, place)| {
            let mut parts = vec![text(place.outer())];
            let documents = (0..).map_while(|level| place.document(level));
            documents.for_each(|(decoder, steps)| parts.extend([decoder.into(), text(steps)]));
            (path, parts)
        });
        let expected = paths.map(|(text, parts)| {
            (text, parts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>())
        });
        assert!(found.eq(expected));
    }
}

//! Compares the documents in the strings that a change modifies, for rules with paths such as
//! `jsondecode(policy).Statement`.
//!
//! A report compares the same documents to show them. A rule also counts the documents that a
//! report shows as text: YAML of one line, and several YAML documents in one string.

use super::owned::cloned;
use crate::diff::Differ;
use crate::plan::Change;
use plansift_core::error::{Error, ErrorKind, Result};
use plansift_core::json::value::{Kind, Value};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::{Path, Paths, Pattern, StepCursor};
use plansift_core::text_document::TextDocument;

/// The changes of a resource inside the documents in its strings.
#[derive(Clone, Debug, Default)]
pub struct ChangedDocuments {
    /// The strings whose documents change, in the order of their paths.
    pub list: Vec<ChangedDocument>,
}

/// A string whose document changes.
#[derive(Clone, Debug)]
pub struct ChangedDocument {
    /// The path of the string, as the only path of the list.
    pub string: Paths,
    /// The Terraform function that decodes the document. `None` if both sides are documents that
    /// cannot be compared: one is too long or too deep to parse, or has a key twice, or the sides
    /// have different syntaxes.
    pub decoder: Option<&'static str>,
    /// The paths that change in the document. Empty if the documents cannot be compared.
    pub changed: Paths,
}

cloned!(Box<ChangedDocuments>);

impl ChangedDocuments {
    /// Returns the number of changed paths that a pattern covers. Documents that cannot be compared
    /// count once.
    pub fn count(&self, pattern: &Pattern) -> u64 {
        let mut text = String::new();
        let counts = self.list.iter().map(|document| {
            let ChangedDocument { string, decoder, changed } = document;
            let string = string.iter().next().map_or_else(String::new, |path| path.to_string());
            let Some(decoder) = decoder else { return usize::from(pattern.enters(&string)) };
            let covered = changed.iter().filter(|path| {
                text.clear();
                text.extend([decoder, "(", &*string, ")"]);
                push_inside(*path, &mut text);
                pattern.covers(&text)
            });
            covered.count()
        });
        counts.sum::<usize>() as u64
    }

    /// Returns the memory of the paths, in bytes.
    pub(super) fn size(&self) -> u64 {
        self.list.iter().map(ChangedDocument::size).sum()
    }
}

impl ChangedDocument {
    fn size(&self) -> u64 {
        size_of::<ChangedDocument>() as u64 + self.string.size() + self.changed.size()
    }
}

/// Appends a path in a document to the call that decodes the document.
fn push_inside(path: Path<'_>, text: &mut String) {
    let start = text.len();
    path.push_to(text);
    if !matches!(text.as_bytes().get(start), None | Some(b'[')) {
        text.insert(start, '.');
    }
}

/// Compares documents, for the changes of one section.
pub(super) struct DocumentDiffer {
    /// The patterns that lead into documents. Other strings are not parsed.
    patterns: Vec<Pattern>,
    differ: Differ,
    /// The changed paths of the current change at which there may be documents.
    strings: Paths,
    paths_max: u64,
}

impl DocumentDiffer {
    /// Creates a differ; `None` without patterns that lead into documents.
    pub fn new(patterns: &[Pattern], limits: &Limits) -> Option<Box<DocumentDiffer>> {
        let patterns = patterns.to_vec();
        (!patterns.is_empty()).then(|| {
            let (differ, strings) = (Differ::new(limits), Paths::new());
            Box::new(DocumentDiffer { patterns, differ, strings, paths_max: limits.paths })
        })
    }

    /// Compares the documents in the changed strings of a change. `paths` are the paths of the
    /// change, and `misfits` the paths at which an overlay does not fit. A string that is marked is
    /// not read. All path lists of a change together may take [`Limits::paths`] bytes; the other
    /// lists already take `taken` bytes.
    pub fn compare(
        &mut self,
        change: &Change<'_>,
        paths: &Differ,
        misfits: &Paths,
        taken: u64,
    ) -> Result<Option<Box<ChangedDocuments>>> {
        let DocumentDiffer { patterns, differ, strings, paths_max } = self;
        let (Some(before), Some(after)) = (change.before, change.after) else { return Ok(None) };
        let is_closed = |path| {
            [&paths.sensitive, &paths.unknown, misfits].iter().any(|list| list.has_above(path))
        };
        strings.clear();
        for path in paths.changed.iter().filter(|path| !is_closed(*path)) {
            let text = path.to_string();
            if patterns.iter().any(|pattern| pattern.enters(&text)) {
                strings.push(path.steps());
            }
        }
        if strings.is_empty() {
            return Ok(None);
        }
        let mut documents = ChangedDocuments::default();
        let mut size = taken;
        each_pair([before, after], strings, |path, sides| {
            let Some(found) = compared(path, sides, differ)? else { return Ok(()) };
            size += found.size();
            documents.list.push(found);
            match size > *paths_max {
                true => Err(Error::limit(Limit::Paths, *paths_max, change.offset())),
                false => Ok(()),
            }
        })
        .map_err(|error| error.or_at(change.offset()))?;
        Ok((!documents.list.is_empty()).then(|| Box::new(documents)))
    }
}

/// Compares the documents in two strings. Returns `None` if one side is no string or no document,
/// or if the documents have the same values.
fn compared(
    path: Path<'_>,
    sides: [Option<Value<'_>>; 2],
    differ: &mut Differ,
) -> Result<Option<ChangedDocument>> {
    let [Some(before), Some(after)] = sides else { return Ok(None) };
    if [before.kind()?, after.kind()?] != [Kind::String; 2] {
        return Ok(None);
    }
    let document = |decoder, changed| {
        let mut string = Paths::new();
        string.push(path.steps());
        Ok(Some(ChangedDocument { string, decoder, changed }))
    };
    let parsed = |side: Value<'_>| Ok(TextDocument::decoded(side.text()?.as_bytes()));
    match [parsed(before)?, parsed(after)?] {
        [Ok(None), _] | [_, Ok(None)] => return Ok(None),
        [Ok(Some(mut one)), Ok(Some(mut other))] if one.syntax == other.syntax => {
            match differ.diff_values(one.value(), other.value()) {
                Ok(()) if differ.changed.is_empty() => return Ok(None),
                Ok(()) => return document(Some(one.syntax.decoder()), differ.changed.clone()),
                // The offset of the error is an offset in the document.
                Err(error) if matches!(error.kind(), ErrorKind::Limit { .. }) => {
                    return Err(Error::new(error.kind()));
                }
                Err(_) => {}
            }
        }
        _ => {}
    }
    document(None, Paths::new())
}

/// Calls `each` with the values of two sides at each of the `paths`, which must be sorted.
fn each_pair<'a>(
    sides: [Value<'a>; 2],
    paths: &Paths,
    mut each: impl FnMut(Path<'_>, [Option<Value<'a>>; 2]) -> Result<()>,
) -> Result<()> {
    let cursors = |[before, after]: [Option<Value<'a>>; 2]| -> Result<_> {
        Ok([StepCursor::of(before)?, StepCursor::of(after)?])
    };
    let root = sides.map(Some);
    // The cursors in the values along the last path, outermost first, and the values at its end.
    let mut open = vec![cursors(root)?];
    let (mut last, mut values): (Option<Path<'_>>, _) = (None, root);
    for path in paths.iter() {
        let shared = last.map_or(0, |last| {
            last.steps().zip(path.steps()).take_while(|(one, other)| one == other).count()
        });
        if shared == open.len() {
            open.push(cursors(values)?);
        }
        open.truncate(shared + 1);
        values = root;
        for (depth, step) in path.steps().enumerate().skip(shared) {
            if depth == open.len() {
                open.push(cursors(values)?);
            }
            let [before, after] = &mut open[depth];
            values = [before.take(step)?, after.take(step)?];
        }
        each(path, values)?;
        last = Some(path);
    }
    Ok(())
}

//! Finds the secret values of a change, so that a view hides them.

use super::shown::ValueRenderer;
use plansift_core::error::Result;
use plansift_core::json::value::Value;
use plansift_plan::marks::marked_paths::MarksElsewhere;
use plansift_plan::marks::steps::PieceMarkedPaths as Marked;
use plansift_plan::marks::{MarkSource, Marks, Subject};
use plansift_plan::plan::{Change, Section};
use plansift_plan::record::ViewSubject;

/// Starts a change: hides its secret values. Returns the paths that are secret beyond the marks of
/// the change, sorted: by name, or by marks of the address in another section.
pub(super) fn hide(
    renderer: &mut ValueRenderer<'_>,
    marks: &mut Marks,
    view_subject: ViewSubject<'_>,
    change: &Change<'_>,
    paths_max: u64,
) -> Result<Marked> {
    let (subject, elsewhere) = marked_subject(renderer, marks, view_subject, change)?;
    let (mut hidden, mut beyond) = (Vec::new(), Marked::default());
    marks.find_with(subject, elsewhere, |marked| {
        hidden.extend(marked.sides.into_iter().flatten().map(Value::offset));
        match marked.by {
            MarkSource::Mark if elsewhere.is_none() => Ok(()),
            MarkSource::Mark | MarkSource::Name => {
                beyond.push(marked.path, paths_max, change.offset())
            }
        }
    })?;
    beyond.sort();
    hidden.sort_unstable();
    renderer.hide(hidden);
    Ok(beyond)
}

/// Returns the values of a change, and the marks that changes of its address have in another
/// section.
pub(super) fn marked_subject<'a, 's>(
    renderer: &mut ValueRenderer<'s>,
    marks: &mut Marks,
    view_subject: ViewSubject<'_>,
    change: &Change<'a>,
) -> Result<(Subject<'a>, Option<MarksElsewhere<'s>>)> {
    let mut subject = Subject::of_change(change);
    let elsewhere = match view_subject {
        ViewSubject::Output { name, is_declared } => {
            subject.named = is_declared || marks.is_name(name);
            None
        }
        ViewSubject::Action => None,
        ViewSubject::Resource(Section::ResourceChanges, _) => None,
        ViewSubject::Resource(_, None) => None,
        ViewSubject::Resource(_, Some(address)) => renderer.elsewhere(address)?,
    };
    Ok((subject, marks.beyond(subject, elsewhere)?))
}

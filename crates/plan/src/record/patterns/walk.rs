//! Lists the paths into a value.

use std::collections::HashSet;

use super::shown::Shown;
use plansift_core::error::Result;
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_core::path;

/// A path into a value, or the string at the last path.
pub(super) struct Walked<'w, 'a> {
    /// The path with list indexes, and without.
    pub texts: [&'w str; 2],
    /// The lengths of the paths to the containers around the value.
    around: &'w [[usize; 2]],
    /// The string, on the second call for its path.
    pub string: Option<Value<'a>>,
}

impl Walked<'_, '_> {
    /// Returns the path, and the paths of the values around it.
    pub fn prefixes(&self) -> impl Iterator<Item = &str> {
        let [text, _] = self.texts;
        self.around.iter().map(move |[len, _]| &text[..*len]).chain([text])
    }
}

/// How a walk shows the paths into a value.
#[derive(Clone, Copy)]
pub(super) struct Paths<'s> {
    /// Shows the keys. If it masks them, the walk leaves out all paths below a secret value.
    pub shown: Shown<'s>,
    /// The paths of the secret values, as `shown` shows them.
    pub marked: &'s HashSet<String>,
}

/// Calls `each` with every path into a value, and again with every string, until `each` returns
/// `false`. `texts` is the path to the value, with list indexes, and without.
pub(super) fn walk<'a>(
    value: Value<'a>,
    mut texts: [String; 2],
    Paths { shown, marked }: Paths<'_>,
    mut each: impl FnMut(&Walked<'_, 'a>) -> bool,
) -> Result<()> {
    // The lengths of the paths to the entered containers.
    let mut lens: Vec<[usize; 2]> = Vec::new();
    // The number of containers around a secret value, whose inside is left out.
    let mut secret: Option<usize> = None;
    let is_marked = |path: &str| shown.are_masked() && marked.contains(path);
    if is_marked(&texts[0]) {
        return Ok(());
    }
    for event in value.walk() {
        let mut string = None;
        let event = event?;
        if let (WalkEvent::Key(_) | WalkEvent::Index(_), Some(last)) = (event, lens.last()) {
            secret = secret.filter(|around| *around < lens.len());
            texts.iter_mut().zip(*last).for_each(|(text, len)| text.truncate(len));
        }
        match event {
            WalkEvent::Open(..) => {
                lens.push([texts[0].len(), texts[1].len()]);
                continue;
            }
            WalkEvent::Close(_) => {
                lens.pop();
                continue;
            }
            _ if secret.is_some_and(|around| around < lens.len()) => continue,
            WalkEvent::Key(key) => {
                let key = key.decode()?;
                texts.iter_mut().for_each(|text| path::push_key(text, &shown.key(&key)));
                if shown.hides_below(&key) || is_marked(&texts[0]) {
                    secret = Some(lens.len());
                }
            }
            WalkEvent::Index(place) => {
                texts[0] += &format!("[{place}]");
                if is_marked(&texts[0]) {
                    secret = Some(lens.len());
                }
            }
            WalkEvent::Leaf(Kind::String, value) => string = Some(value),
            WalkEvent::Leaf(..) => continue,
        }
        if !each(&Walked { texts: [&texts[0], &texts[1]], around: &lens, string }) {
            break;
        }
    }
    Ok(())
}

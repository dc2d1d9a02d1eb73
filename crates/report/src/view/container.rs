//! Renders an object or array on one line, with secrets hidden.
//!
//! A removed or added list element is shown as one value ([`Element`]). Its text omits `null`
//! members, except those in [`Element::nulls`]. It includes members that are not known yet.

use std::collections::HashSet;
use std::iter::Peekable;
use std::sync::Arc;
use std::vec::IntoIter;

use super::element::Element;
use super::shown::ValueRenderer;
use plansift_core::error::Result;
use plansift_core::json::descent::{Descent, walk};
use plansift_core::json::value::{Kind, Value, WalkEvent};
use plansift_plan::marks::{ECHO, MASK};
use plansift_plan::record::Excerpt;

struct Rendering {
    /// The keys whose `null` is shown; `None` means all keys.
    nulls: Option<Arc<HashSet<String>>>,
    unknown: Peekable<IntoIter<(String, &'static str)>>,
    /// The current key. It is appended together with its value.
    key: Option<String>,
    depth: usize,
    needs_comma: bool,
    /// Whether the text has reached its maximum length.
    is_full: bool,
}

impl Rendering {
    fn of(element: Option<Element>) -> Rendering {
        let (nulls, unknown) = match element {
            Some(Element { nulls, unknown }) => (nulls, unknown),
            None => (None, Vec::new()),
        };
        let (key, depth, needs_comma, is_full) = (None, 0, false, false);
        let unknown = unknown.into_iter().peekable();
        Rendering { nulls, unknown, key, depth, needs_comma, is_full }
    }

    /// Whether to omit the member that consists of the current key and this value.
    fn omits(&mut self, value: Value<'_>) -> bool {
        let Rendering { nulls: Some(nulls), unknown, key: Some(key), depth, .. } = self else {
            return false;
        };
        let is_unknown = *depth == 1 && unknown.peek().is_some_and(|(next, _)| next == key);
        value.is_null() && !nulls.contains(key) && !is_unknown
    }

    /// Takes the next unknown member, if its key is less than or equal to the current key, or if
    /// `met` is the end of the object.
    fn next_unknown(&mut self, met: WalkEvent<'_>) -> Option<(String, &'static str)> {
        let Rendering { unknown, key, depth, .. } = self;
        let is_end = matches!(met, WalkEvent::Close(Kind::Object));
        unknown.next_if(|(name, _)| {
            *depth == 1 && (is_end || key.as_ref().is_some_and(|key| name <= key))
        })
    }
}

impl ValueRenderer<'_> {
    /// Appends an object or array.
    pub(super) fn container(&mut self, value: Value<'_>, excerpt: &mut Excerpt) -> Result<()> {
        let hidden = std::mem::take(&mut self.hidden);
        let mut rendering = Rendering::of(self.element.take());
        let is_hidden = |value: Value<'_>| hidden.binary_search(&value.offset()).is_ok();
        let descent = |value| if is_hidden(value) { Descent::Pass } else { Descent::Enter };
        if value.is_empty() && rendering.unknown.peek().is_some() {
            self.unknown_alone(rendering, excerpt);
            self.hidden = hidden;
            return Ok(());
        }
        let walked = walk(value, descent, |met| {
            match met {
                WalkEvent::Leaf(_, whole) if rendering.is_full && is_hidden(whole) => {
                    return Ok(());
                }
                met if rendering.is_full => return leave_out(met, excerpt),
                WalkEvent::Key(key) => {
                    rendering.key = Some(key.decode()?);
                    return Ok(());
                }
                WalkEvent::Leaf(_, whole) if !is_hidden(whole) && rendering.omits(whole) => {
                    let key = rendering.key.take().unwrap_or_default();
                    excerpt.leave_out(key.as_bytes());
                    return Ok(());
                }
                _ => {}
            }
            let stand_in = self.before(met, &mut rendering, excerpt);
            match met {
                WalkEvent::Key(_) | WalkEvent::Index(_) => {}
                WalkEvent::Open(kind, _) => {
                    excerpt.text.push(if kind == Kind::Object { '{' } else { '[' });
                    rendering.depth += 1;
                }
                WalkEvent::Close(kind) => {
                    excerpt.text.push(if kind == Kind::Object { '}' } else { ']' });
                    rendering.depth -= 1;
                }
                WalkEvent::Leaf(kind, whole) => {
                    let mask = match kind {
                        _ if is_hidden(whole) => Some(MASK),
                        _ if stand_in.is_some() => stand_in,
                        Kind::Object => Some("{}"),
                        Kind::Array => Some("[]"),
                        kind => self.scalar(whole, kind, excerpt)?,
                    };
                    excerpt.text.push_str(mask.unwrap_or_default());
                    rendering.is_full =
                        rendering.depth > 0 && excerpt.text.len() > self.excerpt_max();
                    if rendering.is_full {
                        excerpt.left_out += value.range().end - whole.range().end;
                    }
                }
            }
            Ok(())
        });
        self.hidden = hidden;
        walked
    }

    /// Appends the text before a value or bracket: the comma, unknown members, and the key. Returns
    /// the text to show as the value, if the value is unknown.
    fn before(
        &self,
        met: WalkEvent<'_>,
        rendering: &mut Rendering,
        excerpt: &mut Excerpt,
    ) -> Option<&'static str> {
        let mut stand_in = None;
        while let Some((name, text)) = rendering.next_unknown(met) {
            if rendering.key.as_ref() == Some(&name) {
                stand_in = Some(text);
                break;
            }
            self.key(&name, rendering.needs_comma, excerpt);
            excerpt.text.push_str(text);
            rendering.needs_comma = true;
        }
        match rendering.key.take() {
            Some(name) => self.key(&name, rendering.needs_comma, excerpt),
            None if rendering.needs_comma && matches!(met, WalkEvent::Index(_)) => {
                excerpt.text.push(',')
            }
            None => {}
        }
        rendering.needs_comma = matches!(met, WalkEvent::Close(_) | WalkEvent::Leaf(..));
        stand_in
    }

    /// Appends an object whose members are all unknown.
    fn unknown_alone(&self, rendering: Rendering, excerpt: &mut Excerpt) {
        excerpt.text.push('{');
        for (place, (name, text)) in rendering.unknown.enumerate() {
            self.key(&name, place > 0, excerpt);
            excerpt.text.push_str(text);
        }
        excerpt.text.push('}');
    }

    fn key(&self, name: &str, needs_comma: bool, excerpt: &mut Excerpt) {
        excerpt.text.push_str(if needs_comma { "," } else { "" });
        match self.hides_key(name) {
            true => excerpt.text.push_str(ECHO),
            false => excerpt.push(name.as_bytes(), Kind::String, self.excerpt_max()),
        }
        excerpt.text.push(':');
    }
}

/// Adds a part of a container that exceeds the maximum length to the digest of the excerpt.
fn leave_out(met: WalkEvent<'_>, excerpt: &mut Excerpt) -> Result<()> {
    match met {
        WalkEvent::Leaf(_, whole) => excerpt.leave_out(whole.raw()),
        WalkEvent::Key(key) => excerpt.leave_out(key.raw()),
        WalkEvent::Index(_) => {}
        WalkEvent::Open(..) => excerpt.leave_out(b"["),
        WalkEvent::Close(_) => excerpt.leave_out(b"]"),
    }
    Ok(())
}

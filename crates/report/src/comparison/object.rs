//! An object that differs, as reports show it: its symbol, a phrase, and its single differences as
//! attributes with the values of OLD and NEW.

use std::borrow::Cow;

use crate::phrase;
use crate::summary::Action;
use crate::view::Detail;
use plansift_core::json::value::Kind;
use plansift_plan::marks::{ECHO, MASK};
use plansift_plan::record::{
    Aspect, AspectDifference, Attribute, Attributes, CompareLevel, Difference, Direction, Excerpt,
    FoundIn, ObjectDifference, ObjectKind, Shown, UNKNOWN,
};

/// Maximum number of single differences of an object.
const LISTED: usize = 20;
/// Maximum length of a value, in bytes.
const VALUE: usize = 10_000;

/// Returns the action whose symbol and colour an object has.
pub(super) fn action(object: &ObjectDifference<'_>) -> Action {
    let word = object.new_action.as_deref().or(object.old_action.as_deref());
    match object.object {
        ObjectKind::ResourceChange
        | ObjectKind::DeferredChange
        | ObjectKind::OutputChange
        | ObjectKind::ResourceDrift => match word {
            Some("move" | "import") | None => Action::Keep,
            Some(word) => Action::of(word),
        },
        ObjectKind::Resource | ObjectKind::Output => match object.found_in {
            FoundIn::New => Action::Create,
            FoundIn::Both => Action::Update,
            FoundIn::Old => Action::Delete,
        },
        _ => Action::Keep,
    }
}

/// Returns the name of an object, such as its address.
pub(super) fn name(object: &ObjectDifference<'_>) -> String {
    let ObjectDifference { object, address, deposed, .. } = object;
    let prefix = match object {
        ObjectKind::OutputChange | ObjectKind::Output => "output.",
        _ => "",
    };
    let deposed = deposed.as_ref().map(|key| format!(" (deposed {key})")).unwrap_or_default();
    format!("{prefix}{address}{deposed}")
}

/// Returns a phrase about an object: its kind, its actions, its trigger, and its address in OLD.
/// `quote` quotes strings from the documents.
pub(super) fn phrase(object: &ObjectDifference<'_>, quote: impl Fn(&str) -> String) -> String {
    let kind = match object.object {
        ObjectKind::Plan => "the plan: ",
        ObjectKind::DeferredChange => "deferred: ",
        ObjectKind::ActionInvocation => "action: ",
        ObjectKind::DeferredActionInvocation => "deferred action: ",
        ObjectKind::Check => "check: ",
        ObjectKind::ResourceDrift => "drift: ",
        ObjectKind::RelevantAttribute => "relevant attribute: ",
        ObjectKind::ResourceChange
        | ObjectKind::OutputChange
        | ObjectKind::Resource
        | ObjectKind::Output => "",
    };
    let is_of_state = matches!(object.object, ObjectKind::Resource | ObjectKind::Output);
    let [old, new] = [&object.old_action, &object.new_action]
        .map(|action| action.as_deref().map(&quote).unwrap_or_default());
    let comma = |action: &str| if action.is_empty() { "" } else { ", " };
    let what = match object.found_in {
        FoundIn::New if is_of_state => "created".to_owned(),
        FoundIn::Both if is_of_state => "changed".to_owned(),
        FoundIn::Old if is_of_state => "destroyed".to_owned(),
        FoundIn::New => format!("{new}{}only in NEW", comma(&new)),
        FoundIn::Old => format!("{old}{}only in OLD", comma(&old)),
        FoundIn::Both if old == new => new,
        FoundIn::Both => format!("{old} -> {new}"),
    };
    let from = object.old_address.as_deref();
    let from = from.map(|from| format!("at {} in OLD", quote(from)));
    let parts: Vec<String> =
        [what].into_iter().chain(from).filter(|part| !part.is_empty()).collect();
    format!("{kind}{}", parts.join(", "))
}

/// Returns the single differences of an object by direction, the most severe first: those that a
/// report with this `detail` lists.
pub(super) fn differences(
    object: &ObjectDifference<'_>,
    detail: Detail,
) -> Vec<(Direction, Attributes)> {
    let mut room = if detail == Detail::Full { usize::MAX } else { LISTED };
    let groups = Direction::ALL.map(|direction| {
        // The phrase about the object has its actions.
        let of_direction = object
            .differences
            .iter()
            .filter(|it| it.direction == direction && it.aspect != Aspect::Action);
        let count = of_direction.clone().count();
        let list: Vec<Attribute> =
            of_direction.take(room).map(|it| attribute(object, it, detail)).collect();
        room -= list.len();
        let left_out = (count - list.len()) as u64;
        (direction, Attributes { list, left_out, ..Attributes::default() })
    });
    groups.into_iter().filter(|(_, group)| !group.list.is_empty() || group.left_out > 0).collect()
}

/// Returns the word before the differences of another direction than that of their object. `None`
/// for the direction of the object.
pub(super) fn other(object: &ObjectDifference<'_>, direction: Direction) -> Option<&'static str> {
    (direction != object.direction).then(|| direction.name())
}

fn attribute(
    object: &ObjectDifference<'_>,
    difference: &AspectDifference<'_>,
    detail: Detail,
) -> Attribute {
    let AspectDifference { aspect, path, old, new, .. } = difference;
    let label = |words: &str| match path.as_deref() {
        None | Some("") => format!("({words})"),
        Some(path) => format!("{path} ({words})"),
    };
    let is_to = *old == object.old_address && new.as_deref() == Some(&*object.address);
    let path = match (aspect, path) {
        (Aspect::Path | Aspect::Cause | Aspect::Value, Some(path)) => path.to_string(),
        (Aspect::Path, None) => "(paths)".to_owned(),
        (Aspect::Cause, None) => "(cause)".to_owned(),
        // The value of an output, or the messages of a check.
        (Aspect::Value, None) if old.is_some() || new.is_some() => String::new(),
        (Aspect::Value, None) => "(values)".to_owned(),
        (Aspect::Sensitive, _) => label("sensitive"),
        (Aspect::Action, _) => label("action"),
        // The documents have the object at two addresses, to which they may both move it.
        (Aspect::Move, _) if is_to => label("moved to"),
        (Aspect::Move, _) => label("moved from"),
        (Aspect::Import, _) => label("import"),
        (Aspect::Reason, _) => label("reason"),
        (Aspect::Text, _) => label("text"),
    };
    let word = |text: &Option<Cow<'_, str>>, action| match (aspect, text) {
        (Aspect::Reason, Some(text)) => Some(reason(action, text).into_owned()),
        (_, text) => text.as_deref().map(str::to_owned),
    };
    let [old, new] = [word(old, &object.old_action), word(new, &object.new_action)];
    let (before, after) = match (old, new) {
        (None, None) => sides(object, difference),
        // The remark says which mark it is.
        (None, _) if *aspect == Aspect::Sensitive => ONLY_NEW,
        (_, None) if *aspect == Aspect::Sensitive => ONLY_OLD,
        (old, new) => {
            // Both documents have a value there. Not every value is shown.
            let absent = || match aspect {
                Aspect::Value => Shown::Scalar(verbatim("(not shown)", detail)),
                _ => Shown::Absent,
            };
            let shown =
                |text: Option<String>| text.map_or_else(absent, |text| shown(&text, detail));
            (shown(old), shown(new))
        }
    };
    Attribute {
        path,
        before,
        after,
        replaces: *aspect == Aspect::Cause,
        difference: Difference::Value,
        mark: None,
        lines: None,
        digest: None,
    }
}

/// The values of a difference that only one document has, and that are not shown.
const ONLY_NEW: (Shown, Shown) = (Shown::Absent, Shown::Withheld);
const ONLY_OLD: (Shown, Shown) = (Shown::Withheld, Shown::Absent);

/// Returns the values of a difference without words: its direction may say which document has it.
fn sides(object: &ObjectDifference<'_>, difference: &AspectDifference<'_>) -> (Shown, Shown) {
    let AspectDifference { aspect, level, direction, .. } = difference;
    // A path that only OLD has is `more`, too, if an object is created without it.
    let exists =
        |action: &Option<Cow<'_, str>>| matches!(action.as_deref(), Some("update" | "replace"));
    let is_told = match aspect {
        Aspect::Path => exists(&object.old_action) && exists(&object.new_action),
        Aspect::Cause => true,
        Aspect::Import => *level == CompareLevel::Actions,
        _ => false,
    };
    match direction {
        Direction::More if is_told => ONLY_NEW,
        Direction::Less if is_told => ONLY_OLD,
        _ => (Shown::Withheld, Shown::Withheld),
    }
}

/// Explains the reason for an action or a deferral.
fn reason<'a>(action: &Option<Cow<'_, str>>, word: &Cow<'a, str>) -> Cow<'a, str> {
    let action = action.as_deref().unwrap_or_default();
    let known = phrase::known_reason(action, word).or_else(|| phrase::deferral(word));
    known.map_or_else(|| word.clone(), Cow::Borrowed)
}

/// Returns what a document has, as reports show a value.
fn shown(text: &str, detail: Detail) -> Shown {
    // Values are JSON text.
    let string = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    match text {
        UNKNOWN => Shown::Unknown,
        _ if string == Some(MASK) => Shown::Sensitive,
        _ if string == Some(ECHO) => Shown::Echo,
        text if text.starts_with(['{', '[']) => Shown::Container(verbatim(text, detail)),
        text => Shown::Scalar(verbatim(text, detail)),
    }
}

/// Returns the beginning of a text, without quotes.
fn verbatim(text: &str, detail: Detail) -> Excerpt {
    let mut excerpt = Excerpt::default();
    let max = if detail == Detail::Full { usize::MAX } else { VALUE };
    excerpt.push(text.as_bytes(), Kind::Number, max);
    excerpt
}

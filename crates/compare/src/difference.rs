//! Compares what two documents plan for one object (docs/format/comparison.md, sections 3 and 4).

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::collect::FORGETTING;
use super::meaning::ValueKey;
use super::planned::{KnownDigests, KnownPath, Planned, paths_digest, values_digest};
use plansift_plan::record::{
    Aspect, AspectDifference, CompareLevel, Direction, FoundIn, ObjectDifference, ObjectKind,
};

/// The text for a value that is not known yet.
const UNKNOWN: &str = plansift_plan::record::UNKNOWN;

/// The text of a sensitive value.
const MASKED: &str = "\"(sensitive value)\"";

/// Returns the difference of an object that only one document has.
pub(crate) fn alone(planned: &Planned, found_in: FoundIn) -> ObjectDifference<'static> {
    let action = || Some(Cow::Owned(planned.action.clone()));
    let is_new = found_in == FoundIn::New;
    let direction = match planned.object {
        _ if is_new => Direction::More,
        // A check that passes does not count, so the check may pass in the later document.
        ObjectKind::Check if planned.action == "unknown" => Direction::Resolved,
        _ => Direction::Less,
    };
    ObjectDifference {
        found_in,
        level: weakest_level(planned.object),
        direction,
        old_action: if is_new { None } else { action() },
        new_action: if is_new { action() } else { None },
        ..named(planned)
    }
}

/// The weakest level at which an object counts.
fn weakest_level(object: ObjectKind) -> CompareLevel {
    match object {
        ObjectKind::RelevantAttribute => CompareLevel::All,
        _ => CompareLevel::Actions,
    }
}

/// Returns a difference with the names of an object.
fn named(planned: &Planned) -> ObjectDifference<'static> {
    let text = |text: &Option<String>| text.clone().map(Cow::Owned);
    ObjectDifference {
        object: planned.object,
        address: Cow::Owned(planned.address.clone()),
        deposed: text(&planned.deposed),
        trigger: text(&planned.trigger),
        old_address: None,
        type_name: text(&planned.type_name),
        found_in: FoundIn::Both,
        level: CompareLevel::All,
        direction: Direction::Resolved,
        old_action: None,
        new_action: None,
        differences: Vec::new(),
    }
}

/// Compares two objects; `None` if they do not differ. `key` is the key of all digests.
pub(crate) fn compare(
    old: &Planned,
    new: &Planned,
    key: &ValueKey,
) -> Option<ObjectDifference<'static>> {
    let mut found = Found::default();
    actions(old, new, &mut found);
    lists(Aspect::Reason, [&old.reasons, &new.reasons], &mut found);
    lists(Aspect::Cause, [&old.paths.causes, &new.paths.causes], &mut found);
    match old.paths.digests {
        Some(digests) => digested(old, digests, new, key, &mut found),
        None => paths(old, new, &mut found),
    }
    partial(old, new, &mut found);
    sensitive(old, new, &mut found);
    let marks = [old, new].map(|side| &*side.paths.sensitive);
    let differences = end_at_marks(found.list, marks);
    let level = differences.iter().map(|difference| difference.level).min()?;
    let direction = differences.iter().map(|difference| difference.direction).max()?;
    Some(ObjectDifference {
        old_address: (old.address != new.address).then(|| Cow::Owned(old.address.clone())),
        level,
        direction,
        old_action: Some(Cow::Owned(old.action.clone())),
        new_action: Some(Cow::Owned(new.action.clone())),
        differences,
        ..named(new)
    })
}

/// Ends each path at the first place that either document marks as sensitive. The keys below the
/// mark are a part of the sensitive value, also in the document that does not mark it.
fn end_at_marks(
    list: Vec<AspectDifference<'static>>,
    marks: [&[String]; 2],
) -> Vec<AspectDifference<'static>> {
    let mut ended: Vec<AspectDifference<'static>> = Vec::with_capacity(list.len());
    // The indexes of the differences at marks.
    let mut at_marks = BTreeMap::new();
    for mut single in list {
        let mark = single.path.as_deref().and_then(|path| {
            marks.into_iter().filter_map(|marks| mark_above(marks, path)).min_by_key(|it| it.len())
        });
        if let Some(mark) = mark.map(str::to_owned) {
            single.path = Some(Cow::Owned(mark));
            let masked = |text: Cow<'static, str>| match &*text {
                UNKNOWN => text,
                _ => Cow::Borrowed(MASKED),
            };
            if matches!(single.aspect, Aspect::Path | Aspect::Value) {
                (single.old, single.new) = (single.old.map(masked), single.new.map(masked));
            }
        }
        let path = single.path.as_deref().unwrap_or_default();
        if !marks.into_iter().any(|marks| has(marks, path)) {
            ended.push(single);
            continue;
        }
        let key = (single.aspect, single.level, single.direction, path.to_owned());
        let index = *at_marks.entry(key).or_insert(ended.len());
        match ended.get_mut(index) {
            Some(known) => {
                known.old = known.old.take().or(single.old);
                known.new = known.new.take().or(single.new);
            }
            None => ended.push(single),
        }
    }
    ended
}

/// Returns the outermost path in a sorted list that is above a path.
fn mark_above<'m>(marks: &'m [String], path: &str) -> Option<&'m str> {
    let ends = path.char_indices().filter(|(_, sign)| matches!(sign, '.' | '['));
    let mut above = ["".len()].into_iter().chain(ends.map(|(end, _)| end));
    above.find_map(|end| {
        let mark = marks.binary_search_by(|mark| mark.as_str().cmp(&path[..end])).ok()?;
        (end < path.len()).then(|| &*marks[mark])
    })
}

/// Returns the difference of two objects that are planned alike and written differently.
pub(crate) fn of_text(new: &Planned) -> ObjectDifference<'static> {
    let mut found = Found::default();
    found.add(Aspect::Text, CompareLevel::All, Direction::More, None);
    let action = Some(Cow::Owned(new.action.clone()));
    ObjectDifference {
        direction: Direction::More,
        old_action: action.clone(),
        new_action: action,
        differences: found.list,
        ..named(new)
    }
}

#[derive(Default)]
struct Found {
    list: Vec<AspectDifference<'static>>,
}

impl Found {
    fn add(
        &mut self,
        aspect: Aspect,
        level: CompareLevel,
        direction: Direction,
        path: Option<&str>,
    ) {
        self.push(aspect, level, direction, path, [None::<String>, None]);
    }

    fn push(
        &mut self,
        aspect: Aspect,
        level: CompareLevel,
        direction: Direction,
        path: Option<&str>,
        sides: [Option<impl Into<String>>; 2],
    ) {
        let path = path.map(|path| Cow::Owned(path.to_owned()));
        let [old, new] = sides.map(|text| text.map(|text| Cow::Owned(text.into())));
        self.list.push(AspectDifference { aspect, level, direction, path, old, new });
    }
}

/// Compares the actions, moves and imports.
fn actions(old: &Planned, new: &Planned, found: &mut Found) {
    let level = CompareLevel::Actions;
    if let Some(direction) = direction(new.object, &old.action, &new.action) {
        let sides = [Some(&*old.action), Some(&*new.action)];
        found.push(Aspect::Action, level, direction, None, sides);
    }
    let moves = [old.previous_address.as_deref(), new.previous_address.as_deref()];
    match moves {
        [Some(_), None] => found.push(Aspect::Move, level, Direction::Less, None, moves),
        [before, after] if before != after => {
            found.push(Aspect::Move, level, Direction::More, None, moves);
        }
        // Both plans move the object, to different addresses.
        _ if old.address != new.address => {
            let addresses = [Some(&*old.address), Some(&*new.address)];
            found.push(Aspect::Move, level, Direction::More, None, addresses);
        }
        _ => {}
    }
    match (old.import, new.import) {
        (None, Some(_)) => found.add(Aspect::Import, level, Direction::More, None),
        (Some(_), None) => found.add(Aspect::Import, level, Direction::Less, None),
        (Some(before), Some(after)) if before != after => {
            let is_resolved = before.identity.is_none();
            let direction = if is_resolved { Direction::Resolved } else { Direction::More };
            found.add(Aspect::Import, CompareLevel::Values, direction, None);
        }
        _ => {}
    }
}

/// The actions by strength, the weakest first. All other actions are only stronger than `no-op`.
const STRENGTH: [&str; 8] =
    ["no-op", "read", "import", "move", "create", "update", "replace", "delete"];

/// The statuses of checks, the weakest first.
const STATUSES: [&str; 4] = ["pass", "unknown", "fail", "error"];

/// Returns the direction of another action; `None` for the same action.
fn direction(object: ObjectKind, old: &str, new: &str) -> Option<Direction> {
    if old == new {
        return None;
    }
    let order: &[&str] = match object {
        ObjectKind::Check if (old, new) == ("unknown", "pass") => return Some(Direction::Resolved),
        ObjectKind::Check => &STATUSES,
        _ => &STRENGTH,
    };
    let rank = |action: &str| order.iter().position(|known| *known == action);
    Some(match (rank(old), rank(new)) {
        (Some(old), Some(new)) if new < old => Direction::Less,
        (None, Some(0)) => Direction::Less,
        _ => Direction::More,
    })
}

/// Compares two lists of words at the level of paths.
fn lists(aspect: Aspect, [old, new]: [&[String]; 2], found: &mut Found) {
    let level = CompareLevel::Paths;
    let is_path = aspect == Aspect::Cause;
    for word in new.iter().filter(|word| !has(old, word)) {
        let (path, text) = if is_path { (Some(&**word), None) } else { (None, Some(&**word)) };
        found.push(aspect, level, Direction::More, path, [None, text]);
    }
    for word in old.iter().filter(|word| !has(new, word)) {
        let (path, text) = if is_path { (Some(&**word), None) } else { (None, Some(&**word)) };
        found.push(aspect, level, Direction::Less, path, [text, None]);
    }
}

/// Whether a sorted list contains a word.
fn has(list: &[String], word: &str) -> bool {
    list.binary_search_by(|known| known.as_str().cmp(word)).is_ok()
}

/// Whether sorted `paths` contain a path, or one above it.
fn have_above(paths: &[String], path: &str) -> bool {
    let ends = path.char_indices().filter(|(_, sign)| matches!(sign, '.' | '['));
    let mut above = ends.map(|(end, _)| &path[..end]);
    has(paths, path) || has(paths, "") || above.any(|above| has(paths, above))
}

/// Whether a value at a path may contain a sensitive value, or be a part of one.
fn is_at_mark(sensitive: &[String], path: &str) -> bool {
    let is_below = |marked: &String| {
        let rest = marked.strip_prefix(path);
        rest.is_some_and(|rest| path.is_empty() || rest.starts_with(['.', '[']))
    };
    have_above(sensitive, path) || sensitive.iter().any(is_below)
}

/// Compares the planned paths of two objects, and their values.
fn paths(old: &Planned, new: &Planned, found: &mut Found) {
    let gone = gone_path(old, new);
    // A value that is sensitive in one document is hidden in both.
    let hide = |path: &str, sides: [Option<&str>; 2]| -> [Option<String>; 2] {
        let is_marked = [old, new].iter().any(|side| is_at_mark(&side.paths.sensitive, path));
        let is_secret = is_marked || sides.contains(&Some(MASKED));
        sides.map(|side| match side {
            Some(text) if is_secret && text != UNKNOWN => Some(MASKED.to_owned()),
            side => side.map(str::to_owned),
        })
    };
    let (mut before, mut after) =
        (old.paths.known.iter().peekable(), new.paths.known.iter().peekable());
    let both = |old: &KnownPath, new: &KnownPath, found: &mut Found| {
        if old.value.is_some() && old.value != new.value {
            let sides = hide(&new.path, [old.shown.as_deref(), new.shown.as_deref()]);
            let path = Some(&*new.path);
            found.push(Aspect::Value, CompareLevel::Values, Direction::More, path, sides);
        }
    };
    loop {
        let order = match (before.peek(), after.peek()) {
            (Some(old), Some(new)) => old.path.cmp(&new.path),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        match order {
            Ordering::Equal => {
                if let (Some(old), Some(new)) = (before.next(), after.next()) {
                    both(old, new, found);
                }
            }
            Ordering::Less => {
                let Some(known) = before.next() else { break };
                let path = Some(&*known.path);
                let is_unknown = has(&new.paths.unknown, &known.path);
                let other = is_unknown.then_some(UNKNOWN);
                let sides = hide(&known.path, [known.shown.as_deref(), other]);
                if is_unknown {
                    found.push(Aspect::Value, CompareLevel::Values, Direction::More, path, sides);
                } else {
                    found.push(Aspect::Path, CompareLevel::Paths, gone, path, sides);
                }
            }
            Ordering::Greater => {
                let Some(known) = after.next() else { break };
                let path = Some(&*known.path);
                let is_unknown = has(&old.paths.unknown, &known.path);
                let other = is_unknown.then_some(UNKNOWN);
                let sides = hide(&known.path, [other, known.shown.as_deref()]);
                if is_unknown {
                    let level = CompareLevel::Values;
                    found.push(Aspect::Value, level, Direction::Resolved, path, sides);
                } else {
                    let direction = new_path(old, &known.path);
                    found.push(Aspect::Path, CompareLevel::Paths, direction, path, sides);
                }
            }
        }
    }
    unknown_paths(old, new, found);
}

/// The direction of a known path that only the earlier document has. An object that is made without
/// the path is another object.
fn gone_path(old: &Planned, new: &Planned) -> Direction {
    let makes = |side: &Planned| side.created || matches!(&*side.action, "replace" | FORGETTING);
    if makes(old) || makes(new) { Direction::More } else { Direction::Less }
}

/// The direction of a planned path that only the later document has.
fn new_path(old: &Planned, path: &str) -> Direction {
    if have_above(&old.paths.unknown, path) { Direction::Resolved } else { Direction::More }
}

/// Compares the unknown paths that the other document does not plan at all.
fn unknown_paths(old: &Planned, new: &Planned, found: &mut Found) {
    let plans = |planned: &Planned, path: &str| {
        has(&planned.paths.unknown, path)
            || planned.paths.known.binary_search_by(|known| known.path.as_str().cmp(path)).is_ok()
    };
    for path in new.paths.unknown.iter().filter(|path| !plans(old, path)) {
        let sides = [None, Some(UNKNOWN)];
        let direction = new_path(old, path);
        found.push(Aspect::Path, CompareLevel::Paths, direction, Some(path), sides);
    }
    for path in old.paths.unknown.iter().filter(|path| !plans(new, path)) {
        let sides = [Some(UNKNOWN), None];
        let direction = Direction::Resolved;
        found.push(Aspect::Path, CompareLevel::Paths, direction, Some(path), sides);
    }
}

/// Compares the known parts of sensitive values that are unknown in part, in both documents.
fn partial(old: &Planned, new: &Planned, found: &mut Found) {
    let part = |planned: &Planned, path: &str| {
        let found = planned.paths.partial.binary_search_by(|known| known.path.as_str().cmp(path));
        found.ok().and_then(|index| planned.paths.partial[index].value)
    };
    for path in old.paths.unknown.iter().filter(|path| has(&new.paths.unknown, path)) {
        let direction = match (part(old, path), part(new, path)) {
            (before, after) if before == after => continue,
            (None, Some(_)) => Direction::Resolved,
            _ => Direction::More,
        };
        found.add(Aspect::Value, CompareLevel::Values, direction, Some(path));
    }
}

/// Compares a created object of an approval, whose known paths are digests.
fn digested(
    old: &Planned,
    digests: KnownDigests,
    new: &Planned,
    key: &ValueKey,
    found: &mut Found,
) {
    // The paths of both, without those that the approval has in plain text.
    let known = new.paths.known.iter().map(|known| &*known.path);
    let unknown = new.paths.unknown.iter().map(String::as_str);
    let mut all: Vec<&str> = known.chain(unknown).collect();
    all.sort_unstable();
    let others = all.iter().copied().filter(|path| !has(&old.paths.unknown, path));
    let has_all = old.paths.unknown.iter().all(|path| all.binary_search(&path.as_str()).is_ok());
    let (mut has_other_paths, mut direction) = (false, Direction::Resolved);
    if !has_all || paths_digest(others, key) != digests.paths {
        has_other_paths = true;
        let outside = all.iter().copied().filter(|path| !have_above(&old.paths.unknown, path));
        if paths_digest(outside, key) != digests.paths {
            direction = Direction::More;
        }
        found.add(Aspect::Path, CompareLevel::Paths, direction, None);
    }
    let Some(values) = digests.values else { return };
    if values_digest(new.paths.known.iter(), key) != values {
        let outside =
            new.paths.known.iter().filter(|known| !have_above(&old.paths.unknown, &known.path));
        let is_resolved = values_digest(outside, key) == values;
        if is_resolved {
            found.add(Aspect::Value, CompareLevel::Values, Direction::Resolved, None);
        } else if !has_other_paths || direction == Direction::Resolved {
            found.add(Aspect::Value, CompareLevel::Values, Direction::More, None);
        }
    }
}

/// Compares the sensitive places.
fn sensitive(old: &Planned, new: &Planned, found: &mut Found) {
    let level = CompareLevel::All;
    let word = Some("sensitive");
    for path in new.paths.sensitive.iter().filter(|path| !has(&old.paths.sensitive, path)) {
        found.push(Aspect::Sensitive, level, Direction::More, Some(path), [None, word]);
    }
    for path in old.paths.sensitive.iter().filter(|path| !has(&new.paths.sensitive, path)) {
        found.push(Aspect::Sensitive, level, Direction::More, Some(path), [word, None]);
    }
}

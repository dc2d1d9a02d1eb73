//! Pairs the objects of two documents, and finds the differences.
//!
//! ```text
//!  old objects ─▶ sorter ─┬─▶ pairs with one address ──┬─▶ differences ─▶ sorter ─▶ sink
//!  new objects ─▶ sorter ─┘                            │
//!                         └─▶ without a partner ─▶ sorters by previous address
//! ```

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::collect::Facts;
use super::difference::{alone, compare, of_text};
use super::meaning::ValueKey;
use super::planned::Planned;
use super::sorter::{Sortable, Sorted, Sorter};
use plansift_core::error::Result;
use plansift_plan::record::counts::PlanFacts;
use plansift_plan::record::{
    AspectDifference, CompareLevel, ComparisonSummary, Direction, DirectionCounts, FoundIn,
    LeftOut, LevelCounts, ObjectDifference, ObjectKind, Record,
};
use plansift_plan::sink::Sink;

impl Sortable for Planned {
    fn order(&self, other: &Planned) -> Ordering {
        // If moves do not count, an object that moved comes before one that is created at its
        // previous address. No tool lists an object twice. If a document does, the order of the
        // document has no effect.
        let order = self.by_key(other).then(self.created.cmp(&other.created));
        order.then_with(|| self.by_content(other))
    }

    fn pairing(&self, other: &Planned) -> Ordering {
        self.by_key(other)
    }
}

/// An object without a partner of the same address.
#[derive(Serialize, Deserialize)]
struct Unpaired(Planned);

impl Sortable for Unpaired {
    fn order(&self, other: &Unpaired) -> Ordering {
        // Among objects with one previous address, those that do not move come first.
        let key = |it: &Unpaired| it.0.previous_address.is_some();
        self.pairing(other).then(key(self).cmp(&key(other))).then(self.0.by_key(&other.0))
    }

    fn pairing(&self, other: &Unpaired) -> Ordering {
        self.0.prior_key().cmp(&other.0.prior_key())
    }
}

/// A difference that waits for its place in the output.
#[derive(Serialize, Deserialize)]
struct SortedDifference(ObjectDifference<'static>);

impl Sortable for SortedDifference {
    fn order(&self, other: &SortedDifference) -> Ordering {
        fn key(it: &SortedDifference) -> impl Ord + '_ {
            let ObjectDifference { object, address, deposed, trigger, found_in, .. } = &it.0;
            (*object, address, deposed, trigger, *found_in == FoundIn::New)
        }
        key(self).cmp(&key(other))
    }
}

/// The objects of one document, sorted.
pub struct Objects {
    sorter: Sorter<Planned>,
}

impl Objects {
    /// Starts without an object. Temporary files may take `spool_max` bytes.
    pub fn new(spool_max: u64) -> Objects {
        Objects { sorter: Sorter::new(spool_max, Planned::size) }
    }

    /// Adds an object.
    ///
    /// # Errors
    ///
    /// Fails if a temporary file cannot be written, or is too large.
    pub fn push(&mut self, planned: Planned) -> Result<()> {
        self.sorter.push(planned)
    }

    /// Returns the objects in order.
    ///
    /// # Errors
    ///
    /// Fails if a temporary file cannot be read.
    pub fn sorted(self) -> Result<impl Iterator<Item = Result<Planned>>> {
        self.sorter.sorted()
    }
}

/// The parts that are left out unless the user asks for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// `timestamp` of the plans.
    pub timestamp: bool,
    /// The versions of the tool and of the format.
    pub versions: bool,
    /// `applyable` of the plans.
    pub applyable: bool,
    /// `relevant_attributes` of the plans.
    pub relevant_attributes: bool,
    /// The JSON text of objects that are planned alike.
    pub text: bool,
}

/// How to compare two documents.
#[derive(Clone, Debug)]
pub struct JoinOptions {
    /// The level that decides.
    pub level: CompareLevel,
    /// The strongest level that both documents can answer.
    pub level_max: CompareLevel,
    /// Which parts to compare that are left out by default.
    pub extras: Extras,
    /// The key of all digests.
    pub key: ValueKey,
    /// Maximum size of each set of temporary files, in bytes.
    pub spool_max: u64,
    /// Number of changes that both documents contain byte for byte, and that are not among the
    /// objects.
    pub alike: u64,
    /// Whether the earlier document is an approval. Its digests are bound to its objects, and it
    /// has none of JSON text.
    pub approved: bool,
}

/// Finds the differences of two documents, and sends them and the summary to a sink.
///
/// # Errors
///
/// Fails if a temporary file or the sink fails.
pub fn join(
    old: (Objects, &Facts),
    new: (Objects, &Facts),
    options: &JoinOptions,
    sink: &mut dyn Sink,
) -> Result<ComparisonSummary> {
    let mut join = Join {
        options,
        found: Sorter::new(options.spool_max, size_of_difference),
        unpaired: [0; 2].map(|_| Join::unpaired(options)),
        same: options.alike,
        left_out: LeftOut::default(),
        by_level: LevelCounts::default(),
        differing: DirectionCounts::default(),
    };
    join.facts(&old.1.plan, &new.1.plan)?;
    join.by_address(old.0.sorter.sorted()?, new.0.sorter.sorted()?)?;
    join.by_previous_address()?;
    let Join { found, same, left_out, by_level, differing, .. } = join;
    for difference in found.sorted()? {
        sink.record(&Record::ObjectDifference(difference?.0))?;
    }
    let summary = ComparisonSummary {
        agrees: agreement(&by_level).map(|level| level.min(options.level_max)),
        verdict: verdict(&differing),
        same,
        differing,
        by_level,
        left_out,
        hidden: old.1.hidden() + new.1.hidden(),
        new_is_older: is_older(&new.1.plan, &old.1.plan),
    };
    sink.record(&Record::ComparisonSummary(summary))?;
    Ok(summary)
}

/// Whether a plan was made before another one. The tools write times in UTC, in one form.
fn is_older(plan: &PlanFacts, other: &PlanFacts) -> bool {
    match (&plan.timestamp, &other.timestamp) {
        (Some(time), Some(other)) if time.len() == other.len() => time < other,
        _ => false,
    }
}

/// The strongest level at which no object differs.
fn agreement(counts: &LevelCounts) -> Option<CompareLevel> {
    let LevelCounts { actions, paths, values, all } = *counts;
    let counts = [actions, paths, values, all];
    let agreeing = counts.iter().take_while(|count| **count == 0).count();
    agreeing.checked_sub(1).map(|index| CompareLevel::ALL[index])
}

fn verdict(counts: &DirectionCounts) -> Option<Direction> {
    let DirectionCounts { more, less, resolved } = *counts;
    let counts = [more, less, resolved].into_iter().zip(Direction::ALL);
    counts.into_iter().find(|(count, _)| *count > 0).map(|(_, direction)| direction)
}

/// The items of two sorted lists that have the same place in the order.
enum Sides<T> {
    Old(T),
    New(T),
    Both(T, T),
}

/// Calls `each` with the items of two sorted lists, in order.
fn merge<T: Sortable>(
    mut old: Sorted<T>,
    mut new: Sorted<T>,
    mut each: impl FnMut(Sides<T>) -> Result<()>,
) -> Result<()> {
    let (mut before, mut after) = (old.next().transpose()?, new.next().transpose()?);
    loop {
        let order = match (&before, &after) {
            (Some(one), Some(other)) => one.pairing(other),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Ok(()),
        };
        let one = if order.is_le() { before.take() } else { None };
        let other = if order.is_ge() { after.take() } else { None };
        if one.is_some() {
            before = old.next().transpose()?;
        }
        if other.is_some() {
            after = new.next().transpose()?;
        }
        match (one, other) {
            (Some(one), Some(other)) => each(Sides::Both(one, other))?,
            (Some(one), None) => each(Sides::Old(one))?,
            (None, Some(other)) => each(Sides::New(other))?,
            (None, None) => return Ok(()),
        }
    }
}

/// Estimates the memory of a difference, in bytes.
fn size_of_difference(difference: &SortedDifference) -> usize {
    // Each text is named, so that a new one is not forgotten.
    let ObjectDifference {
        object: _,
        address,
        deposed,
        trigger,
        old_address,
        type_name,
        found_in: _,
        level: _,
        direction: _,
        old_action,
        new_action,
        differences,
    } = &difference.0;
    let texts = [deposed, trigger, old_address, type_name, old_action, new_action];
    let singles = differences.iter().flat_map(|single| {
        let AspectDifference { aspect: _, level: _, direction: _, path, old, new } = single;
        [path, old, new]
    });
    let texts = texts.into_iter().chain(singles).flatten().map(|text| text.len());
    let lists = size_of_val(&**differences);
    size_of_val(difference) + address.len() + lists + texts.sum::<usize>()
}

struct Join<'j> {
    options: &'j JoinOptions,
    found: Sorter<SortedDifference>,
    /// The objects of the earlier and of the later document without a partner.
    unpaired: [Sorter<Unpaired>; 2],
    same: u64,
    left_out: LeftOut,
    by_level: LevelCounts,
    differing: DirectionCounts,
}

impl Join<'_> {
    /// Compares the facts about the plans that have no effect.
    fn facts(&mut self, old: &PlanFacts, new: &PlanFacts) -> Result<()> {
        let Extras { timestamp, versions, applyable, .. } = self.options.extras;
        let text = |flag: Option<bool>| flag.map(|flag| flag.to_string());
        let plan = |fact: &str, sides: [Option<String>; 2]| {
            let [old, new] = sides;
            let word = |side: Option<String>| side.unwrap_or_else(|| "none".to_owned());
            (Planned::new(ObjectKind::Plan, fact, &word(old)), word(new))
        };
        let facts = [
            ("timestamp", timestamp, [old.timestamp.clone(), new.timestamp.clone()]),
            (
                "format_version",
                versions,
                [&old.format_version, &new.format_version].map(Clone::clone),
            ),
            (
                "terraform_version",
                versions,
                [&old.terraform_version, &new.terraform_version].map(Clone::clone),
            ),
            ("applyable", applyable, [text(old.applyable), text(new.applyable)]),
        ];
        for (fact, is_asked, sides) in facts {
            // A document without the fact, such as a plan of an old version, says nothing about it.
            let [Some(_), Some(_)] = &sides else { continue };
            if sides[0] == sides[1] {
                continue;
            }
            if is_asked {
                let (old, new) = plan(fact, sides);
                let new = Planned { action: new, ..old.clone() };
                if let Some(mut found) = compare(&old, &new, &self.options.key) {
                    found.level = CompareLevel::All;
                    found.differences.iter_mut().for_each(|it| it.level = CompareLevel::All);
                    self.add(found)?;
                }
                continue;
            }
            match fact {
                "timestamp" => self.left_out.timestamp = 1,
                "applyable" => self.left_out.applyable = 1,
                _ => self.left_out.versions = 1,
            }
        }
        Ok(())
    }

    /// Compares the objects with equal addresses. Keeps the others.
    fn by_address(&mut self, old: Sorted<Planned>, new: Sorted<Planned>) -> Result<()> {
        merge(old, new, |sides| match sides {
            Sides::Both(old, new) => self.pair(&old, &new),
            Sides::Old(old) => self.unpaired[0].push(Unpaired(old)),
            Sides::New(new) => self.unpaired[1].push(Unpaired(new)),
        })
    }

    /// Compares the objects with equal previous addresses. All others are in one document only.
    fn by_previous_address(&mut self) -> Result<()> {
        let empty = [0; 2].map(|_| Join::unpaired(self.options));
        let [old, new] = std::mem::replace(&mut self.unpaired, empty);
        merge(old.sorted()?, new.sorted()?, |sides| match sides {
            Sides::Both(old, new) => self.pair(&old.0, &new.0),
            Sides::Old(old) => self.alone(&old.0, FoundIn::Old),
            Sides::New(new) => self.alone(&new.0, FoundIn::New),
        })
    }

    fn unpaired(options: &JoinOptions) -> Sorter<Unpaired> {
        Sorter::new(options.spool_max, |it| it.0.size())
    }

    fn pair(&mut self, old: &Planned, new: &Planned) -> Result<()> {
        let key = &self.options.key;
        let difference = match self.options.approved {
            true => compare(old, &new.clone().bound(&old.key().binding(key)), key),
            false => compare(old, new, key),
        };
        if let Some(difference) = difference {
            return self.add(difference);
        }
        let is_relevant = new.object == ObjectKind::RelevantAttribute;
        if is_relevant && !self.options.extras.relevant_attributes {
            return Ok(());
        }
        self.same += 1;
        if !self.options.approved && old.text != new.text {
            if self.options.extras.text {
                self.same -= 1;
                return self.add(of_text(new));
            }
            self.left_out.text += 1;
        }
        Ok(())
    }

    fn alone(&mut self, planned: &Planned, found_in: FoundIn) -> Result<()> {
        let is_relevant = planned.object == ObjectKind::RelevantAttribute;
        if is_relevant && !self.options.extras.relevant_attributes {
            self.left_out.relevant_attributes += 1;
            return Ok(());
        }
        self.add(alone(planned, found_in))
    }

    /// Counts a difference, and keeps it if the deciding level includes it.
    fn add(&mut self, mut difference: ObjectDifference<'static>) -> Result<()> {
        let level = self.options.level;
        // An approval without values does not know at which further levels the object differs.
        if difference.level > self.options.level_max {
            self.same += 1;
            return Ok(());
        }
        match difference.level {
            CompareLevel::Actions => self.by_level.actions += 1,
            CompareLevel::Paths => self.by_level.paths += 1,
            CompareLevel::Values => self.by_level.values += 1,
            CompareLevel::All => self.by_level.all += 1,
        }
        if difference.level > level {
            self.same += 1;
            return Ok(());
        }
        difference.differences.retain(|single| single.level <= level);
        let directions = difference.differences.iter().map(|single| single.direction);
        difference.direction = directions.max().unwrap_or(difference.direction);
        match difference.direction {
            Direction::More => self.differing.more += 1,
            Direction::Less => self.differing.less += 1,
            Direction::Resolved => self.differing.resolved += 1,
        }
        self.found.push(SortedDifference(difference))
    }
}

//! What the reports of comparisons say first, in words: the verdict, the levels, what was left out,
//! and a row for each workspace.
//!
//! The words are plain text. They contain no text of a plan, except for the names of inputs and
//! workspaces, and errors. Each format escapes these.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::patterns::Patterns;
use crate::phrase::counted;
use crate::short::{short, short_message};
use plansift_plan::record::patterns::UnmatchedPatterns;
use plansift_plan::record::{
    Aspect, AspectDifference, CompareLevel, ComparedDocument, ComparedPair, ComparisonSummary,
    Direction, DirectionCounts, FoundIn, Label, LeftOut, LevelCounts, ObjectDifference, Record,
};

/// Maximum number of workspaces with a row of their own. Further ones are only counted.
const ROWS_MAX: usize = 100_000;

/// A pair of documents, from its first record on.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub workspace: Option<String>,
    pub old: Document,
    pub new: Document,
    pub level: CompareLevel,
    /// The numbers of objects of states that were created, changed and destroyed.
    states: [u64; 3],
}

/// One of the two documents of a pair.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub source: String,
    pub kind: &'static str,
}

impl Pair {
    pub fn of(pair: &ComparedPair<'_>) -> Pair {
        let document = |it: &ComparedDocument<'_>| Document {
            source: short(it.source).into_owned(),
            kind: it.document,
        };
        Pair {
            workspace: pair.workspace.map(|name| short(name).into_owned()),
            old: document(&pair.old),
            new: document(&pair.new),
            level: pair.level,
            states: [0; 3],
        }
    }

    /// Returns the name of the pair among others.
    pub fn name(&self) -> &str {
        self.workspace.as_deref().unwrap_or(&self.new.source)
    }

    /// Returns both documents, each with its word.
    pub fn documents(&self) -> [(&'static str, &Document); 2] {
        [("OLD", &self.old), ("NEW", &self.new)]
    }

    fn is_of_states(&self) -> bool {
        self.new.kind == "state"
    }

    pub fn note(&mut self, object: &ObjectDifference<'_>) {
        self.states[match object.found_in {
            FoundIn::New => 0,
            FoundIn::Both => 1,
            FoundIn::Old => 2,
        }] += 1;
    }

    /// Returns the answer in a sentence.
    pub fn verdict(&self, summary: &ComparisonSummary) -> String {
        let ComparisonSummary { agrees, verdict, same, differing, by_level, hidden, .. } = summary;
        let DirectionCounts { more, less, resolved } = *differing;
        let objects = |count| counted(count, "object");
        match verdict {
            None if *same == 0 && *hidden > 0 => {
                format!("Nothing was compared: the filters hide {}.", counted(*hidden, "object"))
            }
            None if *same == 0 => {
                "There is nothing to compare: neither changes anything.".to_owned()
            }
            None => agreement(*agrees, by_level),
            Some(_) if self.is_of_states() => {
                let words = ["created", "changed", "destroyed"];
                let counts = self.states.into_iter().zip(words).filter(|(count, _)| *count > 0);
                let counts: Vec<String> =
                    counts.map(|(count, word)| format!("{count} {word}")).collect();
                format!("{}: {}.", differ(more + less + resolved), counts.join(", "))
            }
            Some(Direction::More) => {
                let others = [("Less", less), ("Resolved", resolved)];
                let others = others.into_iter().filter(|(_, count)| *count > 0);
                let others: String =
                    others.map(|(word, count)| format!(" {word}: {count}.")).collect();
                format!("NEW does more than OLD: {}.{others}", objects(more))
            }
            Some(Direction::Less) => {
                let resolved =
                    if resolved > 0 { format!(" Resolved: {resolved}.") } else { String::new() };
                format!("NEW does less than OLD: {}.{resolved}", objects(less))
            }
            Some(Direction::Resolved) => {
                format!("NEW does the same as OLD, and knows more: {}.", objects(resolved))
            }
        }
    }
}

/// Returns the sentence about documents that agree at the deciding level.
fn agreement(agrees: Option<CompareLevel>, by_level: &LevelCounts) -> String {
    let Some(level) = agrees else { return "The same.".to_owned() };
    let (next, count) = match level {
        CompareLevel::Actions => ("paths differ", by_level.paths),
        CompareLevel::Paths => ("values differ", by_level.values),
        CompareLevel::Values => ("sensitive places or texts differ", by_level.all),
        CompareLevel::All => return "The same at every level.".to_owned(),
    };
    if count == 0 {
        return format!("The same at level {}; OLD does not tell further levels.", level.name());
    }
    format!("The same at level {}; {next} in {}.", level.name(), counted(count, "object"))
}

/// The numbers of objects and differences that a report does not list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unlisted {
    same: u64,
    hidden: u64,
    left_out: LeftOut,
}

impl Unlisted {
    fn add(&mut self, summary: &ComparisonSummary) {
        let LeftOut { timestamp, versions, applyable, relevant_attributes, text } =
            &mut self.left_out;
        self.same += summary.same;
        self.hidden += summary.hidden;
        *timestamp += summary.left_out.timestamp;
        *versions += summary.left_out.versions;
        *applyable += summary.left_out.applyable;
        *relevant_attributes += summary.left_out.relevant_attributes;
        *text += summary.left_out.text;
    }

    /// Returns the numbers in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let Unlisted { same, hidden, left_out } = *self;
        let LeftOut { timestamp, versions, applyable, relevant_attributes, text } = left_out;
        let verb = if same == 1 { "is" } else { "are" };
        let parts = [
            (timestamp, "the time of planning".to_owned()),
            (versions, "the versions".to_owned()),
            (applyable, "whether the plan can be applied".to_owned()),
            (relevant_attributes, counted(relevant_attributes, "relevant attribute")),
            (text, format!("the text of {}", counted(text, "object"))),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words);
        let parts: Vec<String> = parts.collect();
        let left_out = parts.join(", ");
        let sentences = [
            (same > 0, format!("{} {verb} the same.", counted(same, "object"))),
            (
                !parts.is_empty(),
                format!("Left out, because it has no effect: {left_out} (see --with)."),
            ),
            (
                hidden > 0,
                format!("Hidden, as asked for: {} of OLD and NEW.", counted(hidden, "object")),
            ),
        ];
        sentences.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words).collect()
    }
}

impl From<&ComparisonSummary> for Unlisted {
    fn from(summary: &ComparisonSummary) -> Unlisted {
        let mut unlisted = Unlisted::default();
        unlisted.add(summary);
        unlisted
    }
}

/// Returns how many objects differ, in words.
fn differ(count: u64) -> String {
    format!("{} {}", counted(count, "object"), if count == 1 { "differs" } else { "differ" })
}

/// A step of the ladder of levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub level: CompareLevel,
    /// The number of objects that differ at this level.
    pub differing: u64,
    /// Whether the documents tell if they differ. An approval may end at a weaker level.
    is_known: bool,
    /// Whether this level decides.
    pub decides: bool,
}

impl Step {
    /// Whether the documents are the same at this level.
    pub fn agrees(self) -> bool {
        self.is_known && self.differing == 0
    }

    /// Returns the result at this level, in words.
    pub fn words(self) -> String {
        match self.differing {
            0 if !self.is_known => "not known".to_owned(),
            0 => "agrees".to_owned(),
            count => differ(count),
        }
    }
}

/// Returns the ladder of levels, the weakest first.
pub(super) fn ladder(decides: CompareLevel, summary: &ComparisonSummary) -> [Step; 4] {
    let ComparisonSummary { agrees, by_level, .. } = summary;
    let mut differing = 0;
    CompareLevel::ALL.map(|level| {
        differing += match level {
            CompareLevel::Actions => by_level.actions,
            CompareLevel::Paths => by_level.paths,
            CompareLevel::Values => by_level.values,
            CompareLevel::All => by_level.all,
        };
        let is_known = differing > 0 || Some(level) <= *agrees;
        Step { level, differing, is_known, decides: level == decides }
    })
}

/// The result of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Same,
    Differs(Direction),
    /// The pair could not be compared.
    Failed,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Same => "same",
            Verdict::Differs(direction) => direction.name(),
            Verdict::Failed => "not compared",
        }
    }
}

/// The result of a pair, as a row of the table of workspaces.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub name: String,
    pub verdict: Verdict,
    counts: DirectionCounts,
    agrees: Option<CompareLevel>,
}

impl Row {
    /// The headings of the columns after the name.
    pub const HEADINGS: [&'static str; 5] = ["verdict", "more", "less", "resolved", "agrees at"];

    /// Returns the number of objects with each direction, the most severe first.
    pub fn numbers(&self) -> [u64; 3] {
        let DirectionCounts { more, less, resolved } = self.counts;
        [more, less, resolved]
    }

    /// Returns the strongest level at which the documents agree.
    pub fn agrees(&self) -> &'static str {
        match (self.verdict, self.agrees) {
            (Verdict::Failed, _) => "",
            (_, None) => "no level",
            (_, Some(level)) => level.name(),
        }
    }
}

/// The results of all pairs.
#[derive(Debug, Default)]
pub(super) struct Overview {
    /// The pair whose records arrive.
    open: Option<Pair>,
    /// The last pair that was read completely, with its counts.
    pub last: Option<(Pair, ComparisonSummary)>,
    rows: Vec<Row>,
    /// What the report does not list of all pairs.
    pub unlisted: Unlisted,
    /// The numbers of pairs that are the same, resolved, less, more, and failed.
    verdicts: [u64; 5],
    /// The names of the pairs that failed, with their errors.
    pub failures: Vec<(String, String)>,
    /// Whether the pairs are workspaces of folders.
    has_workspaces: bool,
    /// The level that decides, which is that of all pairs.
    level: Option<CompareLevel>,
    /// Whether an object has differences that may be in one document only.
    has_singles: bool,
    /// The number of pairs whose later document is older.
    older: u64,
    patterns: Patterns,
}

impl Overview {
    /// Starts without a pair. The overview warns of patterns that match nothing.
    pub fn new(patterns: Option<Arc<UnmatchedPatterns>>) -> Overview {
        Overview { patterns: Patterns::of(patterns), ..Overview::default() }
    }

    pub fn begin(&mut self, pair: &ComparedPair<'_>) {
        self.has_workspaces |= pair.workspace.is_some();
        self.level = Some(pair.level);
        self.open = Some(Pair::of(pair));
    }

    pub fn note(&mut self, object: &ObjectDifference<'_>) {
        let has_side =
            |it: &AspectDifference<'_>| !matches!(it.aspect, Aspect::Action | Aspect::Value);
        self.has_singles |= object.differences.iter().any(has_side);
        if let Some(pair) = &mut self.open {
            pair.note(object);
        }
    }

    /// Returns the name of the pair whose records arrive, if there are several pairs.
    pub fn workspace(&self) -> Option<&str> {
        self.open.as_ref().and_then(|pair| pair.workspace.as_deref())
    }

    /// Ends a pair that was read completely. Returns it with its counts.
    pub fn end(&mut self, summary: &ComparisonSummary) -> Option<&(Pair, ComparisonSummary)> {
        let pair = self.open.take()?;
        self.patterns.note(&Record::ComparisonSummary(*summary));
        self.older += u64::from(summary.new_is_older);
        let verdict = summary.verdict.map_or(Verdict::Same, Verdict::Differs);
        let (name, counts) = (pair.name().to_owned(), summary.differing);
        self.add(Row { name, verdict, counts, agrees: summary.agrees });
        self.unlisted.add(summary);
        self.last = Some((pair, *summary));
        self.last.as_ref()
    }

    /// Ends a pair that failed.
    pub fn fail(&mut self, label: Label<'_>, error: &str) {
        self.open = None;
        self.has_workspaces |= label.workspace.is_some();
        let name = short(label.workspace.unwrap_or(label.source)).into_owned();
        if self.failures.len() < ROWS_MAX {
            // A pair has two documents.
            let source = label.workspace.map(|_| format!("{}: ", label.source)).unwrap_or_default();
            let error = format!("{source}{error}");
            self.failures.push((name.clone(), short_message(&error).into_owned()));
        }
        let (verdict, counts) = (Verdict::Failed, DirectionCounts::default());
        self.add(Row { name, verdict, counts, agrees: None });
    }

    fn add(&mut self, row: Row) {
        self.verdicts[match row.verdict {
            Verdict::Same => 0,
            Verdict::Differs(direction) => 1 + direction as usize,
            Verdict::Failed => 4,
        }] += 1;
        if self.rows.len() < ROWS_MAX {
            self.rows.push(row);
        }
    }

    /// Returns the number of pairs.
    pub fn count(&self) -> u64 {
        self.verdicts.iter().sum()
    }

    /// Returns the number of pairs that failed.
    pub fn failed(&self) -> u64 {
        self.verdicts[4]
    }

    /// Whether the report is about several pairs.
    pub fn is_of_several(&self) -> bool {
        self.has_workspaces || self.count() > 1
    }

    /// Returns the answer for all pairs, in a sentence.
    pub fn verdict(&self) -> String {
        let all = counted(self.count(), "workspace");
        let level = self.level.map(|level| format!(" at level {}", level.name()));
        let level = level.unwrap_or_default();
        let [same, resolved, less, more, failed] = self.verdicts;
        let verdicts = [
            (more, "more"),
            (less, "less"),
            (resolved, "resolved"),
            (same, "the same"),
            (failed, "not compared"),
        ];
        let verdicts = verdicts.into_iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = verdicts.map(|(count, word)| format!("{count} {word}")).collect();
        match words.is_empty() {
            true => "No workspaces.".to_owned(),
            false => format!("{all}{level}: {}.", words.join(", ")),
        }
    }

    /// Explains the symbols of single differences. `None` if there are none.
    pub fn legend(&self) -> Option<&'static str> {
        self.has_singles.then_some("Before a path, + means only in NEW, and - only in OLD.")
    }

    /// Returns the warnings about the plans and the filters. They contain arguments, and names from
    /// the plans.
    pub fn warnings(&self) -> Vec<String> {
        let older = match (self.older, self.is_of_several()) {
            (0, _) => None,
            (_, false) => Some("NEW was made before OLD: are they swapped?".to_owned()),
            (count, true) => {
                let workspaces = counted(count, "workspace");
                Some(format!("NEW was made before OLD in {workspaces}: are they swapped?"))
            }
        };
        let unmatched = self.patterns.unmatched().into_iter().map(|it| it.to_string());
        older.into_iter().chain(unmatched).collect()
    }

    /// Returns the warning about the pairs that failed. `None` if there are none.
    pub fn failure(&self) -> Option<String> {
        let failed = self.failed();
        (failed > 0).then(|| match self.is_of_several() {
            false => "The documents could not be compared.".to_owned(),
            true => format!("{} could not be compared.", counted(failed, "workspace")),
        })
    }

    /// Returns the rows of the pairs that differ or failed, the worst first, and the number of
    /// other pairs.
    pub fn rows(&self) -> (Vec<&Row>, u64) {
        let mut rows: Vec<&Row> =
            self.rows.iter().filter(|row| row.verdict != Verdict::Same).collect();
        rows.sort_by(|a, b| {
            let weight = |row: &Row| Reverse((row.verdict, row.numbers()));
            weight(a).cmp(&weight(b)).then_with(|| a.name.cmp(&b.name))
        });
        let others = self.count() - rows.len() as u64;
        (rows, others)
    }
}

/// Returns the sentence about the workspaces below a table. Empty if the table has all.
pub(super) fn others(overview: &Overview, unlisted: u64) -> String {
    let [same, ..] = overview.verdicts;
    let rest = unlisted.saturating_sub(same);
    match (same, rest) {
        (0, 0) => String::new(),
        (same, 0) => format!("… and {} without a difference.", counted(same, "workspace")),
        (0, rest) => format!("… and {}.", counted(rest, "more workspace")),
        (same, rest) => format!(
            "… and {}, and {} without a difference.",
            counted(rest, "more workspace"),
            counted(same, "workspace")
        ),
    }
}

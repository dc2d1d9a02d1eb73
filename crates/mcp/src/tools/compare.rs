//! `compare`: what a plan does that an earlier plan does not.

use plansift_compare::join::{Extras, JoinOptions, join};
use plansift_compare::meaning::ValueKey;
use plansift_core::error::{Error, Result as ReadResult};
use plansift_fleet::run::{KeptInput, NamedInput, ObjectReader, PairObjects, Reports};
use plansift_plan::plan::Accepts;
use plansift_plan::record::{
    AspectDifference, CompareLevel, ComparisonSummary, Direction, Label, ObjectDifference, Record,
    RecordOptions, Sink,
};
use plansift_report::filter::Noise;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{LeftOut, Refusal, Room, budget, is_zero, shortened};
use crate::context::{Context, NamedPlan};
use crate::reading::Messages;
use crate::texts::Texts;
use crate::tool::Tool;

/// The tool.
pub struct Compare;

/// The arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// The earlier plan, such as the approved one: its path from the root.
    old: String,
    /// The later plan: its path from the root.
    new: String,
    /// What decides: `actions`, `paths`, `values` or `all`. By default `values`.
    #[serde(default)]
    level: Level,
    /// Budget of the answer in bytes: 2000 to 200000, by default 8000.
    max_bytes: Option<u64>,
}

/// How much of two plans is compared.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Addresses and actions.
    Actions,
    /// Also paths and reasons.
    Paths,
    /// Also planned values.
    #[default]
    Values,
    /// Also which places are sensitive.
    All,
}

/// The differences of two plans.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `same`, or the most severe difference of the later plan: `more` does something new, `less`
    /// does less, `resolved` knows more.
    verdict: &'static str,
    /// The strongest level at which the plans agree. Absent if their actions differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    agrees: Option<&'static str>,
    /// Number of objects that do not differ.
    same: u64,
    /// Number of objects of which the later plan does more.
    more: u64,
    /// Number of objects of which the later plan does less.
    less: u64,
    /// Number of objects of which the later plan knows more.
    resolved: u64,
    /// Whether the later plan was made before the earlier one.
    #[serde(skip_serializing_if = "crate::answer::is_false")]
    new_is_older: bool,
    /// The objects that differ, the most severe first.
    differences: Vec<Row>,
    /// Objects that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// An object that differs.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// The kind of the object, such as `resource_change`.
    object: &'static str,
    /// The address, the name of an output, or a fact about the plan.
    address: String,
    /// The key of a deposed object.
    #[serde(skip_serializing_if = "Option::is_none")]
    deposed: Option<String>,
    /// The address in the earlier plan, if it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_address: Option<String>,
    /// `more`, `less` or `resolved`.
    direction: &'static str,
    /// The action in the earlier plan. Absent if it lacks the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_action: Option<String>,
    /// The action in the later plan. Absent if it lacks the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_action: Option<String>,
    /// The first single differences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differences: Vec<AspectRow>,
    /// Number of further differences.
    #[serde(skip_serializing_if = "is_zero")]
    more_differences: u64,
}

/// One difference of an object.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AspectRow {
    /// What differs: action, move, import, reason, path, cause, value, sensitive or text.
    aspect: String,
    /// The path.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// What the earlier plan has: a word, or a value as JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<String>,
    /// What the later plan has.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<String>,
}

/// Maximum number of differences of an object.
const ASPECTS: usize = 8;
/// Says how to ask for the rest.
const ASK: &str = "a larger max_bytes, or a weaker level; `change` has the values of one change";
const NOT_READ: &str = "check that both files are complete plans, or both are states";

impl Tool for Compare {
    const NAME: &'static str = "compare";
    const DESCRIPTION: &'static str =
        "What a plan does that an earlier plan does not, and the reverse.";
    type Parameters = Parameters;
    type Answer = Answer;

    fn answer(context: &Context<'_>, parameters: Parameters) -> Result<Answer, Refusal> {
        let max = budget(parameters.max_bytes)?;
        let plans = [context.plan(&parameters.old)?, context.plan(&parameters.new)?];
        let level = match parameters.level {
            Level::Actions => CompareLevel::Actions,
            Level::Paths => CompareLevel::Paths,
            Level::Values => CompareLevel::Values,
            Level::All => CompareLevel::All,
        };
        let mut failure = Failure(None);
        let compared = compare(context, &plans, level, max, &mut failure);
        match (compared, failure.0) {
            (_, Some(error)) => Err(Refusal::new(error, NOT_READ)),
            (Err(error), None) => Err(Refusal::new(error.to_string(), NOT_READ)),
            (Ok(None), None) => Err(Refusal::new("one is a plan and one is a state", NOT_READ)),
            (Ok(Some(answer)), None) => Ok(answer),
        }
    }
}

/// Compares two plans. Returns `None` if only one of them is a plan.
fn compare(
    context: &Context<'_>,
    plans: &[NamedPlan; 2],
    level: CompareLevel,
    max: u64,
    failure: &mut Failure,
) -> ReadResult<Option<Answer>> {
    let opening = context.opening();
    let options = RecordOptions { relevant: true, accepts: Accepts::States, ..context.options() };
    let secrets = context.secrets();
    let key = ValueKey::random()?;
    let spool_max = options.read.limits.spool;
    let reader = ObjectReader {
        options,
        noise: Noise::default(),
        ignores_moves: false,
        key: key.clone(),
        secrets: Some(secrets.clone()),
    };
    let named = |index: usize| -> ReadResult<NamedInput<'_>> {
        let kept = KeptInput::new(&plans[index].entry, &opening)?;
        Ok(NamedInput { kept, label: Label::from(plans[index].name.as_str()) })
    };
    let (old, new) = (named(0)?, named(1)?);
    let mut messages = Messages::default();
    let reports = &mut Reports { events: &mut messages, sink: failure };
    let Some(pair) = reader.pair(&old, &new, reports)? else { return Ok(None) };
    let PairObjects { old, new, alike, secrets: collected } = pair;
    if old.facts.is_state != new.facts.is_state {
        return Ok(None);
    }
    let collected = collected.map(Vec::from).unwrap_or_default();
    let texts = Texts::new(&collected, &secrets);
    let join_options = JoinOptions {
        level,
        level_max: CompareLevel::All,
        extras: Extras {
            timestamp: false,
            versions: false,
            applyable: false,
            relevant_attributes: false,
            text: false,
        },
        key,
        spool_max,
        alike,
        approved: false,
    };
    let mut differences = Differences { texts: &texts, rows: Default::default(), max };
    let (old, new) = ((old.objects, &old.facts), (new.objects, &new.facts));
    let summary = join(old, new, &join_options, &mut differences)?;
    Ok(Some(differences.answer(&summary, max)))
}

/// Keeps the first error.
struct Failure(Option<String>);

impl Sink for Failure {
    fn record(&mut self, _: &Record<'_>) -> ReadResult<()> {
        Ok(())
    }

    fn failed(&mut self, _: Label<'_>, error: &Error) -> ReadResult<()> {
        self.0.get_or_insert_with(|| error.to_string());
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}

/// Keeps the rows of each direction, as long as they may fit.
struct Differences<'d> {
    texts: &'d Texts<'d>,
    rows: [(Vec<Row>, usize); Direction::ALL.len()],
    max: u64,
}

impl Differences<'_> {
    fn answer(self, summary: &ComparisonSummary, max: u64) -> Answer {
        let mut answer = Answer {
            verdict: summary.verdict.map_or("same", Direction::name),
            agrees: summary.agrees.map(CompareLevel::name),
            same: summary.same,
            more: summary.differing.more,
            less: summary.differing.less,
            resolved: summary.differing.resolved,
            new_is_older: summary.new_is_older,
            differences: Vec::new(),
            left_out: LeftOut::most(ASK),
        };
        let mut room = Room::new(max, &answer);
        let total = answer.more + answer.less + answer.resolved;
        let rows = self.rows.into_iter().flat_map(|(rows, _)| rows);
        answer.differences = rows.take_while(|row| room.take(row)).collect();
        let rest = total.saturating_sub(answer.differences.len() as u64);
        answer.left_out = LeftOut::of(rest, ASK);
        answer
    }
}

impl Sink for Differences<'_> {
    fn record(&mut self, record: &Record<'_>) -> ReadResult<()> {
        let Record::ObjectDifference(difference) = record else { return Ok(()) };
        let place = Direction::ALL.iter().position(|it| *it == difference.direction);
        let (rows, size) = &mut self.rows[place.unwrap_or_default()];
        let max = usize::try_from(self.max).unwrap_or(usize::MAX);
        if *size <= max {
            let row = Row::of(difference, self.texts, max / 2);
            *size += crate::answer::size(&row);
            rows.push(row);
        }
        Ok(())
    }

    fn finish(&mut self) -> ReadResult<()> {
        Ok(())
    }
}

impl Row {
    /// Returns the row of an object, with at most `max` bytes.
    fn of(difference: &ObjectDifference<'_>, texts: &Texts<'_>, max: usize) -> Row {
        // An escape takes up to twice the bytes of its character.
        let name_max = crate::answer::NAME_MAX.min(max / 12);
        let text = |text: &str| shortened(&texts.show(text), name_max);
        let mut row = Row {
            object: difference.object.name(),
            address: text(&difference.address),
            deposed: difference.deposed.as_deref().map(text),
            old_address: difference.old_address.as_deref().map(text),
            direction: difference.direction.name(),
            old_action: difference.old_action.as_deref().map(text),
            new_action: difference.new_action.as_deref().map(text),
            differences: Vec::new(),
            more_differences: u64::MAX,
        };
        let mut room = Room::new(max as u64, &row);
        let aspects = difference.differences.iter().take(ASPECTS).map(|it| aspect(it, text));
        row.differences = aspects.take_while(|row| room.take(row)).collect();
        row.more_differences = (difference.differences.len() - row.differences.len()) as u64;
        row
    }
}

fn aspect(difference: &AspectDifference<'_>, text: impl Fn(&str) -> String) -> AspectRow {
    let AspectDifference { aspect, path, old, new, .. } = difference;
    AspectRow {
        aspect: serde_json::to_value(aspect)
            .ok()
            .and_then(|it| it.as_str().map(str::to_owned))
            .unwrap_or_default(),
        path: path.as_deref().map(&text),
        old: old.as_deref().map(&text),
        new: new.as_deref().map(&text),
    }
}

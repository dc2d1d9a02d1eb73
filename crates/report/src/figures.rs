//! Totals of all plans as named numbers, for the next steps of a pipeline. The totals contain no
//! text from a plan.

use super::fleet::{Column, PlanCounts, Totals};
use super::gate::{CountedRules, Rule};
use plansift_plan::record::InputTotals;
use plansift_plan::record::Record;

/// The counts so far.
pub(super) struct Figures {
    pub counted_rules: CountedRules,
    totals: Totals,
    /// The counts of the current plan.
    plan: PlanCounts,
    /// Whether a record of the current plan so far is a change.
    plan_changes: bool,
    /// Whether any finished plan changes anything.
    has_changes: bool,
    /// The numbers of broken rules with severity error, then warning.
    broken_rules: [u64; 2],
}

impl Figures {
    /// Returns counts of zero. Each plan is checked against `rules`.
    pub fn new(rules: &[Rule]) -> Figures {
        Figures {
            counted_rules: CountedRules::new(rules),
            totals: Totals::default(),
            plan: PlanCounts::default(),
            plan_changes: false,
            has_changes: false,
            broken_rules: [0; 2],
        }
    }

    pub fn note(&mut self, record: &Record<'_>) {
        self.counted_rules.note(record);
        match record {
            Record::Plan(_) => {
                self.plan.count(record);
                self.plan_changes = false;
            }
            Record::ResourceChange(change) => self.plan_changes |= !change.is_settled(),
            Record::ActionInvocation(_) => {
                self.plan.count(record);
                self.plan_changes = true;
            }
            Record::Summary(summary) => {
                self.has_changes |= self.plan_changes || summary.has_more();
                self.totals.add("", std::mem::take(&mut self.plan), summary);
                for answer in self.counted_rules.broken() {
                    self.broken_rules[usize::from(!answer.fails())] += 1;
                }
            }
            _ => {}
        }
    }

    /// Counts a plan that could not be read.
    pub fn fail(&mut self) {
        self.totals.inputs.failed += 1;
    }

    /// Returns the name and value of each figure. A value is a number, `true`, `false`, or empty if
    /// unknown.
    pub fn list(&self) -> impl Iterator<Item = (&'static str, String)> {
        let Totals {
            inputs: InputTotals { plans, failed, errored, incomplete, unlisted, .. }, ..
        } = &self.totals;
        let Totals { line, counts, inputs: InputTotals { deferred, .. }, invocations, .. } =
            &self.totals;
        // A plan that could not be read, or that has no list of changes, may change anything. So a
        // count of zero is reported as unknown.
        let is_known = |number: u64| number > 0 || failed + unlisted == 0;
        let known = |number, figure| if is_known(number) { figure } else { String::new() };
        let whether = |number: u64| known(number, (number > 0).to_string());
        let count = |number: u64| known(number, number.to_string());
        let [broken_rules, broken_warnings] = self.broken_rules.map(count);
        [
            ("broken-rules", broken_rules),
            ("broken-warnings", broken_warnings),
            ("failed-checks", count(counts[Column::Checks])),
            ("has-changes", (self.has_changes || *failed > 0).to_string()),
            ("has-destroy", whether(line.destroy)),
            ("has-replace", whether(counts[Column::Replace])),
            ("has-drift", whether(counts[Column::Drift])),
            ("has-moves", whether(counts[Column::Move])),
            ("has-imports", whether(line.import)),
            ("add", count(line.add)),
            ("change", count(line.change)),
            ("destroy", count(line.destroy)),
            ("replace", count(counts[Column::Replace])),
            ("import", count(line.import)),
            ("forget", count(line.forget)),
            ("drift", count(counts[Column::Drift])),
            ("deferred", count(*deferred)),
            ("actions", count(*invocations)),
            ("plans", plans.to_string()),
            ("failed-plans", failed.to_string()),
            ("errored-plans", count(*errored)),
            ("incomplete-plans", count(*incomplete)),
        ]
        .into_iter()
    }
}

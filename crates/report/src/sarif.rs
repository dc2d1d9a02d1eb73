//! Writes SARIF 2.1.0: results for code scanning.
//!
//! Each rule that a plan breaks, each check that does not pass and each annotated change is a
//! result. Its logical locations are resource addresses. Its physical location is the block in a
//! source file, or the plan, which has no line numbers because it is a single line. A plan that
//! cannot be read, a plan that is not complete, and a pattern that matches nothing in any plan are
//! notifications.

use std::io::Write;

use super::annotate::{Annotated, Class, Remark};
use super::gate::{CountedRules, Rule};
use super::origin::{Location, SharedOrigins, first_location};
use super::patterns::Patterns;
use super::phrase::{Warning, check_sentence};
use super::report::ReportOptions;
use super::short::short;
use super::source_link::encoded;
use super::{Sink, write_error};
use plansift_core::error::{Error, Result};
use plansift_core::inert::{self, lines, visible};
use plansift_core::json::string::quoted;
use plansift_plan::record::{Check, Label, Record, ResourceChange};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The rule ID for checks that did not pass.
const CHECK: &str = "plan-check";

/// Maximum number of plans with their own notification. The rest are only counted.
const NOTIFIED_MAX: usize = 1000;

/// Writes one run.
pub struct Sarif<W: Write> {
    out: inert::Json<W>,
    rules: Vec<Rule>,
    counted_rules: CountedRules,
    patterns: Patterns,
    source: String,
    notifications: Notifications,
    /// Whether a plan could not be read, its planning failed, or it has no list of changes.
    has_failed: bool,
    results: u64,
    has_begun: bool,
    origins: SharedOrigins,
    annotated: Annotated,
}

struct Notifications {
    /// The notifications to write, as JSON.
    listed: Vec<String>,
    more: u64,
}

/// Returns the text before the results of a run with these rules, as JSON.
pub(super) fn head(rules: &[String]) -> String {
    let (version, rules) = (env!("CARGO_PKG_VERSION"), rules.join(","));
    let driver = format!(r#"{{"name":"plansift","version":"{version}","rules":[{rules}]}}"#);
    format!(
        "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\
         \"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"results\":["
    )
}

/// Returns the text after the results of a run, as JSON.
pub(super) fn tail(is_success: bool, notifications: &[String]) -> String {
    let notifications = notifications.join(",");
    format!(
        "],\"invocations\":[{{\"executionSuccessful\":{is_success},\
         \"toolExecutionNotifications\":[{notifications}]}}]}}]}}\n"
    )
}

pub(super) fn rule(id: &str, level: &str, description: &str) -> String {
    let (id, text) = (quoted(id), quoted(description));
    format!(
        "{{\"id\":{id},\"shortDescription\":{{\"text\":{text}}},\
         \"defaultConfiguration\":{{\"level\":\"{level}\"}}}}"
    )
}

/// A rule of a run.
#[derive(Clone, Copy)]
pub(super) struct RuleRef<'a> {
    /// The index in the run's list of rules.
    pub index: usize,
    pub id: &'a str,
}

/// Returns a result of a rule, as JSON.
pub(super) fn result(
    RuleRef { index, id }: RuleRef<'_>,
    level: &str,
    text: &str,
    location: &str,
) -> String {
    let (id, text) = (quoted(id), quoted(text));
    format!(
        "{{\"ruleId\":{id},\"ruleIndex\":{index},\"level\":\"{level}\",\
         \"message\":{{\"text\":{text}}},\"locations\":[{location}]}}"
    )
}

/// Returns a location as JSON: a block of a source file, or else the input. `names` are resources.
pub(super) fn location(source: &str, block: Option<Location>, names: &[String]) -> String {
    match block {
        Some(Location { file, line, end_line, .. }) => {
            let region = format!(r#","region":{{"startLine":{line},"endLine":{end_line}}}"#);
            location_of(&file, &region, names)
        }
        None => location_of(source, "", names),
    }
}

/// Returns a location in a file as JSON. `region` is the member `region` after a comma, or empty.
pub(super) fn location_of(file: &str, region: &str, names: &[String]) -> String {
    let uri = encoded(file);
    let logical = |name: &String| {
        format!(r#"{{"fullyQualifiedName":{},"kind":"resource"}}"#, quoted(&visible(name)))
    };
    let logical = names.iter().map(logical).collect::<Vec<_>>().join(",");
    let logical = match names {
        [] => logical,
        _ => format!(r#","logicalLocations":[{logical}]"#),
    };
    format!(r#"{{"physicalLocation":{{"artifactLocation":{{"uri":"{uri}"}}{region}}}{logical}}}"#)
}

/// Returns a notification as JSON, about an input or about the run.
pub(super) fn notification(level: &str, text: &str, source: Option<&str>) -> String {
    let locations =
        source.map(|source| format!(r#","locations":[{}]"#, location(source, None, &[])));
    let (text, locations) = (quoted(text), locations.unwrap_or_default());
    format!(r#"{{"level":"{level}","message":{{"text":{text}}}{locations}}}"#)
}

impl<W: Write> Sarif<W> {
    /// Writes the broken rules, the checks that did not pass, and the annotated changes to `out`.
    pub fn new(out: W, options: &ReportOptions<'_>) -> Sarif<W> {
        Sarif {
            out: inert::Json::new(out),
            rules: options.rules.to_vec(),
            counted_rules: CountedRules::new(options.rules),
            patterns: Patterns::of(options.patterns.clone()),
            source: String::new(),
            notifications: Notifications { listed: Vec::new(), more: 0 },
            has_failed: false,
            results: 0,
            has_begun: false,
            origins: options.origins.clone(),
            annotated: options.annotated,
        }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        let described = |it: &Rule| {
            let text = visible(it.text());
            let description = match (it.message(), it.assertion()) {
                (Some(message), _) => lines(message),
                (None, Some(_)) => text,
                (None, None) => format!("No plan breaks the rule {text}"),
            };
            rule(&visible(it.id()), it.severity().word(), &description)
        };
        let mut rules: Vec<String> = self.rules.iter().map(described).collect();
        rules.push(rule(CHECK, "error", "The checks of a plan pass"));
        if self.annotated != Annotated::None {
            rules.extend(Class::ALL.map(|class| rule(class.rule(), "note", class.description())));
        }
        self.write(&head(&rules))
    }

    /// Writes a result of the rule with this index. The index after the last rule is for checks.
    fn result(&mut self, rule: usize, level: &str, text: &str, names: &[String]) -> Result<()> {
        let id = self.rules.get(rule).map_or(CHECK.to_owned(), |rule| visible(rule.id()));
        let block = first_location(&self.origins, names);
        self.result_at(block, RuleRef { index: rule, id: &id }, level, text, names)
    }

    /// Writes the remark on a change, if there is one. The SARIF rules for changes come last.
    fn change(&mut self, change: &ResourceChange<'_>) -> Result<()> {
        let Some(remark) = self.annotated.remark(&self.origins, change) else { return Ok(()) };
        let Remark { class, location, name, words } = remark;
        let rule = RuleRef { index: self.rules.len() + 1 + class as usize, id: class.rule() };
        let text = format!("{} {words}", visible(&name));
        self.result_at(location, rule, "note", &text, &[name])
    }

    fn result_at(
        &mut self,
        block: Option<Location>,
        rule: RuleRef<'_>,
        level: &str,
        text: &str,
        names: &[String],
    ) -> Result<()> {
        self.begin()?;
        let location = location(&self.source, block, names);
        let comma = if self.results == 0 { "" } else { "," };
        self.results += 1;
        let result = result(rule, level, text, &location);
        self.write(&format!("{comma}\n{result}"))
    }

    /// Records a problem of a plan. A problem of the level `error` makes the run unsuccessful.
    fn notify(&mut self, level: &str, source: &str, problem: &str) {
        self.has_failed |= level == "error";
        if self.notifications.listed.len() == NOTIFIED_MAX {
            self.notifications.more += 1;
            return;
        }
        let text = visible(&format!("{source}: {problem}"));
        self.notifications.listed.push(notification(level, &text, Some(source)));
    }

    fn check(&mut self, check: &Check<'_>) -> Result<()> {
        let level = match &*check.status {
            "pass" => return Ok(()),
            "fail" | "error" => "error",
            _ => "note",
        };
        let names = [short(&check.address).into_owned()];
        self.result(self.rules.len(), level, &check_sentence(check), &names)
    }
}

impl<W: Write> Sink for Sarif<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        self.patterns.note(record);
        match record {
            Record::Plan(plan) => plan.source.clone_into(&mut self.source),
            Record::Check(check) => self.check(check)?,
            Record::ResourceChange(change) => self.change(change)?,
            Record::Summary(summary) => {
                let broken = self.counted_rules.answers().enumerate();
                let broken = broken.filter(|(_, answer)| answer.is_broken());
                let broken = broken.map(|(index, answer)| {
                    let level = answer.rule.severity().word();
                    (index, level, answer.sentence(), answer.first.to_vec())
                });
                for (index, level, text, names) in broken.collect::<Vec<_>>() {
                    self.result(index, level, &text, &names)?;
                }
                let source = std::mem::take(&mut self.source);
                for warning in Warning::of(summary) {
                    let level = if warning.is_error() { "error" } else { "warning" };
                    self.notify(level, &source, &warning.finding());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn failed(&mut self, label: Label<'_>, error: &Error) -> Result<()> {
        self.notify("error", label.source, &error.to_string());
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.begin()?;
        let mut notifications = std::mem::take(&mut self.notifications.listed);
        if self.notifications.more > 0 {
            let text = format!("{} more problems of plans", self.notifications.more);
            let level = if self.has_failed { "error" } else { "warning" };
            notifications.push(notification(level, &text, None));
        }
        for pattern in self.patterns.unmatched() {
            let level = if pattern.fails { "error" } else { "warning" };
            let text = visible(&pattern.sentence(str::to_owned));
            notifications.push(notification(level, &text, None));
        }
        self.write(&tail(!self.has_failed, &notifications))?;
        self.out.flush().map_err(write_error)
    }
}

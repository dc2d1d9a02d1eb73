//! Writes SARIF 2.1.0: results for code scanning.
//!
//! Each rule that a plan breaks, each check that does not pass and each annotated change is a
//! result. Its logical
//! locations are resource addresses. Its physical location is the block in a source file, or the
//! plan, which has no line numbers because it is a single line. A plan that cannot be read, a plan
//! that is not complete, and a pattern that matches nothing in any plan are notifications.

use std::io::Write;

use serde::Serialize;

use super::annotate::{Annotated, Class, Remark};
use super::gate::{CountedRules, Rule};
use super::origin::{self, SharedOrigins, first_location};
use super::phrase::{Of, Warning};
use super::short::{messages, short};
use super::source_link::encoded;
use super::{Sink, write_error};
use crate::error::{Error, Result};
use crate::inert::{self, visible};
use crate::record::watch::Watch;
use crate::record::{Check, Label, Record, ResourceChange};

/// The URL of the schema.
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
    watch: Option<&'static Watch>,
    /// Whether any plan was read to its end.
    has_read: bool,
    source: String,
    /// Notifications about plans.
    notifications: Vec<Notification>,
    /// Number of further notifications.
    notifications_more: u64,
    /// Whether a plan could not be read, or does not say what it changes.
    has_failed: bool,
    results: u64,
    has_begun: bool,
    origins: SharedOrigins,
    annotated: Annotated,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
struct Tool<'t> {
    driver: Driver<'t>,
}

#[derive(Serialize)]
struct Driver<'t> {
    name: &'t str,
    version: &'t str,
    rules: Vec<ReportingDescriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportingDescriptor {
    id: String,
    short_description: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule_id: String,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    end_line: u32,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
    kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<Location>,
}

impl Location {
    fn of(source: &str, names: &[String]) -> Location {
        let logical = |name: &String| LogicalLocation {
            fully_qualified_name: visible(name),
            kind: "resource",
        };
        let artifact_location = ArtifactLocation { uri: encoded(source) };
        Location {
            physical_location: PhysicalLocation { artifact_location, region: None },
            logical_locations: names.iter().map(logical).collect(),
        }
    }

    /// Moves the location to a block of a source file.
    fn at(mut self, block: origin::Location) -> Location {
        let artifact_location = ArtifactLocation { uri: encoded(&block.file) };
        let region = Some(Region { start_line: block.line, end_line: block.end_line });
        self.physical_location = PhysicalLocation { artifact_location, region };
        self
    }
}

impl<W: Write> Sarif<W> {
    /// Writes to `out` which of `rules` the plans break.
    pub fn new(out: W, rules: &[Rule]) -> Sarif<W> {
        Sarif {
            out: inert::Json::new(out),
            rules: rules.to_vec(),
            counted_rules: CountedRules::new(rules),
            watch: None,
            has_read: false,
            source: String::new(),
            notifications: Vec::new(),
            notifications_more: 0,
            has_failed: false,
            results: 0,
            has_begun: false,
            origins: None,
            annotated: Annotated::default(),
        }
    }

    /// Writes a result for each of these changes.
    pub fn with_annotated(self, annotated: Annotated) -> Sarif<W> {
        Sarif { annotated, ..self }
    }

    /// Places results at the lines of the source files.
    pub fn with_origins(self, origins: SharedOrigins) -> Sarif<W> {
        Sarif { origins, ..self }
    }

    /// Also reports the patterns of `watch` that match nothing.
    pub fn with_watch(self, watch: Option<&'static Watch>) -> Sarif<W> {
        Sarif { watch, ..self }
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(write_error)
    }

    fn json(&mut self, value: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.out, value).map_err(write_error)
    }

    fn begin(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.has_begun, true) {
            return Ok(());
        }
        let described = |id: String, level, text| {
            let default_configuration = Configuration { level };
            ReportingDescriptor { id, short_description: Message { text }, default_configuration }
        };
        let mut rules: Vec<ReportingDescriptor> = Vec::new();
        rules.extend(self.rules.iter().map(|rule| {
            let text = visible(rule.text());
            let description = match (rule.message(), rule.assertion()) {
                (Some(message), _) => visible(message),
                (None, Some(_)) => text,
                (None, None) => format!("No plan breaks the rule {text}"),
            };
            described(visible(rule.id()), rule.severity().word(), description)
        }));
        rules.push(described(CHECK.to_owned(), "error", "The checks of a plan pass".to_owned()));
        if self.annotated != Annotated::None {
            let described = |class: Class| {
                described(class.rule().to_owned(), "note", class.description().to_owned())
            };
            rules.extend(Class::ALL.map(described));
        }
        let version = env!("CARGO_PKG_VERSION");
        let tool = Tool { driver: Driver { name: "plansift", version, rules } };
        self.write(&format!(r#"{{"$schema":"{SCHEMA}","version":"2.1.0","runs":[{{"tool":"#))?;
        self.json(&tool)?;
        self.write(r#","results":["#)
    }

    /// Writes a result of the rule with this index. The index after the last rule stands for
    /// checks.
    fn result(
        &mut self,
        rule: usize,
        level: &'static str,
        text: String,
        names: &[String],
    ) -> Result<()> {
        let id = self.rules.get(rule).map_or(CHECK.to_owned(), |rule| visible(rule.id()));
        let block = first_location(&self.origins, names);
        self.result_at(block, (rule, id), level, text, names)
    }

    /// Writes the remark on a change, if it has one. The rules of changes come after all others.
    fn change(&mut self, change: &ResourceChange<'_>) -> Result<()> {
        let Some(remark) = self.annotated.remark(&self.origins, change) else { return Ok(()) };
        let Remark { class, location, name, words } = remark;
        let rule = (self.rules.len() + 1 + class as usize, class.rule().to_owned());
        let text = format!("{} {words}", visible(&name));
        self.result_at(location, rule, "note", text, &[name])
    }

    fn result_at(
        &mut self,
        block: Option<origin::Location>,
        (rule_index, rule_id): (usize, String),
        level: &'static str,
        text: String,
        names: &[String],
    ) -> Result<()> {
        self.begin()?;
        let location = Location::of(&self.source, names);
        let location = match block {
            Some(block) => location.at(block),
            None => location,
        };
        let message = Message { text };
        let finding = Finding { rule_id, rule_index, level, message, locations: [location] };
        self.write(if self.results == 0 { "\n" } else { ",\n" })?;
        self.results += 1;
        self.json(&finding)
    }

    /// Records a problem of a plan. The run is no success with a problem of the level `error`.
    fn notify(&mut self, level: &'static str, source: &str, problem: &str) {
        self.has_failed |= level == "error";
        if self.notifications.len() == NOTIFIED_MAX {
            self.notifications_more += 1;
            return;
        }
        let text = visible(&format!("{source}: {problem}"));
        let locations = vec![Location::of(source, &[])];
        self.notifications.push(Notification { level, message: Message { text }, locations });
    }

    fn check(&mut self, check: &Check<'_>) -> Result<()> {
        let level = match &*check.status {
            "pass" => return Ok(()),
            "fail" | "error" => "error",
            _ => "note",
        };
        let problems = if check.problems.is_empty() { "" } else { ": " };
        let problems = problems.to_owned() + &messages(&check.problems);
        let name = short(&check.address).into_owned();
        let words = match &*check.status {
            "fail" => "failed".to_owned(),
            "error" => "could not be checked".to_owned(),
            "unknown" => "is known after apply".to_owned(),
            other => format!("is {other}"),
        };
        let text = format!("{name} {words}{problems}");
        self.result(self.rules.len(), level, visible(&text), &[name])
    }
}

impl<W: Write> Sink for Sarif<W> {
    fn record(&mut self, record: &Record<'_>) -> Result<()> {
        self.counted_rules.note(record);
        match record {
            Record::Plan(plan) => plan.source.clone_into(&mut self.source),
            Record::Check(check) => self.check(check)?,
            Record::ResourceChange(change) => self.change(change)?,
            Record::Summary(summary) => {
                self.has_read = true;
                let mut broken = Vec::new();
                for (index, answer) in self.counted_rules.answers().enumerate() {
                    if answer.is_broken() {
                        let rule = visible(answer.rule.text());
                        let words = answer.words(usize::MAX, visible);
                        let sentence = answer.rule.broken_sentence(&rule);
                        let mut text = format!("{sentence}: {words}");
                        let message = answer.rule.message();
                        text.extend(message.map(|message| format!(": {}", visible(message))));
                        let level = answer.rule.severity().word();
                        broken.push((index, level, text, answer.first.to_vec()));
                    }
                }
                for (index, level, text, names) in broken {
                    self.result(index, level, text, &names)?;
                }
                let source = std::mem::take(&mut self.source);
                for warning in Warning::of(summary) {
                    let words = warning.words(Of::This);
                    match warning {
                        Warning::Errored => {
                            let words = "planning failed: there may be more to change";
                            self.notify("error", &source, words);
                        }
                        Warning::Unlisted => self.notify("error", &source, &words),
                        Warning::Incomplete | Warning::Deferred => {
                            self.notify("warning", &source, &words);
                        }
                    }
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
        let mut notifications = std::mem::take(&mut self.notifications);
        let execution_successful = !self.has_failed;
        if self.notifications_more > 0 {
            let text = format!("{} more problems of plans", self.notifications_more);
            let level = if self.has_failed { "error" } else { "warning" };
            let (message, locations) = (Message { text }, Vec::new());
            notifications.push(Notification { level, message, locations });
        }
        for pattern in
            self.watch.filter(|_| self.has_read).iter().flat_map(|watch| watch.unmatched())
        {
            let message = Message { text: visible(&pattern.to_string()) };
            notifications.push(Notification { level: "warning", message, locations: Vec::new() });
        }
        let invocation =
            Invocation { execution_successful, tool_execution_notifications: notifications };
        self.write("],\"invocations\":")?;
        self.json(&[invocation])?;
        self.write("}]}\n")?;
        self.out.flush().map_err(write_error)
    }
}

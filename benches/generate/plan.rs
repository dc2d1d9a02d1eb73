//! Generates a whole plan, section by section. Only numbers are kept from one resource to the next,
//! so memory does not grow with the plan.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::kind::Kind;
use super::object::Json;
pub use super::object::Keys;
pub use super::resource::Marks;
use super::resource::{Resource, Side, mix};

/// The shape of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A large estate in which most instances are unchanged.
    #[default]
    Estate,
    /// Updates every instance in several places.
    Busy,
    /// Creates everything.
    FirstRun,
    /// Contains JSON in strings, with many backslashes.
    Policy,
}

impl Shape {
    pub fn named(name: &str) -> Option<Shape> {
        match name {
            "estate" => Some(Shape::Estate),
            "busy" => Some(Shape::Busy),
            "first-run" => Some(Shape::FirstRun),
            "policy" => Some(Shape::Policy),
            _ => None,
        }
    }
}

/// The plan to write.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Approximate length in bytes of compact JSON.
    pub size: u64,
    /// Seed of the random choices.
    pub seed: u64,
    pub shape: Shape,
    /// The share of unchanged instances. `None`: the default of the shape.
    pub no_op: Option<f64>,
    pub keys: Keys,
    pub marks: Marks,
    pub configuration: Configuration,
}

/// How much of a configuration to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// A single resource.
    Small,
    /// A block for every resource, in nested modules.
    Full,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            size: 1_000_000,
            seed: 1,
            shape: Shape::Estate,
            no_op: None,
            keys: Keys::Native,
            marks: Marks::Few,
            configuration: Configuration::Small,
        }
    }
}

/// The `summary` record that plansift must produce.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub bytes: u64,
    resource_changes: BTreeMap<&'static str, u64>,
    resource_drift: BTreeMap<&'static str, u64>,
    output_changes: BTreeMap<&'static str, u64>,
    deferred_changes: BTreeMap<&'static str, u64>,
    import: u64,
    add: u64,
    change: u64,
    destroy: u64,
    forget: u64,
    moved: u64,
    unknown_paths: u64,
    sensitive_paths: u64,
    changed_paths: u64,
    checks: BTreeMap<&'static str, u64>,
}

impl Summary {
    /// The record as one line of JSON.
    pub fn to_json(&self) -> String {
        let words = |counts: &BTreeMap<&str, u64>| {
            let words: Vec<_> =
                counts.iter().map(|(word, number)| format!("\"{word}\":{number}")).collect();
            format!("{{{}}}", words.join(","))
        };
        format!(
            concat!(
                r#"{{"kind":"summary","bytes":{},"resource_changes":{},"resource_drift":{},"#,
                r#""output_changes":{},"deferred_changes":{},"terraform":{{"import":{},"add":{},"#,
                r#""change":{},"destroy":{},"forget":{}}},"moved":{},"unknown_paths":{},"#,
                r#""sensitive_paths":{},"changed_paths":{},"checks":{},"applyable":true,"#,
                r#""complete":false,"errored":false,"timestamp":"2026-01-02T03:04:05Z"}}"#,
            ),
            self.bytes,
            words(&self.resource_changes),
            words(&self.resource_drift),
            words(&self.output_changes),
            words(&self.deferred_changes),
            self.import,
            self.add,
            self.change,
            self.destroy,
            self.forget,
            self.moved,
            self.unknown_paths,
            self.sensitive_paths,
            self.changed_paths,
            words(&self.checks),
        )
    }

    fn count(&mut self, resource: &Resource) {
        let kind = resource.kind;
        *self.resource_changes.entry(kind.word()).or_default() += 1;
        let (add, change, destroy, forget) = match kind {
            Kind::Create | Kind::CreateForget => (1, 0, 0, 0),
            Kind::Update | Kind::UpdateMoved | Kind::UpdateImported => (0, 1, 0, 0),
            Kind::Delete | Kind::DeleteDeposed => (0, 0, 1, 0),
            Kind::DeleteCreate | Kind::CreateDelete => (1, 0, 1, 0),
            Kind::Forget => (0, 0, 0, 1),
            Kind::ForgetCreate => (1, 0, 0, 1),
            Kind::NoOp | Kind::NoOpMoved | Kind::NoOpImported | Kind::Read | Kind::Open => {
                (0, 0, 0, 0)
            }
        };
        self.add += add;
        self.change += change;
        self.destroy += destroy;
        self.forget += forget;
        self.import += u64::from(matches!(kind, Kind::NoOpImported | Kind::UpdateImported));
        self.moved += u64::from(matches!(kind, Kind::NoOpMoved | Kind::UpdateMoved));
        let paths = resource.paths();
        self.changed_paths += paths.changed;
        self.unknown_paths += paths.unknown;
        self.sensitive_paths += paths.sensitive;
    }
}

/// Writes a plan and returns its summary. Each change goes to `list` as one line: the actions
/// separated by commas, a tab, and the address.
pub fn write(
    options: &Options,
    out: &mut impl Write,
    list: &mut impl Write,
) -> io::Result<Summary> {
    let mut plan = Plan {
        options,
        instances: 0,
        json: Json::new(options.keys),
        out,
        list,
        summary: Summary::default(),
    };
    plan.instances = plan.estimate();
    plan.write()?;
    Ok(plan.summary)
}

pub struct Plan<'a, W: Write, L: Write> {
    pub options: &'a Options,
    pub instances: u64,
    pub json: Json,
    out: &'a mut W,
    list: &'a mut L,
    summary: Summary,
}

/// A top-level key and the method that writes its value.
type Section<'a, W, L> = (&'static str, fn(&mut Plan<'a, W, L>) -> io::Result<()>);

impl<'a, W: Write, L: Write> Plan<'a, W, L> {
    pub fn resource(&self, number: u64) -> Resource {
        let draw = mix(self.options.seed ^ 0x5eed, number);
        let share = self.options.no_op.unwrap_or(match self.options.shape {
            Shape::Estate | Shape::Policy => 0.7,
            Shape::Busy | Shape::FirstRun => 0.0,
        });
        let is_no_op = ((draw >> 11) as f64 / (1u64 << 53) as f64) < share;
        let kind = match self.options.shape {
            _ if is_no_op => Kind::NoOp,
            Shape::Estate | Shape::Policy => Kind::of_mix(draw),
            Shape::Busy => Kind::Update,
            Shape::FirstRun => Kind::Create,
        };
        let Options { seed, shape, marks, .. } = *self.options;
        Resource::new(seed, number, kind, shape == Shape::Policy, marks)
    }

    /// The number of instances that yields the requested size.
    fn estimate(&mut self) -> u64 {
        const SAMPLE: u64 = 500;
        let fixed = 4_950;
        for number in 0..SAMPLE {
            let resource = self.resource(number);
            resource.change(&mut self.json);
            for side in [Side::Before, Side::After] {
                if resource.is_in(side) {
                    resource.in_values(&mut self.json, side);
                }
            }
            if let Some(deleted) = drift(&resource) {
                resource.drift(&mut self.json, deleted);
            }
        }
        let each = self.json.text.len() as u64 / SAMPLE + 3;
        self.json.text.clear();
        (self.options.size.saturating_sub(fixed) / each).max(1)
    }

    fn write(&mut self) -> io::Result<()> {
        let mut sections: Vec<Section<'a, W, L>> = vec![
            ("format_version", |plan| plan.literal("\"1.2\"")),
            ("terraform_version", |plan| plan.literal("\"1.14.2\"")),
            ("variables", |plan| plan.literal(VARIABLES)),
            ("planned_values", |plan| plan.values(Side::After)),
            ("resource_drift", Self::drift),
            ("resource_changes", Self::changes),
            ("deferred_changes", Self::deferred),
            ("output_changes", Self::outputs),
            ("action_invocations", |plan| plan.literal(INVOCATIONS)),
            ("prior_state", Self::prior_state),
            ("configuration", Self::configuration),
            ("relevant_attributes", |plan| {
                plan.literal(r#"[{"resource":"aws_instance.r0","attribute":["id"]}]"#)
            }),
            ("checks", Self::checks),
            ("timestamp", |plan| plan.literal("\"2026-01-02T03:04:05Z\"")),
            ("applyable", |plan| plan.literal("true")),
            ("complete", |plan| plan.literal("false")),
            ("errored", |plan| plan.literal("false")),
        ];
        if self.options.keys == Keys::Sorted {
            sections.sort_by_key(|(key, _)| *key);
        }
        for (place, (key, section)) in sections.into_iter().enumerate() {
            self.json.raw(if place == 0 { "{\"" } else { ",\"" });
            self.json.raw(key);
            self.json.raw("\":");
            section(self)?;
            self.flush(0)?;
        }
        self.json.raw("}\n");
        self.flush(0)
    }

    fn configuration(&mut self) -> io::Result<()> {
        match self.options.configuration {
            Configuration::Small => self.literal(CONFIGURATION),
            Configuration::Full => self.full_configuration(),
        }
    }

    pub fn flush(&mut self, keep: usize) -> io::Result<()> {
        if self.json.text.len() > keep {
            self.summary.bytes += self.json.text.len() as u64;
            self.out.write_all(&self.json.text)?;
            self.json.text.clear();
        }
        Ok(())
    }

    pub fn literal(&mut self, text: &str) -> io::Result<()> {
        self.json.raw(text);
        Ok(())
    }

    /// Writes elements, separated by commas, one at a time.
    fn list(
        &mut self,
        mut element: impl FnMut(&mut Self, Resource) -> io::Result<bool>,
    ) -> io::Result<()> {
        let mut first = true;
        for number in 0..self.instances {
            let resource = self.resource(number);
            let start = self.json.text.len();
            if !first {
                self.json.raw(",");
            }
            if element(self, resource)? {
                first = false;
            } else {
                self.json.text.truncate(start);
            }
            self.flush(1 << 16)?;
        }
        Ok(())
    }

    fn values(&mut self, side: Side) -> io::Result<()> {
        self.json.raw(r#"{"root_module":{"resources":["#);
        self.list(|plan, resource| {
            let there = resource.is_in(side);
            if there {
                resource.in_values(&mut plan.json, side);
            }
            Ok(there)
        })?;
        self.literal("]}}")
    }

    fn prior_state(&mut self) -> io::Result<()> {
        self.json.raw(r#"{"format_version":"1.0","terraform_version":"1.14.2","values":"#);
        self.values(Side::Before)?;
        self.literal("}")
    }

    fn changes(&mut self) -> io::Result<()> {
        self.json.raw("[");
        let mut line = Json::default();
        self.list(|plan, resource| {
            resource.change(&mut plan.json);
            plan.summary.count(&resource);
            plan.note(&resource, &mut line)?;
            Ok(true)
        })?;
        self.literal("]")
    }

    /// Adds a line to the list for an instance that changes.
    fn note(&mut self, resource: &Resource, line: &mut Json) -> io::Result<()> {
        if resource.kind.word() == "no-op" {
            return Ok(());
        }
        line.text.clear();
        line.raw("\"");
        resource.address(line, false);
        line.raw("\"");
        let address: String = serde_json::from_slice(&line.text)?;
        let actions: Vec<&str> = serde_json::from_str(resource.kind.actions())?;
        writeln!(self.list, "{}\t{address}", actions.join(","))
    }

    fn drift(&mut self) -> io::Result<()> {
        self.json.raw("[");
        self.list(|plan, resource| {
            let Some(deleted) = drift(&resource) else { return Ok(false) };
            resource.drift(&mut plan.json, deleted);
            let word = if deleted { "delete" } else { "update" };
            *plan.summary.resource_drift.entry(word).or_default() += 1;
            Ok(true)
        })?;
        self.literal("]")
    }

    fn deferred(&mut self) -> io::Result<()> {
        let reasons = [
            "instance_count_unknown",
            "resource_config_unknown",
            "provider_config_unknown",
            "deferred_prereq",
        ];
        self.json.raw("[");
        for (place, reason) in reasons.into_iter().enumerate() {
            if place > 0 {
                self.json.raw(",");
            }
            self.json.object(|json| {
                json.member("reason", "\"");
                json.raw(reason);
                json.raw("\"");
                json.member("resource_change", DEFERRED);
            });
        }
        self.summary.deferred_changes.insert("create", reasons.len() as u64);
        self.literal("]")
    }

    fn outputs(&mut self) -> io::Result<()> {
        self.summary.output_changes =
            BTreeMap::from([("create", 2), ("delete", 1), ("no-op", 1), ("update", 2)]);
        self.literal(OUTPUTS)
    }

    fn checks(&mut self) -> io::Result<()> {
        self.summary.checks =
            BTreeMap::from([("error", 1), ("fail", 1), ("pass", 2), ("unknown", 1)]);
        self.literal(CHECKS)
    }
}

/// Whether an instance has drifted: `Some(true)` if it is gone, `Some(false)` if it differs.
fn drift(resource: &Resource) -> Option<bool> {
    let drifted = resource.kind.has_before() && mix(7, resource.number).is_multiple_of(60);
    drifted.then(|| mix(11, resource.number).is_multiple_of(3))
}

const VARIABLES: &str = concat!(
    r#"{"db_password":{"value":"hunter2-variable"},"region":{"value":"eu-west-1"},"#,
    r#""zones":{"value":["a","b"]}}"#,
);

const OUTPUTS: &str = concat!(
    r#"{"address":{"actions":["update"],"after_sensitive":false,"after_unknown":true,"#,
    r#""before":"10.0.0.1","before_sensitive":false},"gone":{"actions":["delete"],"#,
    r#""after":null,"after_sensitive":false,"after_unknown":false,"before":"x","#,
    r#""before_sensitive":false},"ids":{"actions":["create"],"after":["a",null],"#,
    r#""after_sensitive":false,"after_unknown":[false,true],"before":null,"#,
    r#""before_sensitive":false},"new":{"actions":["create"],"after_sensitive":true,"#,
    r#""after_unknown":true,"before":null,"before_sensitive":true},"#,
    r#""same":{"actions":["no-op"],"after":{"a":1},"after_sensitive":false,"#,
    r#""after_unknown":false,"before":{"a":1},"before_sensitive":false},"#,
    r#""secret":{"actions":["update"],"after":"hunter2-new","after_sensitive":true,"#,
    r#""after_unknown":false,"before":"hunter2-old","before_sensitive":true}}"#,
);

const INVOCATIONS: &str = concat!(
    r#"[{"address":"action.acme_notify.a","config_sensitive":{"token":true},"#,
    r#""config_unknown":{},"config_values":{"token":"hunter2-action"},"#,
    r#""lifecycle_action_trigger":{"action_trigger_block_index":0,"#,
    r#""action_trigger_event":"AfterCreate","actions_list_index":0,"#,
    r#""triggering_resource_address":"aws_instance.r0[0]"},"name":"a","#,
    r#""provider_name":"registry.terraform.io/acme/acme","type":"acme_notify"},"#,
    r#"{"address":"action.acme_notify.b","config_sensitive":{},"config_unknown":{},"#,
    r#""config_values":{},"invoke_action_trigger":{},"name":"b","#,
    r#""provider_name":"registry.terraform.io/acme/acme","type":"acme_notify"}]"#,
);

const CONFIGURATION: &str = concat!(
    r#"{"provider_config":{"aws":{"expressions":{"region":{"constant_value":"eu-west-1"}},"#,
    r#""full_name":"registry.terraform.io/hashicorp/aws","name":"aws"}},"#,
    r#""root_module":{"resources":[{"address":"aws_instance.r0","#,
    r#""count_expression":{"constant_value":50},"#,
    r#""expressions":{"ami":{"references":["data.aws_ami.base.id","data.aws_ami.base"]}},"#,
    r#""mode":"managed","name":"r0","provider_config_key":"aws","schema_version":1,"#,
    r#""type":"aws_instance"}],"variables":{"db_password":{"sensitive":true},"#,
    r#""region":{"default":"eu-west-1"},"zones":{}}}}"#,
);

const CHECKS: &str = concat!(
    r#"[{"address":{"kind":"check","name":"health","to_display":"check.health"},"#,
    r#""instances":[{"address":{"to_display":"check.health"},"#,
    r#""problems":[{"message":"Service answered \u003c503\u003e."}],"status":"fail"}],"#,
    r#""status":"fail"},{"address":{"kind":"output_value","name":"address","#,
    r#""to_display":"output.address"},"status":"unknown"},{"address":{"kind":"resource","#,
    r#""mode":"managed","name":"r0","to_display":"aws_instance.r0","type":"aws_instance"},"#,
    r#""instances":[{"address":{"instance_key":0,"to_display":"aws_instance.r0[0]"},"#,
    r#""status":"pass"}],"status":"pass"},{"address":{"kind":"var","name":"region","#,
    r#""to_display":"var.region"},"instances":[{"address":{"to_display":"var.region"},"#,
    r#""status":"pass"}],"status":"pass"},{"address":{"kind":"check","module":"module.m0","#,
    r#""name":"z","to_display":"module.m0.check.z"},"status":"error"}]"#,
);

/// A resource whose instances are still unknown.
const DEFERRED: &str = concat!(
    r#"{"address":"module.m[*].random_pet.later[*]","change":{"actions":["create"],"#,
    r#""after":{"length":2},"after_sensitive":{},"after_unknown":{"id":true},"before":null,"#,
    r#""before_sensitive":false},"index_unknown":true,"mode":"managed","#,
    r#""module_address":"module.m[*]","name":"later","#,
    r#""provider_name":"registry.terraform.io/hashicorp/random","type":"random_pet"}"#,
);

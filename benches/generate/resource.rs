//! Generates a resource instance: its address, its values on both sides, its overlays, and its
//! number of paths of each kind. Everything follows from the plan's seed and the instance's number,
//! so every section of the plan can write the same instance again.

use super::kind::Kind;
use super::object::Json;

/// A side of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// The possible differences between the sides, one bit each.
mod edit {
    pub const AMI: u64 = 1;
    pub const BLOCK_SIZE: u64 = 1 << 1;
    pub const LABEL: u64 = 1 << 2;
    pub const TAG_REMOVED: u64 = 1 << 3;
    pub const LIST_LONGER: u64 = 1 << 4;
    pub const SET_ELEMENT: u64 = 1 << 5;
    pub const POLICY: u64 = 1 << 6;
    pub const OWNER: u64 = 1 << 7;
    pub const ARN_UNKNOWN: u64 = 1 << 8;
    /// The same text and number in a different spelling, which is no change.
    pub const SPELLING: u64 = 1 << 9;
    pub const PATHS: u64 = (1 << 9) - 1;
}

/// A resource instance.
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    pub kind: Kind,
    pub number: u64,
    draw: u64,
    /// Writes policies with many backslashes.
    policies: bool,
    marks: Marks,
    edits: u64,
}

/// How many resources have sensitive values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Marks {
    /// One of twenty-four, as in most estates.
    #[default]
    Few,
    /// Five of six; one in six is sensitive as a whole.
    Many,
}

/// The last shape of sensitivity overlay: `true`.
const MARKED_AS_A_WHOLE: u64 = 5;

/// The number of paths of an instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paths {
    pub changed: u64,
    pub unknown: u64,
    pub sensitive: u64,
}

/// A pseudo-random number for a seed and an index.
pub fn mix(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Resource {
    pub fn new(seed: u64, number: u64, kind: Kind, policies: bool, marks: Marks) -> Resource {
        let draw = mix(seed, number);
        let edits = if !kind.changes() {
            0
        } else {
            // At least one edit, because an update without edits is a no-op.
            let spelling = if (draw >> 32).is_multiple_of(16) { edit::SPELLING } else { 0 };
            // At most half of the places that can change.
            ((draw >> 20) & (draw >> 29) & edit::PATHS) | spelling | (1 << (draw % 9))
        };
        Resource { kind, number, draw, policies, marks, edits }
    }

    fn is_data(&self) -> bool {
        self.kind == Kind::Read
    }

    pub fn mode(&self) -> &'static str {
        match self.kind {
            Kind::Read => "data",
            Kind::Open => "ephemeral",
            _ => "managed",
        }
    }

    pub fn type_name(&self) -> &'static str {
        const TYPES: [&str; 6] = [
            "aws_instance",
            "aws_security_group",
            "aws_iam_policy",
            "google_compute_instance",
            "kubernetes_deployment",
            "azurerm_linux_virtual_machine",
        ];
        TYPES[(self.number / 50) as usize % TYPES.len()]
    }

    fn name(&self) -> u64 {
        self.number / 50
    }

    /// Writes the module's address and `end`, or nothing in the root module.
    pub fn module(&self, json: &mut Json, end: &str) {
        let depth = (self.number / 50) % 5;
        for level in 0..depth {
            if level > 0 {
                json.raw(".");
            }
            json.raw("module.m");
            json.number(level);
            match (self.number / 50 + level) % 3 {
                0 => json.raw("[0]"),
                1 => json.raw(r#"[\"eu-west.1\"]"#),
                _ => {}
            }
        }
        if depth > 0 {
            json.raw(end);
        }
    }

    fn has_module(&self) -> bool {
        !(self.number / 50).is_multiple_of(5)
    }

    pub fn address(&self, json: &mut Json, moved: bool) {
        self.module(json, ".");
        match self.mode() {
            "managed" => {}
            mode => {
                json.raw(mode);
                json.raw(".");
            }
        }
        json.raw(self.type_name());
        json.raw(if moved { ".old" } else { ".r" });
        json.number(self.name());
        match self.name() % 4 {
            0 => {
                json.raw("[");
                json.number(self.number % 50);
                json.raw("]");
            }
            1 => {
                json.raw(r#"[\"k-"#);
                json.number(self.number % 50);
                json.raw(r#"\"]"#);
            }
            2 => {
                // Characters that are hard in a key: brackets, dots, escapes, and one outside the
                // Basic Multilingual Plane.
                json.raw(r#"[\"a.b]\\\"\u003c😀é/"#);
                json.number(self.number % 50);
                json.raw(r#"\"]"#);
            }
            _ => {
                json.raw("_");
                json.number(self.number % 50);
            }
        }
    }

    fn index(&self, json: &mut Json) {
        match self.name() % 4 {
            0 => {
                json.key("index");
                json.number(self.number % 50);
            }
            1 => {
                json.member("index", r#""k-"#);
                json.number(self.number % 50);
                json.raw("\"");
            }
            2 => {
                json.member("index", r#""a.b]\"\u003c😀é/"#);
                json.number(self.number % 50);
                json.raw("\"");
            }
            _ => {}
        }
    }

    /// Writes the keys that a resource has in all sections, up to its provider.
    pub fn head(&self, json: &mut Json) {
        json.member("mode", "\"");
        json.raw(self.mode());
        json.raw("\"");
        json.member("type", "\"");
        json.raw(self.type_name());
        json.raw("\"");
        json.member("name", "\"r");
        json.number(self.name());
        if self.name() % 4 == 3 {
            json.raw("_");
            json.number(self.number % 50);
        }
        json.raw("\"");
        self.index(json);
        json.member("provider_name", r#""registry.terraform.io/hashicorp/"#);
        json.raw(self.type_name().split('_').next().unwrap_or("aws"));
        json.raw("\"");
    }

    fn edited(&self, side: Side, bit: u64) -> bool {
        side == Side::After && self.edits & bit != 0
    }

    /// Whether a place is unknown on this side.
    fn is_unknown(&self, side: Side, place: Unknown) -> bool {
        side == Side::After && self.unknowns() & place as u64 != 0
    }

    fn unknowns(&self) -> u64 {
        let arn = if self.edits & edit::ARN_UNKNOWN != 0 { Unknown::Arn as u64 } else { 0 };
        let new = if self.kind.is_new() {
            Unknown::Id as u64 | ((self.draw >> 40) & Unknown::ALL)
        } else {
            0
        };
        arn | new
    }

    pub fn values(&self, json: &mut Json, side: Side) {
        json.object(|json| {
            json.member("ami", r#""ami-0"#);
            json.number(self.draw % 100_000_000 + u64::from(self.edited(side, edit::AMI)));
            json.raw("\"");
            if !self.is_unknown(side, Unknown::Arn) {
                json.member("arn", r#""arn:aws:ec2:eu-west-1:123456789012:instance/i-0"#);
                json.number(self.draw >> 8);
                json.raw("\"");
            }
            json.member("associate_public_ip_address", "false");
            self.block(json, side);
            json.member("credit_specification", r#"[{"cpu_credits":"standard"}]"#);
            json.member(
                "description",
                if self.edited(side, edit::SPELLING) {
                    "\"managed for <team> \\u00e9t\\u00e9 & more \\ud83d\\ude00\""
                } else {
                    "\"managed for \\u003cteam\\u003e été \\u0026 more 😀\""
                },
            );
            json.member("ebs_block_device", "[]");
            json.member("hibernation", "null");
            if !self.is_unknown(side, Unknown::Id) {
                json.member("id", "\"i-0");
                json.number(self.draw);
                json.raw("\"");
            }
            json.member("instance_initiated_shutdown_behavior", "\"stop\"");
            self.labels(json, side);
            self.list(json, side);
            json.member("metadata", r#"{"annotations":{},"owner":"#);
            json.raw(if self.edited(side, edit::OWNER) { "\"platform\"" } else { "null" });
            json.raw(r#","port":null}"#);
            json.member("monitoring", "true");
            if !self.is_unknown(side, Unknown::Network) {
                json.member("network_interface", NETWORK);
            }
            json.member("password", "\"hunter2-");
            json.number(self.draw >> 3);
            json.raw("\"");
            self.policy(json, side);
            json.member(
                "serial",
                if self.edited(side, edit::SPELLING) {
                    "9007199254740993.0"
                } else {
                    "9007199254740993"
                },
            );
            json.member("set", r#"["10.0.0.0/8","#);
            json.raw(if self.edited(side, edit::SET_ELEMENT) {
                "\"11.0.0.0/8\""
            } else {
                "\"10.1.0.0/16\""
            });
            json.raw("]");
            self.tags(json, side);
            json.member("timeouts", "null");
            self.user_data(json);
            json.member(
                "vpc_security_group_ids",
                r#"["sg-0a1b2c3d4e5f60718","sg-18f7e6d5c4b3a2901"]"#,
            );
        });
    }

    fn block(&self, json: &mut Json, side: Side) {
        json.member("block_device", BLOCK_DEVICE);
        json.number(self.draw >> 16);
        json.raw(r#"","volume_size":"#);
        json.number(8 + u64::from(self.edited(side, edit::BLOCK_SIZE)));
        json.raw(r#","volume_type":"gp3"}]"#);
    }

    fn labels(&self, json: &mut Json, side: Side) {
        json.member("labels", "{");
        if !self.is_unknown(side, Unknown::Label) {
            json.raw(r#""app.kubernetes.io/name":"web","#);
        }
        json.raw(r#""stage":"#);
        json.raw(if self.edited(side, edit::LABEL) { "\"live\"}" } else { "\"test\"}" });
    }

    fn list(&self, json: &mut Json, side: Side) {
        json.member("list", r#"["alpha","#);
        json.raw(if self.is_unknown(side, Unknown::Element) { "null" } else { "\"beta\"" });
        json.raw(if self.edited(side, edit::LIST_LONGER) {
            ",\"gamma\",\"delta\"]"
        } else {
            ",\"gamma\"]"
        });
    }

    fn policy(&self, json: &mut Json, side: Side) {
        json.member("policy", "\"");
        for statement in 0..if self.policies { 12 } else { 1 } {
            json.raw(POLICY);
            json.number(statement);
        }
        json.raw(if self.edited(side, edit::POLICY) { "Deny\"" } else { "Allow\"" });
    }

    fn tags(&self, json: &mut Json, side: Side) {
        json.member("tags", r#"{"Name":"web-"#);
        json.number(self.number);
        json.raw(r#"","cost-center":"4711","environment":"production""#);
        if !self.edited(side, edit::TAG_REMOVED) {
            json.raw(r#","owner":"team-a""#);
        }
        json.raw(r#","terraform":"true"}"#);
    }

    fn user_data(&self, json: &mut Json) {
        json.member("user_data", "\"#!/bin/bash\\nset -eu\\n");
        // An occasional long string, like a template or a certificate bundle.
        let lines = if self.draw.is_multiple_of(2003) { 2500 } else { 4 };
        for _ in 0..lines {
            json.raw("echo \\\"bootstrapping\\\" \\u003e\\u003e /var/log/boot\\n");
        }
        json.raw("\"");
    }

    pub fn after_unknown(&self, json: &mut Json) {
        let unknowns = self.unknowns();
        if unknowns == 0 || !self.kind.has_after() {
            json.raw("{}");
            return;
        }
        let is = |place: Unknown| unknowns & place as u64 != 0;
        json.object(|json| {
            if is(Unknown::Arn) {
                json.member("arn", "true");
            }
            json.member("block_device", r#"[{"tags":{}}]"#);
            json.member("credit_specification", "[{}]");
            json.member("ebs_block_device", "[]");
            if is(Unknown::Id) {
                json.member("id", "true");
            }
            json.member(
                "labels",
                if is(Unknown::Label) { r#"{"app.kubernetes.io/name":true}"# } else { "{}" },
            );
            let list = match (is(Unknown::Element), self.edits & edit::LIST_LONGER != 0) {
                (false, false) => "[false,false,false]",
                (false, true) => "[false,false,false,false]",
                (true, false) => "[false,true,false]",
                (true, true) => "[false,true,false,false]",
            };
            json.member("list", list);
            json.member("metadata", r#"{"annotations":{}}"#);
            json.member(
                "network_interface",
                if is(Unknown::Network) { "true" } else { r#"[{"tags":{}}]"# },
            );
            json.member("set", "[false,false]");
            json.member("tags", "{}");
            json.member("vpc_security_group_ids", "[false,false]");
        });
    }

    /// The shape of the sensitivity overlays, equal for all instances of a resource.
    fn shape_of_marks(&self) -> u64 {
        match self.marks {
            Marks::Many => mix(3, self.name()) % 6,
            // The shapes that mark only values that are secrets.
            Marks::Few => [1, 4].get(mix(3, self.name()) as usize % 48).copied().unwrap_or(0),
        }
    }

    pub fn sensitive(&self, json: &mut Json, side: Side) {
        let present = match side {
            Side::Before => self.kind.has_before(),
            Side::After => self.kind.has_after(),
        };
        if !present {
            json.raw("false");
            return;
        }
        let marks = self.shape_of_marks();
        if marks == MARKED_AS_A_WHOLE {
            json.raw("true");
            return;
        }
        json.object(|json| {
            json.member("block_device", r#"[{"tags":{}}]"#);
            json.member("credit_specification", "[{}]");
            json.member("ebs_block_device", "[]");
            json.member("labels", "{}");
            json.member(
                "list",
                if marks == 2 { "[false,true,false]" } else { "[false,false,false]" },
            );
            json.member(
                "metadata",
                if marks == 4 && side == Side::Before {
                    r#"{"annotations":{},"port":true}"#
                } else {
                    r#"{"annotations":{}}"#
                },
            );
            if marks != 0 {
                json.member("password", "true");
            }
            json.member("set", if marks == 3 { "true" } else { "[false,false]" });
            json.member("tags", "{}");
            if marks == 4 {
                // A marked place without a value.
                json.member("token", "true");
            }
            json.member("vpc_security_group_ids", "[false,false]");
        });
    }

    pub fn paths(&self) -> Paths {
        let unknowns = if self.kind.has_after() { self.unknowns() } else { 0 };
        let both = self.kind.has_before() && self.kind.has_after();
        let before = self.kind.has_before();
        // An unknown place of a replacement also counts as changed. The arn is already counted as
        // an edit, and a list of a different length covers its elements.
        let mut changed = 0;
        if both {
            let edits = self.edits & edit::PATHS & !edit::ARN_UNKNOWN;
            changed = u64::from(edits.count_ones()) + u64::from(unknowns.count_ones());
            let covered = unknowns & Unknown::Element as u64 != 0 && edits & edit::LIST_LONGER != 0;
            changed -= u64::from(covered);
        }
        let mut unknown = u64::from(unknowns.count_ones());
        let marks = self.shape_of_marks();
        if marks == MARKED_AS_A_WHOLE {
            // Places below a mark are not reported.
            (changed, unknown) = (changed.min(1), unknown.min(1));
        }
        let present = before || self.kind.has_after();
        let sensitive = match marks {
            _ if !present => 0,
            0 => 0,
            1 | MARKED_AS_A_WHOLE => 1,
            2 | 3 => 2,
            _ => 2 + u64::from(before),
        };
        Paths { changed, unknown, sensitive }
    }

    /// Writes the element of `resource_changes`.
    pub fn change(&self, json: &mut Json) {
        json.object(|json| {
            json.member("address", "\"");
            self.address(json, false);
            json.raw("\"");
            if matches!(self.kind, Kind::NoOpMoved | Kind::UpdateMoved) {
                json.member("previous_address", "\"");
                self.address(json, true);
                json.raw("\"");
            }
            if self.has_module() {
                json.member("module_address", "\"");
                self.module(json, "");
                json.raw("\"");
            }
            self.head(json);
            if self.kind == Kind::DeleteDeposed {
                json.member("deposed", "\"0a1b2c3d\"");
            }
            json.key("change");
            self.change_object(json);
            match self.kind {
                Kind::DeleteCreate | Kind::CreateDelete => {
                    json.member("action_reason", "\"replace_because_cannot_update\"");
                }
                Kind::Delete => {
                    json.member("action_reason", "\"delete_because_no_resource_config\"")
                }
                Kind::Read => json.member("action_reason", "\"read_because_config_unknown\""),
                _ => {}
            }
        });
    }

    fn change_object(&self, json: &mut Json) {
        json.object(|json| {
            json.member("actions", self.kind.actions());
            self.change_values(json);
            if matches!(self.kind, Kind::DeleteCreate | Kind::CreateDelete) {
                json.member("replace_paths", r#"[["ami"],["block_device",0,"volume_size"]]"#);
            }
            match self.kind {
                Kind::NoOpImported if self.draw.is_multiple_of(3) => {
                    json.member(
                        "importing",
                        r#"{"identity":{"account":"123456789012","id":"i-1"}}"#,
                    );
                }
                Kind::NoOpImported => json.member("importing", r#"{"id":"i-imported"}"#),
                Kind::UpdateImported => {
                    json.member("importing", r#"{"unknown":true}"#);
                    json.member("generated_config", "\"resource \\\"x\\\" \\\"y\\\" {\\n}\\n\"");
                }
                _ => {}
            }
            if self.kind.has_before() && self.draw.is_multiple_of(4) {
                json.member("before_identity", r#"{"account":"123456789012","id":"i-1"}"#);
                if self.kind.has_after() {
                    json.member("after_identity", r#"{"account":"123456789012","id":"i-1"}"#);
                }
            }
        });
    }

    fn change_values(&self, json: &mut Json) {
        json.key("before");
        if self.kind.has_before() {
            self.values(json, Side::Before);
        } else {
            json.raw("null");
        }
        json.key("after");
        if self.kind.has_after() {
            self.values(json, Side::After);
        } else {
            json.raw("null");
        }
        json.key("after_unknown");
        self.after_unknown(json);
        json.key("before_sensitive");
        self.sensitive(json, Side::Before);
        json.key("after_sensitive");
        self.sensitive(json, Side::After);
    }

    /// Writes the element of `resource_drift`: the same address, with one attribute different from
    /// the state.
    pub fn drift(&self, json: &mut Json, deleted: bool) {
        json.object(|json| {
            json.member("address", "\"");
            self.address(json, false);
            json.raw("\"");
            self.head(json);
            json.key("change");
            json.object(|json| {
                json.member("actions", if deleted { r#"["delete"]"# } else { r#"["update"]"# });
                json.key("before");
                self.values(json, Side::Before);
                json.member("after", if deleted { "null" } else { r#"{"id":"i-0"}"# });
                json.member("after_unknown", "{}");
                json.key("before_sensitive");
                self.sensitive(json, Side::Before);
                json.member("after_sensitive", if deleted { "false" } else { "{}" });
            });
        });
    }

    /// Whether the values of this side contain the instance.
    pub fn is_in(&self, side: Side) -> bool {
        let there = match side {
            Side::Before => self.kind.has_before() && self.kind != Kind::DeleteDeposed,
            Side::After => self.kind.has_after(),
        };
        there && !self.is_data()
    }

    /// Writes the resource in `planned_values` or `prior_state`.
    pub fn in_values(&self, json: &mut Json, side: Side) {
        json.object(|json| {
            json.member("address", "\"");
            self.address(json, false);
            json.raw("\"");
            self.head(json);
            json.member("schema_version", "1");
            json.key("values");
            self.values(json, side);
            json.key("sensitive_values");
            self.sensitive(json, side);
            if side == Side::Before {
                json.member("depends_on", r#"["aws_vpc.main","data.aws_ami.base"]"#);
            }
        });
    }
}

/// Places that are unknown until apply, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    Arn = 1,
    Id = 1 << 1,
    Label = 1 << 2,
    Element = 1 << 3,
    Network = 1 << 4,
}

impl Unknown {
    const ALL: u64 = (1 << 5) - 1;
}

const NETWORK: &str = concat!(
    r#"[{"delete_on_termination":false,"device_index":0,"network_card_index":0,"#,
    r#""network_interface_id":"eni-0f1e2d3c4b5a69788","private_ip":"10.0.12.34","tags":{}}]"#,
);

const POLICY: &str = concat!(
    r#"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Action\":[\"s3:GetObject\","#,
    r#"\"s3:PutObject\"],\"Resource\":\"arn:aws:s3:::bucket/*\","#,
    r#"\"Condition\":{\"StringLike\":{\"aws:PrincipalArn\":\"*\\\\role\\\\*\"}}}]}"#,
);

/// The block up to the number of the volume.
const BLOCK_DEVICE: &str = concat!(
    r#"[{"delete_on_termination":true,"device_name":"/dev/xvda","encrypted":true,"iops":3000,"#,
    r#""kms_key_id":"","tags":{},"throughput":125,"volume_id":"vol-0"#,
);

//! Generates the configuration of a plan: a block for every resource, in modules that are nested
//! like the addresses of the instances.

use std::io::{self, Write};

use super::kind::Kind;
use super::object::{Json, Keys};
use super::plan::Plan;

/// Instances of one block of configuration.
const INSTANCES: u64 = 50;
/// Nested modules, the root module included.
const MODULES: u64 = 5;

const PROVIDERS: &str = concat!(
    r#""provider_config":{"aws":{"expressions":{"region":{"references":["var.region"]}},"#,
    r#""full_name":"registry.terraform.io/hashicorp/aws","name":"aws","#,
    r#""version_constraint":"~> 5.0"},"azurerm":{"#,
    r#""full_name":"registry.terraform.io/hashicorp/azurerm","name":"azurerm"},"google":{"#,
    r#""full_name":"registry.terraform.io/hashicorp/google","name":"google"},"kubernetes":{"#,
    r#""full_name":"registry.terraform.io/hashicorp/kubernetes","name":"kubernetes"}}"#,
);

const VARIABLES: &str = concat!(
    r#""variables":{"db_password":{"sensitive":true},"names":{"default":["a","b"]},"#,
    r#""region":{"default":"eu-west-1"},"zones":{}}"#,
);

const ARGUMENTS: &str = concat!(
    r#""expressions":{"db_password":{"references":["var.db_password"]},"#,
    r#""region":{"references":["var.region"]},"#,
    r#""zones":{"constant_value":["eu-west-1a","eu-west-1b"]}}"#,
);

impl<W: Write, L: Write> Plan<'_, W, L> {
    /// Writes the configuration.
    pub fn full_configuration(&mut self) -> io::Result<()> {
        self.json.raw("{");
        self.json.raw(PROVIDERS);
        self.json.raw(r#","root_module":{"#);
        match self.options.keys {
            Keys::Native => self.native_modules()?,
            Keys::Sorted => self.sorted_modules()?,
        }
        self.literal("}}")
    }

    /// Writes the modules in the order of the tools: calls after resources.
    fn native_modules(&mut self) -> io::Result<()> {
        for depth in 0..MODULES {
            self.outputs_of_module(depth);
            self.json.raw(",");
            self.resources(depth)?;
            if depth + 1 < MODULES {
                self.json.raw(r#","module_calls":{"m"#);
                self.json.number(depth);
                self.json.raw(r#"":{"source":"./modules/m","#);
                self.json.raw(ARGUMENTS);
                self.json.raw(r#","module":{"#);
            }
        }
        for depth in (0..MODULES).rev() {
            self.json.raw(",");
            self.json.raw(VARIABLES);
            self.json.raw(if depth > 0 { "}}}" } else { "" });
        }
        Ok(())
    }

    /// Writes the modules with sorted keys: calls before resources.
    fn sorted_modules(&mut self) -> io::Result<()> {
        for depth in 0..MODULES - 1 {
            self.json.raw(r#""module_calls":{"m"#);
            self.json.number(depth);
            self.json.raw(r#"":{"#);
            self.json.raw(ARGUMENTS);
            self.json.raw(r#","module":{"#);
        }
        for depth in (0..MODULES).rev() {
            self.json.raw(if depth + 1 < MODULES { "," } else { "" });
            self.outputs_of_module(depth);
            self.json.raw(",");
            self.resources(depth)?;
            self.json.raw(",");
            self.json.raw(VARIABLES);
            self.json.raw(if depth > 0 { r#"},"source":"./modules/m"}}"# } else { "" });
        }
        Ok(())
    }

    fn outputs_of_module(&mut self, depth: u64) {
        self.json.raw(r#""outputs":{"id":{"expression":{"references":["#);
        match depth + 1 < MODULES {
            true => {
                self.json.raw(r#""module.m"#);
                self.json.number(depth);
                self.json.raw(r#".id","module.m"#);
                self.json.number(depth);
                self.json.raw("\"");
            }
            false => self.json.raw(r#""var.region""#),
        }
        self.json.raw("]}}}");
    }

    /// Writes the resources of the module at a depth.
    fn resources(&mut self, depth: u64) -> io::Result<()> {
        self.json.raw(r#""resources":["#);
        let mut is_first = true;
        for block in (depth..self.instances.div_ceil(INSTANCES)).step_by(MODULES as usize) {
            let numbers = block * INSTANCES..((block + 1) * INSTANCES).min(self.instances);
            let mut modes: Vec<&str> = Vec::new();
            for number in numbers {
                let resource = self.resource(number);
                let mode = match resource.kind {
                    Kind::Read => "data",
                    Kind::Open => "ephemeral",
                    _ => "managed",
                };
                // In every fourth group of instances, each instance has its own resource block,
                // without `count` and `for_each`.
                let instance = (block % 4 == 3).then_some(number % INSTANCES);
                if instance.is_none() && modes.contains(&mode) {
                    continue;
                }
                modes.push(mode);
                self.json.raw(if std::mem::take(&mut is_first) { "" } else { "," });
                resource_block(&mut self.json, block, instance, mode, resource.type_name());
                self.flush(1 << 16)?;
            }
        }
        self.literal("]")
    }
}

fn resource_block(json: &mut Json, block: u64, instance: Option<u64>, mode: &str, kind: &str) {
    let name = |json: &mut Json| {
        json.raw("r");
        json.number(block);
        if let Some(instance) = instance {
            json.raw("_");
            json.number(instance);
        }
        json.raw("\"");
    };
    json.object(|json| {
        json.member("address", "\"");
        if mode != "managed" {
            json.raw(mode);
            json.raw(".");
        }
        json.raw(kind);
        json.raw(".");
        name(json);
        json.member("mode", "\"");
        json.raw(mode);
        json.raw("\"");
        json.member("type", "\"");
        json.raw(kind);
        json.raw("\"");
        json.member("name", "\"");
        name(json);
        json.member("provider_config_key", "\"");
        json.raw(kind.split('_').next().unwrap_or("aws"));
        json.raw("\"");
        json.member("expressions", EXPRESSIONS);
        json.member("schema_version", "1");
        match block % 4 {
            0 => json.member("count_expression", r#"{"constant_value":50}"#),
            1 | 2 => json.member("for_each_expression", r#"{"references":["var.names"]}"#),
            _ => {}
        }
    });
}

const EXPRESSIONS: &str = concat!(
    r#"{"ami":{"references":["data.aws_ami.base.id","data.aws_ami.base"]},"#,
    r#""block":[{"size":{"constant_value":10},"type":{"constant_value":"gp3"}}],"#,
    r#""description":{"constant_value":"managed for \u003cteam\u003e"},"#,
    r#""password":{"references":["var.db_password"]},"#,
    r#""tags":{"references":["local.tags","each.key","var.region"]},"#,
    r#""timeouts":{"create":{"constant_value":"30m"},"delete":{"constant_value":"30m"}},"#,
    r#""user_data":{}}"#,
);

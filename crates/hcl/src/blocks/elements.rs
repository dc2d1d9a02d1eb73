//! The elements that the blocks of a configuration declare. They are those of the JSON of a plan
//! (docs/format/plan.md, section 8), local values, checks and imports. Blocks also have references
//! that the JSON lacks: those of `lifecycle` and `dynamic` blocks.

use std::collections::HashSet;

use super::configuration::{Configuration, Module};
use super::file::{MemberReferences, SourceBlock};
use super::row::{full_address, within};
use plansift_core::error::Result;
use plansift_plan::config::{Element, ElementExpression, ElementKind};

impl Configuration {
    /// Calls `each` with every element. Needs [`Detail::Content`](super::Detail::Content). An
    /// element has its names, its references and its provider configuration, and nothing else.
    ///
    /// # Errors
    ///
    /// Fails if `each` fails.
    pub fn each_element(&self, mut each: impl FnMut(&Element) -> Result<()>) -> Result<()> {
        let providers = Providers::of(self);
        for module in self.modules() {
            let blocks = &module.directory.blocks;
            for (at, block) in blocks.iter().enumerate() {
                match &*block.kind {
                    "locals" => {
                        block.parts.iter().try_for_each(|part| each(&local(module, part)))?;
                    }
                    "import" => import(module, block).iter().try_for_each(&mut each)?,
                    "check" => each(&check(module, block, &blocks[at + 1..]))?,
                    _ => element(module, block, &providers).iter().try_for_each(&mut each)?,
                }
            }
        }
        Ok(())
    }
}

/// Returns the element of a part of a `locals` block.
fn local(module: &Module, part: &MemberReferences) -> Element {
    let address = within(module, &format!("local.{}", part.name));
    let mut element = Element::new(ElementKind::Local, address, &module.address());
    element.names.name = Some(part.name.to_string());
    element.expressions.push(expression(part));
    element
}

/// Returns the element of an `import` block; `None` if it does not say what it imports.
fn import(module: &Module, block: &SourceBlock) -> Option<Element> {
    let address = within(module, block.imported.as_deref()?);
    let mut element = Element::new(ElementKind::Import, address, &module.address());
    let parts = block.parts.iter().filter(|part| !matches!(&*part.name, "to" | "provider"));
    element.expressions = parts.map(expression).collect();
    Some(element)
}

/// Returns the element of a `check` block. Its data sources, which are elements of their own, are
/// the first of the blocks that `follow`.
fn check(module: &Module, block: &SourceBlock, follow: &[SourceBlock]) -> Element {
    let address = within(module, block.address.as_deref().unwrap_or_default());
    let mut element = Element::new(ElementKind::Check, address, &module.address());
    element.names.name = block.labels.last().map(|name| name.to_string());
    let parts = block.parts.iter().filter(|part| &*part.name != "data");
    element.expressions = parts.map(expression).collect();
    let is_inside = |it: &&SourceBlock| {
        it.definition.file == block.definition.file && it.range.end.byte <= block.range.end.byte
    };
    let data = follow.iter().take_while(is_inside).filter_map(|it| it.address.as_deref());
    element.expressions.extend(data.map(|address| ElementExpression {
        path: "data".to_owned(),
        references: vec![address.to_owned()],
    }));
    element
}

/// Returns the element of a block; `None` if the block declares none.
fn element(module: &Module, block: &SourceBlock, providers: &Providers<'_>) -> Option<Element> {
    let kind = match &*block.kind {
        "resource" | "data" | "ephemeral" => ElementKind::Resource,
        "module" => ElementKind::ModuleCall,
        "output" => ElementKind::Output,
        "variable" => ElementKind::Variable,
        "action" => ElementKind::Action,
        "provider" => ElementKind::Provider,
        _ => return None,
    };
    let mut address = full_address(module, block)?;
    let path = &module.path;
    let key = match kind {
        ElementKind::Provider => {
            let key = Providers::key(path, block.address.as_deref()?.strip_prefix("provider.")?);
            address = format!("provider.{key}");
            Some(key)
        }
        ElementKind::Resource | ElementKind::Action => providers.used_by(path, block),
        _ => None,
    };
    let mut element = Element::new(kind, address, &module.address());
    element.names.name = block.labels.last().map(|name| name.to_string());
    element.names.provider_config_key = key;
    // These arguments name providers and modules, and no values.
    let is_reference = |part: &&MemberReferences| match kind {
        ElementKind::ModuleCall => !matches!(&*part.name, "source" | "version" | "providers"),
        _ => &*part.name != "provider",
    };
    element.expressions = block.parts.iter().filter(is_reference).map(expression).collect();
    // The JSON of a plan calls the value of an output its expression.
    let value = element.expressions.iter_mut().find(|it| it.path == "value");
    if let Some(value) = value.filter(|_| kind == ElementKind::Output) {
        value.path = "expression".to_owned();
    }
    Some(element)
}

/// Returns the expression of a part. In the JSON of a plan, a shorter reference after a longer one
/// belongs to the same traversal. In a block, it is a reference of its own, so it comes first.
fn expression(part: &MemberReferences) -> ElementExpression {
    let mut references = part.references.clone();
    references.sort_unstable();
    ElementExpression { path: part.name.to_string(), references }
}

/// The provider configurations of all modules.
struct Providers<'a> {
    configuration: &'a Configuration,
    /// The keys of the provider blocks, as the JSON of a plan writes them.
    declared: HashSet<String>,
}

impl<'a> Providers<'a> {
    fn of(configuration: &'a Configuration) -> Providers<'a> {
        let blocks = configuration.modules().iter().flat_map(|module| {
            module.directory.blocks.iter().map(move |block| (&*module.path, block))
        });
        let key = |(path, block): (&str, &SourceBlock)| {
            let name = block.address.as_deref()?.strip_prefix("provider.")?;
            Some(Providers::key(path, name))
        };
        Providers { configuration, declared: blocks.filter_map(key).collect() }
    }

    /// Returns the key of a provider configuration of the module with this path: `aws.west`,
    /// `module.m:aws`.
    fn key(path: &str, name: &str) -> String {
        match path {
            "" => name.to_owned(),
            path => {
                let calls = path.split('.').map(|call| format!("module.{call}"));
                format!("{}:{name}", calls.collect::<Vec<_>>().join("."))
            }
        }
    }

    /// Returns the key of the provider configuration that a resource or an action uses. A module
    /// that does not declare it gets it from its caller, under the same name unless the call says
    /// otherwise.
    fn used_by(&self, path: &str, block: &SourceBlock) -> Option<String> {
        let argument = block.parts.iter().find(|part| &*part.name == "provider");
        let type_name = block.labels.first()?;
        let default = type_name.split('_').next().unwrap_or_default();
        let mut name = argument.and_then(|part| part.references.first()).map_or(default, |it| it);
        let mut path = path;
        loop {
            let key = Providers::key(path, name);
            if path.is_empty() || self.declared.contains(&key) {
                return Some(key);
            }
            let (caller, call) = path.rsplit_once('.').unwrap_or(("", path));
            let call = format!("module.{call}");
            let call = self.configuration.module(caller)?.directory.find(&call)?;
            let passed = call.providers.iter().find(|(inside, _)| inside == name);
            name = match passed {
                Some((_, here)) => here,
                // A module inherits only configurations without an alias.
                None if name.contains('.') => return None,
                None => name,
            };
            path = caller;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::files::{Files, SourceError};
    use super::*;

    /// The text of each file, by its path.
    struct Texts(&'static [(&'static str, &'static str)]);

    impl Files for Texts {
        fn list(&self, folder: &str) -> std::result::Result<Vec<String>, SourceError> {
            let inside = |path: &str| {
                let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
                (parent == folder).then(|| name.to_owned())
            };
            Ok(self.0.iter().filter_map(|(path, _)| inside(path)).collect())
        }

        fn read(&self, path: &str) -> std::result::Result<Vec<u8>, SourceError> {
            let text = self.0.iter().find(|(known, _)| *known == path).map(|(_, text)| text);
            Ok(text.expect("a listed file").as_bytes().to_vec())
        }

        fn installed(&self) -> HashMap<String, String> {
            HashMap::new()
        }
    }

    const FILES: Texts = Texts(&[
        (
            "main.tf",
            r#"
            terraform {}
            provider "aws" { region = var.region }
            provider "aws" {
              alias  = "west"
              region = var.west
            }
            variable "region" {}
            locals {
              a = t.n.id
              b = { c = local.a }
            }
            resource "t_x" "n" {
              provider = aws.west
              for_each = local.b
              dynamic "rule" {
                for_each = data.t_y.d.list
                content { port = rule.value + var.region }
              }
              lifecycle { replace_triggered_by = [t_x.other] }
            }
            data "aws_y" "d" {}
            module "m" {
              source     = "./m"
              providers  = { aws = aws.west, aws.east = aws }
              depends_on = [t_x.n]
              v          = local.a
            }
            module "far" { source = "elsewhere/x/y" }
            output "o" { value = [module.m.id, module.m] }
            check "c" {
              data "aws_z" "in" {
                provider = aws.west
                x        = t_x.n.id
              }
              assert {
                condition     = local.a != "" && module.m.id != ""
                error_message = "No ${var.west}."
              }
            }
            import {
              for_each = local.b
              to       = module.m[each.key].aws_y.in[each.value]
              id       = data.aws_y.d.id
              provider = aws.west
            }
            moved {
              from = t_x.before
              to   = t_x.n
            }
            removed { from = t_x.gone }
            data "aws_y" "after" {}"#,
        ),
        (
            "m/main.tf",
            r#"
            variable "v" {}
            resource "aws_y" "in" { x = var.v }
            resource "other_y" "in" { provider = other }
            resource "t_y" "east" { provider = aws.east }
            module "k" { source = "../k" }
            output "id" { value = aws_y.in.id }"#,
        ),
        (
            "k/main.tf",
            r#"
            provider "other" {}
            resource "aws_y" "deep" {}
            resource "other_y" "deep" {}"#,
        ),
    ]);

    /// Returns each element in a line: its kind, address, provider and references.
    fn elements() -> Vec<String> {
        let mut lines = Vec::new();
        let configuration = Configuration::read(&FILES).expect("small files");
        let each = |element: &Element| {
            let references = element.references().flat_map(|(path, references)| {
                references.iter().map(move |reference| format!(" {path}={reference}"))
            });
            let key = element.names.provider_config_key.as_deref().unwrap_or("-");
            let references: String = references.collect();
            lines.push(format!("{} {} {key}{references}", element.kind.word(), element.address));
            Ok(())
        };
        configuration.each_element(each).expect("no error");
        lines.sort();
        lines
    }

    #[test]
    fn blocks_are_elements_with_their_references_and_providers() {
        let mut expected = vec![
            "provider provider.aws aws region=var.region",
            "provider provider.aws.west aws.west region=var.west",
            "variable var.region -",
            "local local.a - a=t.n.id",
            "local local.b - b=local.a",
            "resource t_x.n aws.west for_each=local.b rule=data.t_y.d.list rule=var.region \
             lifecycle.replace_triggered_by=t_x.other",
            "resource data.aws_y.d aws",
            "resource data.aws_z.in aws.west x=t_x.n.id",
            "resource data.aws_y.after aws",
            "check check.c - assert=local.a assert=module.m.id assert=var.west data=data.aws_z.in",
            "import module.m.aws_y.in - for_each=local.b id=data.aws_y.d.id",
            "module_call module.m - depends_on=t_x.n v=local.a",
            "module_call module.far -",
            "output output.o - expression=module.m expression=module.m.id",
            "variable module.m.var.v -",
            "resource module.m.aws_y.in aws.west x=var.v",
            "resource module.m.other_y.in other",
            "resource module.m.t_y.east aws",
            "module_call module.m.module.k -",
            "output module.m.output.id - expression=aws_y.in.id",
            "provider provider.module.m.module.k:other module.m.module.k:other",
            "resource module.m.module.k.aws_y.deep aws.west",
            "resource module.m.module.k.other_y.deep module.m.module.k:other",
        ];
        expected.sort_unstable();
        assert_eq!(elements(), expected);
    }
}

//! Draws the graph of a configuration in the languages of Graphviz and Mermaid.
//!
//! An arrow points from an element to an element that it depends on. In the graph of modules, a
//! dotted arrow points from a module to a module that it calls.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;

use plansift_core::error::Result;
use plansift_core::inert;
use plansift_plan::config::{Edge, ElementKind, Graph};
use plansift_plan::sink::write_error;

/// The language of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// DOT, the language of Graphviz.
    Dot,
    /// Mermaid, which GitHub and GitLab draw in Markdown.
    Mermaid,
}

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Resources and all other elements, in the boxes of their modules.
    Resources,
    /// Modules.
    Modules,
}

#[derive(Debug, Default)]
struct Drawing {
    /// The nodes of each module: number, label and shape.
    modules: BTreeMap<String, Vec<(u32, String, Shape)>>,
    references: Vec<Edge>,
    calls: Vec<Edge>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A resource, an action or a module.
    Box,
    /// A value: a variable, an output or a local value.
    Round,
    Hexagon,
}

/// Draws a graph. `source` is the name of the input.
///
/// # Errors
///
/// Fails if the drawing cannot be written.
pub fn draw(
    graph: &Graph,
    source: &str,
    subject: Subject,
    language: Language,
    out: &mut dyn Write,
) -> Result<()> {
    let drawing = match subject {
        Subject::Resources => Drawing::of_elements(graph),
        Subject::Modules => Drawing::of_modules(graph),
    };
    let text = match language {
        Language::Dot => drawing.dot(source),
        Language::Mermaid => drawing.mermaid(),
    };
    out.write_all(text.as_bytes()).map_err(write_error)
}

impl Drawing {
    fn of_elements(graph: &Graph) -> Drawing {
        let mut drawing = Drawing { references: graph.references(), ..Drawing::default() };
        let used: BTreeSet<u32> =
            drawing.references.iter().flat_map(|&(from, to)| [from, to]).collect();
        for node in graph.nodes() {
            let shape = match node.kind {
                Some(ElementKind::Provider) => Shape::Hexagon,
                Some(ElementKind::Output | ElementKind::Variable | ElementKind::Local) | None => {
                    Shape::Round
                }
                Some(ElementKind::ModuleCall) if !used.contains(&node.number) => continue,
                Some(_) => Shape::Box,
            };
            let module = graph.module_of(node.number);
            let nodes = drawing.modules.entry(module).or_default();
            nodes.push((node.number, node.address.to_owned(), shape));
        }
        drawing
    }

    fn of_modules(graph: &Graph) -> Drawing {
        let calls = graph.nodes().filter(|node| node.kind == Some(ElementKind::ModuleCall));
        let calls = calls.map(|node| node.address.to_owned());
        let names: Vec<String> = std::iter::once(String::new()).chain(calls).collect();
        let numbers: BTreeMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
        let number = |module: &str| numbers.get(module).copied();
        let mut references = BTreeSet::new();
        // Skips references to providers, because most modules use a provider of the root module.
        let providers = graph.nodes().filter(|node| node.kind == Some(ElementKind::Provider));
        let providers: BTreeSet<u32> = providers.map(|node| node.number).collect();
        for (from, to) in graph.references() {
            if providers.contains(&to) {
                continue;
            }
            let modules = (graph.module_of(from), graph.module_of(to));
            if let (Some(from), Some(to)) = (number(&modules.0), number(&modules.1))
                && from != to
            {
                references.insert((from, to));
            }
        }
        let caller = |name: &String| number(Graph::caller_of(name).as_str());
        let calls = names.iter().zip(0..).skip(1);
        let calls = calls.filter_map(|(name, number)| Some((caller(name)?, number)));
        let calls: Vec<Edge> = calls.filter(|call| !references.contains(call)).collect();
        let label = |name: &String| if name.is_empty() { "root module" } else { name }.to_owned();
        let nodes = names.iter().zip(0..).map(|(name, number)| (number, label(name), Shape::Box));
        Drawing {
            modules: BTreeMap::from([(String::new(), nodes.collect())]),
            references: references.into_iter().collect(),
            calls,
        }
    }

    fn dot(&self, source: &str) -> String {
        let mut text = format!("digraph {} {{\n  rankdir=LR;\n", quoted(source));
        for (index, (module, nodes)) in self.modules.iter().enumerate() {
            let indent = if module.is_empty() { "  " } else { "    " };
            if !module.is_empty() {
                let label = quoted(module);
                let _ = writeln!(text, "  subgraph cluster_{index} {{\n    label={label};");
            }
            for (number, label, shape) in nodes {
                let shape = match shape {
                    Shape::Box => "box",
                    Shape::Round => "ellipse",
                    Shape::Hexagon => "hexagon",
                };
                let label = quoted(label);
                let _ = writeln!(text, "{indent}n{number} [label={label}, shape={shape}];");
            }
            text += if module.is_empty() { "" } else { "  }\n" };
        }
        for (from, to) in &self.references {
            let _ = writeln!(text, "  n{from} -> n{to};");
        }
        for (from, to) in &self.calls {
            let _ = writeln!(text, "  n{from} -> n{to} [style=dotted];");
        }
        text + "}\n"
    }

    fn mermaid(&self) -> String {
        let mut text = "flowchart LR\n".to_owned();
        for (index, (module, nodes)) in self.modules.iter().enumerate() {
            let indent = if module.is_empty() { "  " } else { "    " };
            if !module.is_empty() {
                let _ = writeln!(text, "  subgraph m{index}[\"{}\"]", entities(module));
            }
            for (number, label, shape) in nodes {
                let [open, close] = match shape {
                    Shape::Box => ["[", "]"],
                    Shape::Round => ["(", ")"],
                    Shape::Hexagon => ["{{", "}}"],
                };
                let label = entities(label);
                let _ = writeln!(text, "{indent}n{number}{open}\"{label}\"{close}");
            }
            text += if module.is_empty() { "" } else { "  end\n" };
        }
        for (from, to) in &self.references {
            let _ = writeln!(text, "  n{from} --> n{to}");
        }
        for (from, to) in &self.calls {
            let _ = writeln!(text, "  n{from} -.-> n{to}");
        }
        text
    }
}

/// Returns `text` as a quoted string of DOT.
fn quoted(text: &str) -> String {
    let text = inert::text(text).replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{text}\"")
}

/// Replaces the characters that have a meaning in Mermaid with entities.
fn entities(text: &str) -> String {
    let mut escaped = String::new();
    for character in inert::text(text).chars() {
        match character {
            '"' | '#' | '&' | '<' | '>' | '`' | ';' | '\\' => {
                let _ = write!(escaped, "#{};", u32::from(character));
            }
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use plansift_core::input::Slice;
    use plansift_core::limits::Limits;
    use plansift_plan::config::read;
    use plansift_plan::plan::{Documents, PlanOptions};

    const PLAN: &str = r#"{"format_version":"1.2","configuration":{
        "provider_config":{"p":{"name":"p"}},
        "root_module":{
            "variables":{"v":{}},
            "resources":[{"address":"t.\"]<b>","provider_config_key":"p",
                "expressions":{"x":{"references":["module.m.o","module.m"]}}}],
            "module_calls":{"m":{"source":"./m","expressions":{"i":{"references":["var.v"]}},
                "module":{"variables":{"i":{}},"outputs":{"o":{"expression":{
                    "references":["var.i"]}}}}}}}}}"#;

    fn drawn(subject: Subject, language: Language) -> String {
        let mut graph = Graph::new(&Limits::default());
        let mut documents = Documents::new(Slice(PLAN.as_bytes()), &PlanOptions::default());
        read(&mut documents, &mut |element, offset| graph.add(element, offset)).expect("a plan");
        let mut out = Vec::new();
        draw(&graph, "plan \"a\"", subject, language, &mut out).expect("memory takes everything");
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn elements_are_drawn_in_their_modules() {
        let dot = drawn(Subject::Resources, Language::Dot);
        assert!(dot.starts_with("digraph \"plan \\\"a\\\"\" {\n"), "{dot}");
        assert!(dot.contains(r#"[label="t.\"]<b>", shape=box];"#), "{dot}");
        assert!(dot.contains("  subgraph cluster_1 {\n    label=\"module.m\";\n"), "{dot}");
        assert_eq!(dot.matches(" -> ").count(), 4, "{dot}");
        let mermaid = drawn(Subject::Resources, Language::Mermaid);
        assert!(mermaid.contains("[\"t.#34;]#60;b#62;\"]"), "{mermaid}");
        assert_eq!(mermaid.matches(" --> ").count(), 4, "{mermaid}");
    }

    #[test]
    fn modules_are_drawn_with_their_references_and_calls() {
        let mermaid = drawn(Subject::Modules, Language::Mermaid);
        let expected = "flowchart LR\n  n0[\"root module\"]\n  n1[\"module.m\"]\n  n0 --> n1\n  \
                        n1 --> n0\n";
        assert_eq!(mermaid, expected);
    }
}

//! Where our answers differ from those of HCL on purpose, by rule.

use serde_json::Value as Json;

use super::Asked;

/// A rule, and why it is right.
pub struct Rule {
    pub name: &'static str,
    pub reason: &'static str,
    pub explains: fn(&Json, &Asked) -> bool,
}

pub const RULES: [Rule; 7] = [
    Rule {
        name: "an operation",
        reason: "constants are read, but nothing is computed: a plan has the results",
        explains: operation,
    },
    Rule {
        name: "why an expression cannot be parsed",
        reason: "the parser of expressions is hcl-edit, whose faults have other places and words; \
                 both find a fault in the same template or argument",
        explains: expression_fault,
    },
    Rule {
        name: "a fault that the tools find later",
        reason: "a tool loads a file without evaluating its templates and without the schemas of \
                 providers; HCL reports the fault when that happens",
        explains: later,
    },
    Rule {
        name: "other words for a reference",
        reason: "the tools read some references with code of their own; both report an error that \
                 starts at the same place",
        explains: reference,
    },
    Rule {
        name: "a required provider with an error",
        reason: "the tool drops the entry after its error; a list of blocks keeps it",
        explains: dropped,
    },
    Rule {
        name: "a property of OpenTofu alone",
        reason: "the table of blocks follows Terraform",
        explains: opentofu,
    },
    Rule {
        name: "a fault inside a block that is refused",
        reason: "the tool refuses the block and does not read it",
        explains: inside,
    },
];

/// The faults of a tool.
fn of_tool<'q>(question: &'q Json, asked: &Asked) -> &'q [Json] {
    let tool = if asked.about.ends_with("OpenTofu") { "tofu" } else { "terraform" };
    question[tool]["diagnostics"].as_array().map_or(&[], Vec::as_slice)
}

/// Whether a question is about the errors of a tool, and something holds for each of ours.
fn each(asked: &Asked, holds: impl Fn(&Json) -> bool) -> bool {
    let ours = asked.ours.as_array();
    asked.about.starts_with("errors of") && ours.is_some_and(|ours| ours.iter().all(holds))
}

/// HCL reports each fault, on evaluation or with the schema of a provider.
fn later(question: &Json, asked: &Asked) -> bool {
    let is_dynamic = question["input"].as_str().is_some_and(|input| input.contains("\"dynamic\""));
    let theirs = question["diagnostics"].as_array();
    each(asked, |fault| {
        theirs.into_iter().flatten().any(|other| {
            let from = other["from"].as_str().unwrap_or_default();
            let is_later = ["ParseTemplate", "Value", "JustAttributes of the rest"].contains(&from);
            (is_later || is_dynamic)
                && other["range"][0] == fault["range"][0]
                && (from == "ParseTemplate" || other["summary"] == fault["summary"])
        })
    })
}

/// The tool reports an error that starts where each of ours does.
fn reference(question: &Json, asked: &Asked) -> bool {
    let start = |fault: &Json| (0..3).map(|at| fault["range"][at].clone()).collect::<Vec<_>>();
    each(asked, |fault| {
        let is_one = fault["summary"].as_str().is_some_and(|text| text.ends_with("expression"));
        is_one && of_tool(question, asked).iter().any(|other| start(other) == start(fault))
    })
}

/// The tool reports an error of a required provider, and lacks nothing else.
fn dropped(question: &Json, asked: &Asked) -> bool {
    let mut ours = asked.ours.clone();
    let lacks = asked.theirs.get("required_providers").is_none();
    let taken = ours.as_object_mut().and_then(|kinds| kinds.shift_remove("required_providers"));
    let is_equal = taken.is_some() && lacks && ours == asked.theirs;
    asked.about.starts_with("objects of") && is_equal && !of_tool(question, asked).is_empty()
}

/// HCL refuses the property with the schema of Terraform.
fn opentofu(question: &Json, asked: &Asked) -> bool {
    let theirs = question["diagnostics"].as_array();
    let summary = "Extraneous JSON object property";
    asked.about.ends_with("OpenTofu")
        && each(asked, |fault| {
            let is_theirs = |other: &Json| other["range"] == fault["range"];
            fault["summary"] == summary && theirs.into_iter().flatten().any(is_theirs)
        })
}

/// The tool refuses a block that begins before each fault.
fn inside(question: &Json, asked: &Asked) -> bool {
    let theirs = question["diagnostics"].as_array();
    let of_hcl =
        |fault: &Json| theirs.into_iter().flatten().any(|other| other["range"] == fault["range"]);
    // OpenTofu refuses the block `action`, which is in the schema of Terraform.
    let is_extraneous =
        |fault: &Json| fault["summary"] == "Extraneous JSON object property" && !of_hcl(fault);
    let refused = |fault: &&Json| {
        fault["summary"] == "Invalid required_providers block" || is_extraneous(fault)
    };
    let blocks: Vec<_> = of_tool(question, asked).iter().filter(refused).collect();
    let byte = |fault: &Json| fault["range"][2].as_u64();
    each(asked, |fault| blocks.iter().any(|block| byte(block) < byte(fault)))
}

/// Values that HCL computes are missing, and all others are equal.
fn operation(question: &Json, asked: &Asked) -> bool {
    let has_template = question["input"].as_str().is_some_and(|input| input.contains("${"));
    let (theirs, ours) = (asked.theirs.as_array(), asked.ours.as_array());
    let (Some(theirs), Some(ours)) = (theirs, ours) else {
        return false;
    };
    asked.about == "evaluated" && has_template && ours.iter().all(|value| theirs.contains(value))
}

/// The faults outside expressions are equal, and for each text whose expression has a fault, both
/// report one that starts in the text.
fn expression_fault(question: &Json, asked: &Asked) -> bool {
    let of_expression = |fault: &&Json| {
        let from = fault["from"].as_str().unwrap_or_default();
        from == "ParseTemplate" || from.starts_with("reading as")
    };
    let theirs: Vec<&Json> = question["diagnostics"].as_array().into_iter().flatten().collect();
    let inside: Vec<&Json> = theirs.iter().copied().filter(of_expression).collect();
    let is_theirs = |fault: &&Json| {
        theirs.iter().any(|other| {
            ["summary", "detail", "range", "context"].iter().all(|name| other[name] == fault[name])
        })
    };
    let ours: Vec<&Json> = asked.ours.as_array().into_iter().flatten().collect();
    let differ: Vec<&Json> = ours.iter().copied().filter(|fault| !is_theirs(fault)).collect();
    let line = |fault: &Json| fault["range"][0].clone();
    asked.about == "diagnostics"
        && !inside.is_empty()
        && differ.iter().all(|fault| inside.iter().any(|other| line(other) == line(fault)))
        && inside.iter().all(|other| ours.iter().any(|fault| line(fault) == line(other)))
        && theirs
            .iter()
            .filter(|fault| !of_expression(fault))
            .all(|fault| ours.iter().any(|other| other["range"] == fault["range"]))
}

//! The forms of templates and expressions, by the names that the vectors use.

use hcl_edit::expr::{Expression, Traversal, TraversalOperator};
use hcl_edit::template::Element;
use plansift::hcl::expression::step;
use plansift::hcl::template::{Template, TemplatePart};

/// Returns the expression of a template that is only one `${ }`. Such a template keeps the type
/// of the expression.
pub fn wrapped(template: &Template) -> Option<&Expression> {
    match template.parts.as_slice() {
        [TemplatePart::Interpolation(expression)] => Some(expression),
        _ => None,
    }
}

/// Returns the text of a template; `None` if the template contains `${ }` or `%{ }`.
pub fn literal(template: &Template) -> Option<&str> {
    match template.parts.as_slice() {
        [] => Some(""),
        [TemplatePart::Literal(text)] => Some(text),
        _ => None,
    }
}

/// Returns HCL's name for the form of an expression.
pub fn form(expression: &Expression) -> &'static str {
    match expression {
        Expression::Null(_) | Expression::Bool(_) => "LiteralValue",
        Expression::Number(number) if number.value().to_string().starts_with('-') => "UnaryOp",
        Expression::Number(_) => "LiteralValue",
        Expression::String(_) => "Template",
        Expression::Array(_) => "TupleCons",
        Expression::Object(_) => "ObjectCons",
        Expression::StringTemplate(template) => template_form(template.iter()),
        Expression::HeredocTemplate(heredoc) => template_form(heredoc.template.iter()),
        Expression::Parenthesis(_) => "Parentheses",
        Expression::Variable(_) => "ScopeTraversal",
        Expression::Conditional(_) => "Conditional",
        Expression::FuncCall(_) => "FunctionCall",
        Expression::Traversal(traversal) => traversal_form(traversal),
        Expression::UnaryOp(_) => "UnaryOp",
        Expression::BinaryOp(_) => "BinaryOp",
        Expression::ForExpr(_) => "For",
    }
}

fn template_form<'a>(mut elements: impl Iterator<Item = &'a Element>) -> &'static str {
    match (elements.next(), elements.next()) {
        (Some(Element::Interpolation(_)), None) => "TemplateWrap",
        _ => "Template",
    }
}

fn traversal_form(traversal: &Traversal) -> &'static str {
    let mut form = match traversal.expr {
        Expression::Variable(_) => "ScopeTraversal",
        _ => "Other",
    };
    for operator in &traversal.operators {
        form = match operator.value() {
            TraversalOperator::FullSplat(_) => return "Splat",
            TraversalOperator::AttrSplat(_) => "Splat",
            TraversalOperator::GetAttr(_) | TraversalOperator::LegacyIndex(_)
                if matches!(form, "Splat") =>
            {
                "Splat"
            }
            operator if step(operator).is_some() => match form {
                "ScopeTraversal" => "ScopeTraversal",
                _ => "RelativeTraversal",
            },
            _ => "Index",
        };
    }
    form
}

/// Returns the value of a null, boolean, number or string literal as JSON; `None` for other
/// expressions.
pub fn constant(expression: &Expression) -> Option<String> {
    match expression {
        Expression::Null(_) => Some(String::from("null")),
        Expression::Bool(value) => Some(value.value().to_string()),
        Expression::Number(number) => Some(number.value().to_string()),
        Expression::Parenthesis(inner) => constant(inner.inner()),
        _ => quoted_text(expression).map(|text| serde_json::json!(text).to_string()),
    }
}

/// Returns the value of a null, boolean or number, which HCL reads as a literal; `None` for other
/// expressions.
pub fn literal_value(expression: &Expression) -> Option<serde_json::Value> {
    let is_literal = form(expression) == "LiteralValue";
    constant(expression).filter(|_| is_literal).and_then(|text| serde_json::from_str(&text).ok())
}

/// Returns the text of a quoted string or heredoc; `None` if it contains `${ }` or `%{ }`.
pub fn quoted_text(expression: &Expression) -> Option<String> {
    match expression {
        Expression::String(text) => Some(text.as_str().to_owned()),
        Expression::StringTemplate(template) => text_of(template.iter()),
        Expression::HeredocTemplate(heredoc) => text_of(heredoc.template.iter()),
        _ => None,
    }
}

fn text_of<'a>(elements: impl Iterator<Item = &'a Element>) -> Option<String> {
    let literals = elements.map(|element| element.as_literal().map(|text| text.as_str()));
    literals.collect()
}

//! Expressions of the native syntax, and the references in them.
//!
//! hcl-edit parses the expressions. It rejects more than 64 nested levels and more than 128 chained
//! operators, which limits the recursion over its trees.

use hcl_edit::expr::{Expression, ForExpr, FuncCall, ObjectKey, Traversal, TraversalOperator};
use hcl_edit::template::{Directive, Element};

use super::scan::TreeSize;
use plansift_cty::quote;

/// Maximum number of keys of an object. hcl-edit compares each key with all others.
pub const KEYS_MAX: usize = 10_000;

/// Memory of a tree for each of its tokens and for each byte of its text, in bytes. The largest
/// measured numbers are 314 and 2.
const TREE_MEMORY: (usize, usize) = (350, 3);

/// Returns the memory that the tree of a text takes at most, and whether its objects have at most
/// [`KEYS_MAX`] keys. `measure` returns the exact size of the tree, which takes longer than a
/// bound.
pub fn tree_memory(text: &str, measure: fn(&str) -> Option<TreeSize>) -> (usize, bool) {
    let memory = |size: TreeSize| TREE_MEMORY.0 * size.tokens + TREE_MEMORY.1 * text.len();
    let mut size = TreeSize::at_most(text);
    if size.keys > KEYS_MAX || memory(size) > EXACT_MEMORY {
        size = measure(text).unwrap_or(size);
    }
    (memory(size), size.keys <= KEYS_MAX)
}

/// The memory of a tree from which it is measured exactly.
const EXACT_MEMORY: usize = 1 << 20;

/// Whether each object of an expression has at most [`KEYS_MAX`] keys.
pub fn has_small_objects(text: &str) -> bool {
    TreeSize::at_most(text).keys <= KEYS_MAX
        || tree_memory(&in_parentheses(text), TreeSize::of_parenthesis).1
}

fn in_parentheses(text: &str) -> String {
    format!("(\n{text}\n)")
}

/// Parses an expression that can span lines. Refuses an expression without
/// [small objects](has_small_objects).
pub fn parse(text: &str) -> Option<Expression> {
    if !has_small_objects(text) {
        return None;
    }
    let wrapped = in_parentheses(text);
    match hcl_edit::parser::parse_expr(&wrapped).ok()? {
        Expression::Parenthesis(inner) => Some(inner.into_inner()),
        // The text closes the parenthesis itself, so the text is not one expression.
        _ => None,
    }
}

/// Returns the references of an expression, in order and with repetitions.
pub fn references(expression: &Expression) -> Vec<String> {
    let mut walk = References::default();
    walk.expression(expression);
    walk.found
}

/// Collects references.
#[derive(Debug, Default)]
pub struct References {
    /// The references found so far, in order.
    pub found: Vec<String>,
    /// The variables of the enclosing `for` expressions, which are not references.
    pub bound: Vec<String>,
}

impl References {
    /// Adds the references of an expression.
    pub fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Null(_)
            | Expression::Bool(_)
            | Expression::Number(_)
            | Expression::String(_) => {}
            Expression::Variable(name) => self.root(name.as_str(), String::new()),
            Expression::Array(array) => array.iter().for_each(|element| self.expression(element)),
            Expression::Object(object) => {
                for (key, value) in object {
                    // A key that is a bare word is a string, not a variable.
                    match key {
                        ObjectKey::Ident(_) | ObjectKey::Expression(Expression::Variable(_)) => {}
                        ObjectKey::Expression(key) => self.expression(key),
                    }
                    self.expression(value.expr());
                }
            }
            Expression::StringTemplate(template) => {
                template.iter().for_each(|element| self.element(element));
            }
            Expression::HeredocTemplate(heredoc) => {
                heredoc.template.iter().for_each(|element| self.element(element));
            }
            Expression::Parenthesis(inner) => self.expression(inner.inner()),
            Expression::Conditional(conditional) => {
                self.expression(&conditional.cond_expr);
                self.expression(&conditional.true_expr);
                self.expression(&conditional.false_expr);
            }
            Expression::FuncCall(call) => {
                call.args.iter().for_each(|argument| self.expression(argument));
            }
            Expression::Traversal(traversal) => self.traversal(traversal),
            Expression::UnaryOp(operation) => self.expression(&operation.expr),
            Expression::BinaryOp(operation) => {
                self.expression(&operation.lhs_expr);
                self.expression(&operation.rhs_expr);
            }
            Expression::ForExpr(expression) => self.for_expression(expression),
        }
    }

    fn element(&mut self, element: &Element) {
        match element {
            Element::Literal(_) => {}
            Element::Interpolation(interpolation) => self.expression(&interpolation.expr),
            Element::Directive(directive) => match directive.as_ref() {
                Directive::If(directive) => {
                    self.expression(&directive.if_expr.cond_expr);
                    let templates = [
                        Some(&directive.if_expr.template),
                        directive.else_expr.as_ref().map(|branch| &branch.template),
                    ];
                    for template in templates.into_iter().flatten() {
                        template.iter().for_each(|element| self.element(element));
                    }
                }
                Directive::For(directive) => {
                    let head = &directive.for_expr;
                    self.expression(&head.collection_expr);
                    let before = self.bound.len();
                    self.bound.extend(head.key_var.as_ref().map(|name| name.to_string()));
                    self.bound.push(head.value_var.to_string());
                    head.template.iter().for_each(|element| self.element(element));
                    self.bound.truncate(before);
                }
            },
        }
    }

    fn for_expression(&mut self, expression: &ForExpr) {
        self.expression(&expression.intro.collection_expr);
        let before = self.bound.len();
        self.bound.extend(expression.intro.key_var.as_ref().map(|name| name.to_string()));
        self.bound.push(expression.intro.value_var.to_string());
        if let Some(key) = &expression.key_expr {
            self.expression(key);
        }
        self.expression(&expression.value_expr);
        if let Some(condition) = &expression.cond {
            self.expression(&condition.expr);
        }
        self.bound.truncate(before);
    }

    /// Adds a reference: a variable and the steps after it. Skips a variable that a `for`
    /// expression binds.
    fn root(&mut self, name: &str, steps: String) {
        if !self.bound.iter().any(|bound| bound == name) {
            self.found.push(format!("{name}{steps}"));
        }
    }

    fn traversal(&mut self, traversal: &Traversal) {
        let mut operators = traversal.operators.iter();
        let mut computed = None;
        if let Expression::Variable(name) = &traversal.expr {
            let mut steps = String::new();
            for operator in operators.by_ref() {
                if let Some(step) = step(operator) {
                    steps.push_str(&step);
                } else {
                    computed = Some(operator);
                    break;
                }
            }
            self.root(name.as_str(), steps);
        } else {
            self.expression(&traversal.expr);
        }
        for operator in computed.into_iter().chain(operators) {
            if let TraversalOperator::Index(index) = operator.value() {
                self.expression(index);
            }
        }
    }
}

/// Returns the text of a step of a reference, or `None` if the step is computed.
pub fn step(operator: &TraversalOperator) -> Option<String> {
    match operator {
        TraversalOperator::GetAttr(name) => Some(format!(".{}", name.as_str())),
        TraversalOperator::LegacyIndex(index) => Some(format!("[{}]", index.value())),
        TraversalOperator::Index(Expression::String(key)) => {
            Some(format!("[{}]", quote(key.as_str())))
        }
        TraversalOperator::Index(Expression::Number(key)) => {
            // In HCL, a negative number is an operation and not a constant.
            let key = key.value().to_string();
            (!key.starts_with('-')).then(|| format!("[{key}]"))
        }
        TraversalOperator::Index(Expression::Null(_)) => Some(String::from("[null]")),
        TraversalOperator::Index(Expression::Bool(key)) => Some(format!("[{}]", key.value())),
        _ => None,
    }
}

/// Returns the text that a constant has in a template. `None` for null and for other expressions.
pub fn constant(expression: &Expression) -> Option<String> {
    match expression {
        Expression::String(text) => Some(text.as_str().to_owned()),
        Expression::Bool(value) => Some(value.value().to_string()),
        Expression::Number(number) => Some(number.value().to_string()),
        Expression::Parenthesis(inner) => constant(inner.inner()),
        _ => None,
    }
}

/// Returns the name of a called function with its namespace, such as `provider::aws::arn_parse`.
pub fn function_name(call: &FuncCall) -> String {
    let namespace = call.name.namespace.iter().map(|part| part.as_str());
    namespace.chain([call.name.name.as_str()]).collect::<Vec<_>>().join("::")
}

/// Returns the text of an expression that is a reference: a variable with constant steps.
pub fn reference(expression: &Expression) -> Option<String> {
    match expression {
        Expression::Variable(name) => Some(name.to_string()),
        Expression::Traversal(traversal) => {
            let Expression::Variable(name) = &traversal.expr else {
                return None;
            };
            let mut text = name.to_string();
            for operator in &traversal.operators {
                text.push_str(&step(operator)?);
            }
            Some(text)
        }
        _ => None,
    }
}

/// Returns the first name of a reference.
pub(crate) fn root(reference: &str) -> &str {
    reference.split(['.', '[']).next().unwrap_or_default()
}

/// Returns the address that an expression names, without its instance keys, which may be computed.
pub(crate) fn target(expression: &Expression) -> Option<String> {
    let Expression::Traversal(traversal) = expression else { return None };
    let Expression::Variable(name) = &traversal.expr else { return None };
    let mut address = name.to_string();
    for operator in &traversal.operators {
        match operator.value() {
            TraversalOperator::GetAttr(name) => {
                address.push('.');
                address.push_str(name.as_str());
            }
            TraversalOperator::Index(_) | TraversalOperator::LegacyIndex(_) => {}
            _ => return None,
        }
    }
    Some(address)
}

//! Type constraints of variables, such as `list(string)`.

use std::sync::Arc;

use hcl_edit::expr::{Expression, FuncCall, Object, ObjectKey};

use super::diagnostic::Diagnostic;
use super::expression;
use super::position::{Range, advance};
use plansift_cty::quote;
use plansift_cty::types::{Attributes, Type};

/// A type constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeConstraint {
    /// The type in cty's JSON form.
    pub cty: String,
    /// True if an attribute of an object has a default value.
    pub has_defaults: bool,
}

const NO_TYPE: &str = "A type specification is either a primitive type keyword (bool, number, \
                       string) or a complex type constructor call, like list(string).";

/// A fault: its message, and the text of the faulty part, or `None` for the whole constraint.
type Fault = (String, Option<String>);

/// Reads a type constraint. `text` is `None` for a value that is not a string. `range` is the range
/// of the value.
///
/// # Errors
///
/// Fails if the value is not a type constraint.
pub fn parse(text: Option<&str>, range: Range) -> Result<TypeConstraint, Diagnostic> {
    let summary = "Invalid type specification";
    let parsed = text.and_then(|text| Some((text, expression::parse(text)?)));
    let Some((text, expression)) = parsed else {
        return Err(Diagnostic::error(summary, NO_TYPE, range));
    };
    let mut has_defaults = false;
    match outermost(&expression, &mut has_defaults) {
        Ok(ty) => Ok(TypeConstraint { cty: ty.to_string(), has_defaults }),
        Err((detail, part)) => {
            let offset = part.as_ref().and_then(|part| text.find(part.as_str()));
            let Some((offset, part)) = offset.zip(part) else {
                return Err(Diagnostic::error(summary, detail, range));
            };
            let start = advance(range.start, text.get(..offset).unwrap_or_default());
            let place = Range::new(start, advance(start, &part));
            Err(Diagnostic::error(summary, detail, place).within(range))
        }
    }
}

/// Converts the outermost expression to a type. The words `list` and `map` alone are types of any
/// element.
fn outermost(expression: &Expression, has_defaults: &mut bool) -> Result<Type, Fault> {
    match expression {
        Expression::Variable(name) if name.as_str() == "list" => Ok(Type::list(Type::Dynamic)),
        Expression::Variable(name) if name.as_str() == "map" => Ok(Type::map(Type::Dynamic)),
        _ => constraint(expression, has_defaults),
    }
}

/// Converts an expression to a type. The parser limits the depth of the recursion.
fn constraint(expression: &Expression, has_defaults: &mut bool) -> Result<Type, Fault> {
    match expression {
        Expression::Variable(name) => match name.as_str() {
            "string" => Ok(Type::String),
            "number" => Ok(Type::Number),
            "bool" => Ok(Type::Bool),
            "any" => Ok(Type::Dynamic),
            kind @ ("list" | "set" | "map" | "object" | "tuple") => Err((needs(kind), None)),
            word => {
                let word = quote(word);
                Err((format!("The keyword {word} is not a valid type specification."), None))
            }
        },
        Expression::FuncCall(call) => constructor(call, has_defaults),
        _ => Err((NO_TYPE.to_owned(), None)),
    }
}

/// Returns the message about the argument that a constructor requires.
fn needs(kind: &str) -> String {
    let argument = match kind {
        "object" => "attribute types and values as a map",
        "tuple" => "element types as a list",
        _ => "element type",
    };
    format!("The {kind} type constructor requires one argument specifying the {argument}.")
}

fn constructor(call: &FuncCall, has_defaults: &mut bool) -> Result<Type, Fault> {
    let argument = call.args.get(0).filter(|_| call.args.len() == 1);
    let name = &expression::function_name(call);
    match (name.as_str(), argument) {
        ("list", Some(argument)) => constraint(argument, has_defaults).map(Type::list),
        ("set", Some(argument)) => constraint(argument, has_defaults).map(Type::set),
        ("map", Some(argument)) => constraint(argument, has_defaults).map(Type::map),
        ("tuple", Some(Expression::Array(elements))) => {
            let types = elements.iter().map(|element| constraint(element, has_defaults));
            Ok(Type::Tuple(types.collect::<Result<_, _>>()?))
        }
        ("object", Some(Expression::Object(object))) => attributes(object, has_defaults),
        ("list" | "set" | "map" | "object" | "tuple", _) => Err((needs(name), None)),
        _ => {
            let name = quote(name);
            Err((format!("Keyword {name} is not a valid type constructor."), None))
        }
    }
}

fn attributes(object: &Object, has_defaults: &mut bool) -> Result<Type, Fault> {
    let mut attributes = Attributes::default();
    for (key, value) in object {
        let name = match key {
            ObjectKey::Ident(name) => name.as_str(),
            ObjectKey::Expression(Expression::Variable(name)) => name.as_str(),
            ObjectKey::Expression(key) => {
                let part = key.to_string().trim().to_owned();
                let detail = "Object constructor map keys must be attribute names.";
                return Err((detail.to_owned(), Some(part)));
            }
        };
        let mut ty = value.expr();
        if let Expression::FuncCall(call) = ty
            && expression::function_name(call) == "optional"
            && let Some(inner) = call.args.get(0)
        {
            attributes.optional.insert(name.to_owned());
            *has_defaults |= call.args.len() > 1;
            ty = inner;
        }
        attributes.types.insert(name.to_owned(), constraint(ty, has_defaults)?);
    }
    Ok(Type::Object(Arc::new(attributes)))
}

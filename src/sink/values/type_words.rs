//! The type of a value in the notation of Terraform's language, like `list(string)`.

use serde_json::Value;

/// Returns the words for a type constraint as JSON, like `["list","string"]`; `None` if the text is
/// not such a type. Deeper types than 128 levels have no words.
pub(super) fn type_words(json: &str) -> Option<String> {
    let mut words = String::new();
    push(&serde_json::from_str(json).ok()?, &mut words)?;
    Some(words)
}

fn push(constraint: &Value, words: &mut String) -> Option<()> {
    if let Some(name) = constraint.as_str() {
        words.push_str(if name == "dynamic" { "any" } else { name });
        return Some(());
    }
    let [kind, content, optional @ ..] = constraint.as_array()?.as_slice() else { return None };
    words.push_str(kind.as_str()?);
    words.push('(');
    match content {
        Value::Object(attributes) => {
            let optional = optional.first().and_then(Value::as_array);
            let is_optional =
                |name: &str| optional.is_some_and(|names| names.iter().any(|it| it == name));
            words.push('{');
            for (index, (name, constraint)) in attributes.iter().enumerate() {
                words.push_str(if index > 0 { ", " } else { "" });
                words.push_str(name);
                words.push_str(if is_optional(name) { " = optional(" } else { " = " });
                push(constraint, words)?;
                words.push_str(if is_optional(name) { ")" } else { "" });
            }
            words.push('}');
        }
        Value::Array(elements) if kind == "tuple" => {
            words.push('[');
            for (index, constraint) in elements.iter().enumerate() {
                words.push_str(if index > 0 { ", " } else { "" });
                push(constraint, words)?;
            }
            words.push(']');
        }
        element => push(element, words)?,
    }
    words.push(')');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::type_words;

    #[test]
    fn types_read_as_in_a_configuration() {
        for (json, words) in [
            (r#""string""#, Some("string")),
            (r#""dynamic""#, Some("any")),
            (r#"["list","string"]"#, Some("list(string)")),
            (r#"["map",["set","number"]]"#, Some("map(set(number))")),
            (r#"["tuple",["number",["list","bool"]]]"#, Some("tuple([number, list(bool)])")),
            (r#"["tuple",[]]"#, Some("tuple([])")),
            (r#"["object",{}]"#, Some("object({})")),
            (
                r#"["object",{"a":"string","b":["list","string"]},["b"]]"#,
                Some("object({a = string, b = optional(list(string))})"),
            ),
            (r#"["list"]"#, None),
            ("7", None),
            ("", None),
        ] {
            assert_eq!(type_words(json).as_deref(), words, "{json}");
        }
    }
}

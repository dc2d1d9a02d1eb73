//! The type of a value in the notation of Terraform's language, like `list(string)`.

use serde_json::Value;

use plansift_core::json::string::push_quoted;

/// Maximum length of a type's JSON, in bytes. A table would cut the words of a longer type.
const LONGEST: usize = 16 << 10;

/// Returns the words for a type constraint as JSON, like `["list","string"]`. Returns `None` if the
/// text is not such a type, or if it is too long or nests too deeply.
pub(super) fn type_words(json: &str) -> Option<String> {
    if json.len() > LONGEST {
        return None;
    }
    let mut words = String::new();
    // The parser rejects arrays and objects in more than 128 levels, which bounds the recursion.
    push(&serde_json::from_str(json).ok()?, &mut words)?;
    Some(words)
}

fn push(constraint: &Value, words: &mut String) -> Option<()> {
    if let Some(name) = constraint.as_str() {
        words.push_str(if name == "dynamic" { "any" } else { name });
        return Some(());
    }
    let [kind, content, optional @ ..] = constraint.as_array()?.as_slice() else { return None };
    let kind = kind.as_str()?;
    words.push_str(kind);
    match (kind, content, optional) {
        ("list" | "set" | "map", element, []) => {
            words.push('(');
            push(element, words)?;
            words.push(')');
        }
        ("tuple", Value::Array(elements), []) => {
            words.push_str("([");
            for (index, element) in elements.iter().enumerate() {
                words.push_str(if index > 0 { ", " } else { "" });
                push(element, words)?;
            }
            words.push_str("])");
        }
        ("object", Value::Object(attributes), [] | [Value::Array(_)]) => {
            let optional = optional.first().and_then(Value::as_array);
            words.push_str("({");
            for (index, (name, constraint)) in attributes.iter().enumerate() {
                words.push_str(if index > 0 { ", " } else { "" });
                push_name(name, words);
                let is_optional =
                    optional.is_some_and(|names| names.iter().any(|optional| optional == name));
                words.push_str(if is_optional { " = optional(" } else { " = " });
                push(constraint, words)?;
                words.push_str(if is_optional { ")" } else { "" });
            }
            words.push_str("})");
        }
        _ => return None,
    }
    Some(())
}

/// Writes the name of an attribute, in quotes if it is not an identifier.
fn push_name(name: &str, words: &mut String) {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    let starts = name.starts_with(|it: char| it.is_alphabetic() || it == '_');
    if starts && name.chars().all(is_part) {
        words.push_str(name);
    } else {
        push_quoted(name, words);
    }
}

#[cfg(test)]
mod tests {
    use super::type_words;

    #[test]
    fn types_are_printed_in_configuration_syntax() {
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
            (r#"["object",{"x = 1, y":"bool"}]"#, Some(r#"object({"x = 1, y" = bool})"#)),
            (r#"["object","string"]"#, None),
            (r#"["list",{"a":"string"}]"#, None),
            (r#"["list","string","more"]"#, None),
            (r#"["option","string"]"#, None),
            (r#"["list"]"#, None),
            ("7", None),
            ("", None),
        ] {
            assert_eq!(type_words(json).as_deref(), words, "{json}");
        }
        let tuple = |elements: usize| format!(r#"["tuple",[{}0]]"#, r#""any","#.repeat(elements));
        assert_eq!(type_words(&tuple(1_000_000)), None);
        let deep = |levels| format!("{}\"any\"{}", "[\"list\",".repeat(levels), "]".repeat(levels));
        assert!(type_words(&deep(100)).is_some());
        assert_eq!(type_words(&deep(1000)), None);
    }
}

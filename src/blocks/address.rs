//! Addresses without instance keys, by which a configuration is searched.

/// The place of an object in a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// The names of the module calls, outermost first, joined by dots. Empty for the root module.
    pub module: String,
    /// The address in its module, without keys, such as `data.aws_ami.web`.
    pub address: String,
}

impl Local {
    /// Removes the instance keys of an address. Keys can hold dots, brackets and escaped quotes.
    #[must_use]
    pub fn of(address: &str) -> Local {
        let names = names(address);
        let mut rest = names.as_slice();
        let mut module = Vec::new();
        // A call alone is an object of the module that calls.
        while let ["module", call, inner @ ..] = rest {
            if inner.is_empty() {
                break;
            }
            module.push(*call);
            rest = inner;
        }
        Local { module: module.join("."), address: rest.join(".") }
    }
}

/// The names of an address, without keys.
fn names(address: &str) -> Vec<&str> {
    let (mut names, mut rest) = (Vec::new(), address);
    while !rest.is_empty() {
        if let Some(key) = rest.strip_prefix('[') {
            rest = after_key(key);
        } else if let Some(after) = rest.strip_prefix('.') {
            rest = after;
        } else {
            let (name, after) = rest.split_at(rest.find(['.', '[']).unwrap_or(rest.len()));
            names.push(name);
            rest = after;
        }
    }
    names
}

/// Skips the rest of a key and its closing bracket.
fn after_key(key: &str) -> &str {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = key.bytes().position(|byte| {
        let is_end = byte == b']' && !is_quoted;
        is_quoted ^= byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    });
    end.and_then(|end| key.get(end + 1..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_loses_its_keys_whatever_they_hold() {
        for (address, module, local) in [
            ("t.a", "", "t.a"),
            ("t.a[0]", "", "t.a"),
            (r#"t.a["x.y[0]"]"#, "", "t.a"),
            (r#"t.a["\"]"]"#, "", "t.a"),
            ("data.t.a", "", "data.t.a"),
            ("module.m", "", "module.m"),
            (r#"module.m["a.b"]"#, "", "module.m"),
            (r#"module.m["a.b"].t.x[0]"#, "m", "t.x"),
            (r#"module.a[0].module.b.data.d.e["k]"]"#, "a.b", "data.d.e"),
            (r#"module.a["\\"].t.b"#, "a", "t.b"),
            ("", "", ""),
            ("t.a[", "", "t.a"),
        ] {
            let expected = Local { module: module.into(), address: local.into() };
            assert_eq!(Local::of(address), expected, "{address}");
        }
    }
}

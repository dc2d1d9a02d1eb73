//! Patterns that match paths. Rules, filters and `slim` all use them to select attributes.
//!
//! ```text
//! pattern = ["="] path        a path as records write it, with `*` for any string
//! ```
//!
//! | pattern | covers |
//! | --- | --- |
//! | `tags` | `tags` and everything below it, such as `tags.Name` |
//! | `ingress.cidr_blocks` | `cidr_blocks` of each element of `ingress` |
//! | `ingress[0]` | the first element and everything below it |
//! | `*.password` | `password` at any depth and everything below it |
//! | `policy` | also the document in the string `policy`: `jsondecode(policy).Statement` |
//! | `=tags` | only `tags` itself |
//!
//! A pattern is parsed once. Matching it against the text of a path takes time linear in both.

use super::document_path::{outer_string, string_of};
use super::{is_ident, json_string, position_outside_quotes, push_key};
use crate::error::{Error, ErrorKind};
use crate::glob::Glob;

/// A pattern that matches paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Box<str>,
    whole: Glob,
    /// The pattern without its leading `*.`, if it has one. That `*.` also matches the empty
    /// string.
    behind: Option<Glob>,
    /// The outermost string, if the pattern leads into the document in it.
    string: Option<Glob>,
    reach: Reach,
}

/// How far a pattern reaches from the path that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// The path and everything below it.
    Below,
    /// Only the path itself.
    Exact,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Path`] at the offset of the first invalid step.
    pub fn parse(text: &str) -> Result<Pattern, Error> {
        let (path, is_exact) = split_exact(text);
        let reach = if is_exact { Reach::Exact } else { Reach::Below };
        let start = text.len() - path.len();
        let malformed = |at: usize| Error::at(ErrorKind::Path, (start + at) as u64);
        let path = canonical(path).map_err(malformed)?;
        let behind = path.strip_prefix("*.").map(Glob::new);
        let string = outer_string(&path).map(Glob::new);
        Ok(Pattern { text: text.into(), whole: Glob::new(&path), behind, string, reach })
    }

    /// Returns the pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern covers a path, given as the text that records write.
    pub fn covers(&self, path: &str) -> bool {
        if self.reach == Reach::Exact {
            return self.globs().any(|glob| glob.matches(path.as_bytes()));
        }
        std::iter::once(path).chain(string_of(path)).any(|path| {
            let without = path.contains('[').then(|| without_indices(path));
            self.globs().any(|glob| {
                glob.matches_up_to(path.as_bytes(), ends(path))
                    || without.as_ref().is_some_and(|(path, ends)| {
                        glob.matches_up_to(path.as_bytes(), ends.iter().copied())
                    })
            })
        })
    }

    /// Whether the pattern leads into documents in strings: `jsondecode(policy).Statement`.
    pub fn is_of_documents(&self) -> bool {
        position_outside_quotes(&self.text, |_, byte| matches!(byte, b'(' | b')')).is_some()
    }

    /// Whether the pattern leads into the document in the string at a path, given as text.
    pub fn enters(&self, string: &str) -> bool {
        self.string.as_ref().is_some_and(|glob| {
            let has_place = self.skips_places() && string.contains('[');
            glob.matches(string.as_bytes())
                || has_place && glob.matches(without_indices(string).0.as_bytes())
        })
    }

    /// Returns the globs of the pattern. At least one must match the text of a path.
    pub fn globs(&self) -> impl Iterator<Item = &Glob> {
        std::iter::once(&self.whole).chain(&self.behind)
    }

    /// Whether the pattern may omit the indices of lists.
    pub fn skips_places(&self) -> bool {
        self.reach == Reach::Below
    }
}

/// Returns the text of a path with its keys as records write them. `Err` holds the offset of the
/// first invalid step, in bytes.
fn canonical(text: &str) -> Result<String, usize> {
    let mut path = String::with_capacity(text.len());
    let mut at = 0;
    if text.is_empty() {
        return Err(0);
    }
    while at < text.len() {
        let rest = &text[at..];
        let len = match rest.strip_prefix('[') {
            Some(inside) => bracketed(inside, &mut path).ok_or(at)?,
            None => key(rest, &mut path).ok_or(at)?,
        };
        at += len;
    }
    Ok(path)
}

/// Appends an unquoted key with the dot before it. Returns its length in `text`, in bytes.
fn key(text: &str, path: &mut String) -> Option<usize> {
    let name = match text.strip_prefix('.') {
        Some(_) if path.is_empty() => return None,
        Some(name) => name,
        // After a bracket, only `)` and `*` need no dot: `jsondecode(m["a"])`, `*[0]*`.
        None if path.ends_with(']') && !text.starts_with([')', '*']) => return None,
        None => text,
    };
    let end = name.find(['.', '[']).unwrap_or(name.len());
    let is_stray = |character: char| {
        character.is_whitespace() || character.is_control() || matches!(character, ']' | '"')
    };
    if end == 0 || name[..end].contains(is_stray) {
        return None;
    }
    let len = text.len() - name.len() + end;
    path.push_str(&text[..len]);
    Some(len)
}

/// Appends a step in brackets: an index of a list, or a quoted key. `inside` begins after the
/// bracket. Returns the length of the step with both brackets, in bytes.
fn bracketed(inside: &str, path: &mut String) -> Option<usize> {
    if !inside.starts_with('"') {
        let end = inside.find(']')?;
        let place = &inside[..end];
        let is_number = !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit());
        if place != "*" && !is_number {
            return None;
        }
        path.extend(["[", place, "]"]);
        return Some(end + 2);
    }
    let (key, end) = json_string(inside)?;
    inside[end..].strip_prefix(']')?;
    match is_ident(&key.replace('*', "_")) {
        true if path.is_empty() => path.push_str(&key),
        true => path.extend([".", &key]),
        false => push_key(path, &key),
    }
    Some(end + 2)
}

/// Splits the text of a path into its steps: `a.b[0]["x.y"]` into `a`, `.b`, `[0]` and `["x.y"]`.
fn steps(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = path;
    std::iter::from_fn(move || {
        let end =
            position_outside_quotes(rest, |place, byte| place > 0 && matches!(byte, b'.' | b'['));
        let (step, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(step).filter(|step| !step.is_empty())
    })
}

/// Returns the offsets at which the steps of a path end; 0 for the root, which has no steps.
fn ends(path: &str) -> impl Iterator<Item = usize> {
    let mut end = 0;
    let of_steps = steps(path).map(move |step| {
        end += step.len();
        end
    });
    path.is_empty().then_some(0).into_iter().chain(of_steps)
}

/// Returns a path without the indices of lists, and the offsets at which its steps end.
fn without_indices(path: &str) -> (String, Vec<usize>) {
    let is_index = |step: &&str| step.starts_with('[') && !step.starts_with("[\"");
    let mut text = String::with_capacity(path.len());
    let steps = steps(path).filter(|step| !is_index(step));
    let ends = steps.map(|step| {
        text.push_str(step);
        text.len()
    });
    let ends = ends.collect();
    (text, ends)
}

/// Splits a pattern into its text and whether a leading `=` makes it exact.
pub fn split_exact(pattern: &str) -> (&str, bool) {
    match pattern.strip_prefix('=') {
        Some(text) => (text, true),
        None => (pattern, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn a_pattern_covers_what_lies_below_it() {
        for (text, holds, paths) in [
            ("tags", true, &["tags", "tags.Name", r#"tags["a.b"]"#][..]),
            ("tags", false, &["tags_all.Name", "a.tags.Name"]),
            ("*.tags", true, &["a.tags.Name", "tags.Name"]),
            ("*.password", false, &["my_password"]),
            ("*.password", true, &["password.length", "db[0].login.password"]),
            ("ingress", true, &["ingress[0].cidr_blocks[3]"]),
            ("ingress.cidr_blocks", true, &["ingress[0].cidr_blocks[3]"]),
            ("ingress[*].cidr_blocks", true, &["ingress[0].cidr_blocks[3]"]),
            ("ingress[0]", true, &["ingress[0].cidr_blocks[3]"]),
            ("ingress[0]", false, &["ingress[1].cidr_blocks[3]", "ingress"]),
            ("ingress.port", true, &["ingress[*].port"]),
            ("m.k", false, &[r#"m["0"].k"#]),
            ("jsondecode(policy).a", true, &["jsondecode(policy).a[1].b"]),
            ("policy", true, &["jsondecode(policy).a[1].b", "jsondecode(policy)"]),
            ("policy.a", false, &["jsondecode(policy).a[1].b"]),
            ("set.values", true, &["yamldecode(set[0].values)[2]"]),
            ("values", false, &["yamldecode(set[0].values)[2]"]),
            (r#"m["a)\"b)"]"#, true, &[r#"jsondecode(m["a)\"b)"].k).x"#]),
            (r#"jsondecode(m["a b"])"#, true, &[r#"jsondecode(m["a b"]).x"#]),
            ("a", false, &[r#"["jsondecode(a)"].b"#, ""]),
            (r#"m[""].c"#, false, &[r#"m["[0]"].c"#]),
            (r#"m["\"].x"]"#, true, &[r#"m["\"].x"].c"#]),
            ("*[*0]*", false, &["x[10].y"]),
            ("*[0]*", true, &["x[0].y"]),
            ("*", true, &[""]),
            ("=tags", true, &["tags"]),
            ("=tags", false, &["tags.Name"]),
            ("=*.Name", true, &["tags.Name", "Name"]),
            ("=ingress.port", false, &["ingress[0].port"]),
            ("=ingress[*].port", true, &["ingress[0].port"]),
            ("=policy", false, &["jsondecode(policy).a"]),
            (r#"tags["Name"]"#, true, &["tags.Name"]),
            (r#"["tags"]["Na*"]"#, true, &["tags.Name"]),
            (r#"tags["a\u002fb"]"#, true, &[r#"tags["a/b"]"#]),
            (r#"tags["kubernetes.io/*"]"#, true, &[r#"tags["kubernetes.io/name"]"#]),
        ] {
            for path in paths {
                let found = Pattern::parse(text).is_ok_and(|pattern| pattern.covers(path));
                assert_eq!(found, holds, "{path} {text}");
            }
        }
        assert_eq!(pattern("=a.b").text(), "=a.b");
    }

    #[test]
    fn patterns_that_lead_into_documents_are_known() {
        for (text, is_of_documents) in [
            ("policy", false),
            (r#"m["jsondecode(a)"]"#, false),
            ("jsondecode(policy).a", true),
            ("=yamldecode(m.k)", true),
            ("*jsondecode(*", true),
            ("*(policy).a", true),
        ] {
            assert_eq!(pattern(text).is_of_documents(), is_of_documents, "{text}");
        }
    }

    #[test]
    fn a_pattern_enters_the_strings_whose_documents_it_covers() {
        for (text, entered, others) in [
            ("jsondecode(policy).a", &["policy"][..], &["policy.a", "x.policy", "polic"][..]),
            ("=yamldecode(m.k)", &["m.k"], &["m[0].k", "m"]),
            ("jsondecode(l.d).x", &["l[0].d", "l.d", "l[0][1].d"], &["l[0]", "d"]),
            ("jsondecode(l[0].d).x", &["l[0].d"], &["l[1].d"]),
            (r#"jsondecode(m["k"])"#, &["m.k"], &["m"]),
            ("*jsondecode(p*)*", &["policy", "p.x[0]"], &["x"]),
            ("jsondecode(*).password", &["policy", "a[0].b"], &[]),
            ("jsondecode(yamldecode(x).y).z", &["x"], &["yamldecode(x).y", "y"]),
            ("*.password", &[], &["password", "x"]),
            ("policy", &[], &["policy"]),
        ] {
            let pattern = pattern(text);
            assert!(entered.iter().all(|path| pattern.enters(path)), "{text}");
            assert!(!others.iter().any(|path| pattern.enters(path)), "{text}");
        }
    }

    #[test]
    fn invalid_paths_are_errors_at_their_offset() {
        for (place, texts) in [
            (0, &["", ".", ".a", "a]", "a b"][..]),
            (1, &["=", "a.", "a..b", "a[", "a[]", "a[x]", "a[-1]", "a[*0]", r#"a["#, r#"a[""#]),
            (1, &[r#"a["b""#, r#"a["\"#, r#"m["a"#]),
            (2, &["=a..b"]),
            (4, &["a[0]b"]),
        ] {
            for text in texts {
                let error = Pattern::parse(text).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Path, "{text}");
                assert_eq!(error.location().map(|it| it.offset), Some(place), "{text}");
            }
        }
    }

    /// Takes minutes if the time is quadratic in the length of the path.
    #[test]
    fn long_paths_take_linear_time() {
        let key = format!("m[\"{}\"].k", "a.".repeat(1 << 20));
        let deep = format!("m{}.k", ".a[0]".repeat(1 << 20));
        for path in [key, deep] {
            for (text, holds) in [("*x*y*", false), ("*a*b*", false), ("m", true), ("*a*k", true)] {
                assert_eq!(pattern(text).covers(&path), holds, "{text}");
            }
        }
    }
}

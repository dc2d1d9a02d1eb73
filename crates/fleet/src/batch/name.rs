//! Derives the names of record files from the names of the inputs.
//!
//! A name depends only on its input, so that a resumed run, a shard on another machine and a run
//! with more inputs agree on it. The name of the input is used with two replacements: `~` for a
//! slash, and `%` with two hexadecimal digits for every byte except letters, digits, `-`, `_` and
//! `.`. So no name leads out of the folder.
//!
//! Different inputs have different names, even on file systems that ignore case. A name with
//! capitals, or one that is too long, ends with `+` and a digest of the input's name. A `+` occurs
//! nowhere else.

use std::fmt::Write;

/// The maximum length of a name before it is cut, in bytes.
const LEN_MAX: usize = 150;

/// Names of devices on Windows, with any extension. `#` stands for a digit.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com#", "lpt#"];

/// Returns the name of the record file of an input, without its extension.
pub fn file_name(source: &[u8]) -> String {
    let mut name = String::with_capacity(source.len() + 40);
    let is_device = is_device(source);
    for (at, &byte) in source.iter().enumerate() {
        let is_kept = match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'A'..=b'Z' | b'_' => true,
            // A leading `.` would hide the file, and a leading `-` looks like an option.
            b'.' | b'-' => at > 0,
            _ => false,
        };
        match byte {
            b'/' => name.push('~'),
            _ if is_kept && !(is_device && at == 0) => name.push(byte.into()),
            // Writing to a `String` cannot fail.
            _ => drop(write!(name, "%{byte:02x}")),
        }
    }
    let is_cut = name.len() > LEN_MAX;
    if is_cut || source.iter().any(u8::is_ascii_uppercase) {
        name.truncate(LEN_MAX);
        let digest = blake3::hash(source).to_hex();
        name.push('+');
        name.push_str(&digest[..32]);
    }
    name
}

/// Whether Windows would take the name for a device.
fn is_device(source: &[u8]) -> bool {
    let stem = source.split(|&byte| byte == b'.').next().unwrap_or_default();
    let is_like = |(&byte, it): (&u8, u8)| match it {
        b'#' => byte.is_ascii_digit(),
        letter => byte.eq_ignore_ascii_case(&letter),
    };
    DEVICES
        .iter()
        .any(|device| device.len() == stem.len() && stem.iter().zip(device.bytes()).all(is_like))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_escaped_into_plain_file_names() {
        let digest = |source: &str| blake3::hash(source.as_bytes()).to_hex()[..32].to_owned();
        for (source, name) in [
            ("plan.json", "plan.json"),
            ("live/prod/plan.json", "live~prod~plan.json"),
            ("/data/plan.json", "~data~plan.json"),
            ("../plan.json", "%2e.~plan.json"),
            ("..", "%2e."),
            ("./plan.json", "%2e~plan.json"),
            ("a/../../etc/passwd", "a~..~..~etc~passwd"),
            (".hidden", "%2ehidden"),
            ("-", "%2d"),
            ("--out", "%2d-out"),
            ("a b~c%d+e.", "a%20b%7ec%25d%2be."),
            ("a\\b:c", "a%5cb%3ac"),
            ("a\u{0}\n\u{1b}", "a%00%0a%1b"),
            ("é", "%c3%a9"),
            ("con", "%63on"),
            ("con.json", "%63on.json"),
            ("com1", "%63om1"),
            ("common.json", "common.json"),
            ("console", "console"),
            ("com", "com"),
            ("lpt9.x.json", "%6cpt9.x.json"),
            ("s3://bucket/key", "s3%3a~~bucket~key"),
            ("", ""),
        ] {
            assert_eq!(file_name(source.as_bytes()), name, "{source:?}");
        }
        for (source, name) in [("A.json", "A.json"), ("NUL", "%4eUL"), ("x/Prod", "x~Prod")] {
            assert_eq!(file_name(source.as_bytes()), format!("{name}+{}", digest(source)));
        }
    }

    #[test]
    fn different_inputs_have_different_names() {
        let long = "x".repeat(400);
        let short =
            "a|A|a/b|a~b|a%2fb|a%7eb|A/b|a/B|á|a\u{301}|con|CON|%63on|%63ON|.a|%2ea|a+|a.|a |a";
        let sources: Vec<&str> = short.split('|').chain([&long[..], &long[1..]]).collect();
        let mut names: Vec<String> =
            sources.iter().map(|source| file_name(source.as_bytes()).to_lowercase()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), sources.len() - 1, "only `a` is there twice: {names:?}");
    }

    #[test]
    fn any_bytes_give_a_valid_file_name() {
        let all: Vec<u8> = (0..=255).collect();
        for source in all.windows(3).chain([&all[..], b"/", b"////"]) {
            let name = file_name(source);
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~%+".contains(&byte);
            assert!(name.bytes().all(is_plain) && name.len() <= LEN_MAX + 33, "{name}");
            assert!(!name.starts_with(['.', '-']), "{name}");
        }
    }
}

//! Links from reports to the lines of source files on a host.

use std::rc::Rc;

use super::origin::Origins;
use crate::inert::visible;

/// A URL with places for a file and its lines, such as
/// `https://host/owner/repo/blob/main/{path}#L{line}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlTemplate(String);

impl UrlTemplate {
    /// Reads a template. `sha` replaces `{sha}`.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the template.
    pub fn parse(text: &str, sha: Option<&str>) -> Result<UrlTemplate, &'static str> {
        let is_url = text.starts_with("https://") || text.starts_with("http://");
        let is_plain =
            text.bytes().all(|byte| byte.is_ascii_graphic() && !b"()<>\"".contains(&byte));
        if !is_url || !is_plain {
            return Err("it must be a URL that starts with https:// and has no spaces or brackets");
        }
        if !text.contains("{path}") {
            return Err("{path} must be in it, as in https://host/repo/blob/main/{path}#L{line}");
        }
        match sha {
            _ if !text.contains("{sha}") => Ok(UrlTemplate(text.to_owned())),
            Some(sha) => Ok(UrlTemplate(text.replace("{sha}", &encoded(sha)))),
            None => Err("{sha} is in it, and neither GITHUB_SHA nor CI_COMMIT_SHA is set"),
        }
    }
}

/// Makes links to the blocks of objects.
#[derive(Clone)]
pub struct SourceLinks {
    origins: Rc<dyn Origins>,
    template: UrlTemplate,
}

impl SourceLinks {
    /// Makes links with a template.
    pub fn new(origins: Rc<dyn Origins>, template: UrlTemplate) -> SourceLinks {
        SourceLinks { origins, template }
    }

    /// The place of an object's block in words, and its URL.
    pub(super) fn link(&self, address: &str) -> Option<(String, String)> {
        let origin = self.origins.find(address)?;
        let block = origin.location()?;
        let url = self.template.0.replace("{line}", &block.line.to_string());
        let url = url.replace("{end_line}", &block.end_line.to_string());
        let url = url.replace("{path}", &encoded(&block.file));
        Some((visible(&format!("{}:{}", block.file, block.line)), url))
    }
}

/// A path with all reserved characters percent-encoded.
pub(super) fn encoded(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_has_a_path_and_a_known_commit() {
        let url = "https://host/o/r/blob/{sha}/{path}#L{line}";
        let read = UrlTemplate::parse(url, Some("c0ffee"));
        assert_eq!(read, Ok(UrlTemplate("https://host/o/r/blob/c0ffee/{path}#L{line}".into())));
        for wrong in
            [url, "https://host/", "host/{path}", "https://host/{path})x(", "javascript:{path}"]
        {
            assert!(UrlTemplate::parse(wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_cannot_end_a_link() {
        assert_eq!(encoded("a b/(c)#.tf"), "a%20b/%28c%29%23.tf");
    }
}

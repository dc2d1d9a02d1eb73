//! The locations of blocks in reports, and links to the lines of source files.

use serde::Serialize;

use super::origin::{self, Location, Origin, SharedOrigins};
use plansift_plan::record::ResourceChange;

/// A URL with placeholders for a file and its lines, such as
/// `https://host/owner/repo/blob/main/{path}#L{line}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlTemplate(String);

impl UrlTemplate {
    /// Parses a template. `sha` replaces `{sha}`.
    ///
    /// # Errors
    ///
    /// Fails with a message about what is wrong with the template.
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
        let names = text.split('{').skip(1).map(|rest| rest.split_once('}').map(|(name, _)| name));
        let is_known = |name| matches!(name, Some("path" | "line" | "end_line" | "sha"));
        if !names.into_iter().all(is_known) {
            return Err("only {path}, {line}, {end_line} and {sha} can be in braces");
        }
        match sha {
            _ if !text.contains("{sha}") => Ok(UrlTemplate(text.to_owned())),
            Some(sha) => Ok(UrlTemplate(text.replace("{sha}", &encoded(sha)))),
            None => Err("{sha} is in it, and neither GITHUB_SHA nor CI_COMMIT_SHA is set"),
        }
    }

    fn url(&self, block: &Location) -> String {
        let url = self.0.replace("{line}", &block.line.to_string());
        let url = url.replace("{end_line}", &block.end_line.to_string());
        url.replace("{path}", &encoded(&block.file))
    }
}

/// The target of the links to blocks.
#[derive(Clone, Debug)]
pub enum LinkTarget {
    /// A page on a host.
    Url(UrlTemplate),
    /// A local file. The string is the absolute folder that the paths of files are relative to.
    Folder(String),
}

impl LinkTarget {
    fn url(&self, block: &Location) -> String {
        match self {
            LinkTarget::Url(template) => template.url(block),
            LinkTarget::Folder(folder) => {
                let slash = if folder.ends_with('/') { "" } else { "/" };
                format!("file://{}", encoded(&format!("{folder}{slash}{}", block.file)))
            }
        }
    }
}

/// Finds the locations of blocks, and makes links to them.
#[derive(Clone, Default)]
pub struct SourceLinks {
    origins: SharedOrigins,
    target: Option<LinkTarget>,
}

/// The location of a block as reports show it, or the reason why there is no block.
#[derive(Clone, Debug, Serialize)]
pub(super) struct SourceLink {
    /// The words for a person, without hidden characters.
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

impl SourceLinks {
    /// Finds locations with `origins`. Links lead to `target`.
    pub fn new(origins: SharedOrigins, target: Option<LinkTarget>) -> SourceLinks {
        SourceLinks { origins, target }
    }

    /// Returns the location of the block of a change.
    pub(super) fn of_change(&self, change: &ResourceChange<'_>) -> Option<SourceLink> {
        let origin = origin::of_change(&**self.origins.as_ref()?, change)?;
        Some(self.link(&origin))
    }

    /// Returns the location of the block of an address.
    pub(super) fn of(&self, address: &str) -> Option<SourceLink> {
        let origin = self.origins.as_ref()?.find(address)?;
        Some(self.link(&origin))
    }

    /// Returns the location of the block of an output.
    pub(super) fn of_output(&self, name: &str) -> Option<SourceLink> {
        self.of(&format!("output.{name}"))
    }

    fn link(&self, origin: &Origin) -> SourceLink {
        let target = self.target.as_ref().zip(origin.location());
        SourceLink {
            text: origin::words(origin),
            url: target.map(|(target, block)| target.url(block)),
        }
    }
}

impl SourceLink {
    /// Returns the text for a terminal. With a URL, the text is a hyperlink (OSC 8). A URL has only
    /// printable ASCII characters, so it cannot end the escape sequence.
    pub fn linked(&self) -> String {
        match &self.url {
            Some(url) => format!("\x1b]8;;{url}\x1b\\{}\x1b]8;;\x1b\\", self.text),
            None => self.text.clone(),
        }
    }
}

/// Percent-encodes all reserved characters of a path.
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
    use plansift_plan::config::BlockLocation;

    #[test]
    fn a_template_has_a_path_and_a_known_commit() {
        let url = "https://host/o/r/blob/{sha}/{path}#L{line}";
        let read = UrlTemplate::parse(url, Some("c0ffee"));
        assert_eq!(read, Ok(UrlTemplate("https://host/o/r/blob/c0ffee/{path}#L{line}".into())));
        for wrong in [
            url,
            "https://host/",
            "host/{path}",
            "https://host/{path})x(",
            "javascript:{path}",
            "https://host/{path}{foo}",
            "https://host/{path}{line",
        ] {
            assert!(UrlTemplate::parse(wrong, None).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_path_cannot_end_a_link() {
        assert_eq!(encoded("a b/(c)#.tf"), "a%20b/%28c%29%23.tf");
        let file = "a\x1b\\\u{7}]8;;x.tf".to_owned();
        let block = Location { file, line: 3, column: 1, end_line: 4 };
        let url = LinkTarget::Folder("/x y".into()).url(&block);
        assert_eq!(url, "file:///x%20y/a%1B%5C%07%5D8%3B%3Bx.tf");
        let block = BlockLocation { location: block, module_calls: Vec::new() };
        let link = SourceLink { text: origin::words(&Origin::Block(block)), url: Some(url) };
        assert!(!link.text.contains(char::is_control));
        assert_eq!(link.linked().matches('\x1b').count(), 4);
    }
}

//! The frame of a page: its head with the policy, its style and its script.

/// The first lines of every page.
const HEAD: &str = include_str!("page/head.html");

/// The title, the style and the script of a page. The digests are SHA-256 in base64.
pub(crate) struct Frame {
    pub title: &'static str,
    pub style: &'static str,
    pub style_digest: &'static str,
    pub script: &'static str,
    pub script_digest: &'static str,
}

impl Frame {
    /// Returns the text of the page up to its body.
    pub fn head(&self) -> String {
        let Frame { title, style, style_digest, script_digest, .. } = self;
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{script_digest}'; \
             style-src 'sha256-{style_digest}'; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'"
        );
        HEAD.replace("<!-- policy -->", &policy)
            .replace("<!-- title -->", title)
            .replace("/* style */", style)
    }

    /// Inserts the script into the end of the page.
    pub fn tail(&self, template: &str) -> String {
        template.replace("/* script */", self.script)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;

    /// Checks the digests of a page and the placeholders of its template.
    pub(crate) fn check(frame: &Frame, template: &str, marks: &[&str]) {
        let digest = |text: &str| STANDARD.encode(Sha256::digest(text));
        assert_eq!(
            [frame.style_digest, frame.script_digest],
            [frame.style, frame.script].map(digest)
        );
        for mark in marks.iter().chain(&["/* script */"]) {
            assert_eq!(template.matches(mark).count(), 1, "{mark}");
        }
        for mark in ["<!-- policy -->", "<!-- title -->", "/* style */"] {
            assert_eq!(HEAD.matches(mark).count(), 1, "{mark}");
        }
        assert!(frame.head().contains(frame.style));
        assert!(frame.tail(template).contains(frame.script));
        // These strings would end the style or the script early.
        assert!(!frame.style.contains("</") && !frame.script.contains("</"));
        assert!(!frame.script.contains("<!--"));
    }
}

//! Classifies an input by its first bytes, to find plans and states in a folder.
//!
//! When in doubt, the answer is "plan", because skipping a plan would hide its changes. So an input
//! counts as a plan if it begins like a plan but is cut off or damaged, or if a later line begins
//! like a plan. Reading such an input reports the problem.

use super::document_fault::DocumentFault;
use super::kind::{self, KindClues};
use super::preamble::TEXT_MAX;
use super::section::Section;
use super::wrong_document::WrongDocument;
use super::{Accepts, Answer, Documents, Flow, Piece, PlanOptions, Visitor};
use plansift_core::error::{Error, Result};
use plansift_core::input::{Slice, Source};

/// Number of bytes of an input that are examined. The head of any plan fits, and most other
/// documents fit completely.
const LEN: usize = 64 << 10;

/// Number of bytes that are examined in a line that may begin a plan. An input may have many such
/// lines.
const LINE_LEN: usize = 4 << 10;

/// Number of bytes in which a plan inside another document begins.
const WRAPPER_LEN: usize = 256;

/// The first bytes of each approval file that `plansift approve` writes.
pub const APPROVAL_START: &[u8] = br#"{"kind":"approval""#;

/// The kind of an input, judged by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A plan, perhaps cut off or damaged.
    Plan,
    /// Perhaps a part of a plan: it has no `format_version`.
    Remnant,
    /// A state, as JSON or as a native state file, perhaps cut off or damaged.
    State,
    /// No bytes, white space only, or `null`.
    Empty,
    /// A binary plan file.
    PlanFile,
    /// A plan that cannot be read: encrypted by OpenTofu, the bookmark of a plan in HCP Terraform,
    /// a plan file of Terraform 0.11 or older, or a plan inside another document.
    Unreadable,
    /// An approval of `plansift approve`.
    Approval,
    /// An encrypted state of OpenTofu.
    EncryptedState,
    /// A document that is certainly not a plan: the output of another command, or configuration.
    NotAPlan,
    /// Anything else.
    Other,
}

/// Classifies an input by its first bytes. Fails if the input cannot be read, expanded or decoded.
pub fn input_kind(source: &mut impl Source) -> Result<InputKind> {
    while source.window().len() < LEN && source.fill(0)? {}
    let window = source.window();
    let head = &window[..window.len().min(LEN)];
    let kind = match judge(head) {
        InputKind::Plan if memchr::memmem::find(head, b"format_version\"").is_none() => {
            InputKind::Remnant
        }
        kind => kind,
    };
    let is_decided = !matches!(kind, InputKind::Other | InputKind::NotAPlan);
    if is_decided || memchr::memchr(0, head).is_some() {
        return Ok(kind);
    }
    // A wrapper may have printed a long text before the plan.
    while source.window().len() < TEXT_MAX && source.fill(0)? {}
    let window = source.window();
    Ok(if holds_plan(&window[..window.len().min(TEXT_MAX)]) { InputKind::Plan } else { kind })
}

/// Whether a line after the first begins like a plan.
fn holds_plan(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"\n{").any(|feed| {
        let line = &text[feed + 1..];
        let key = line[1..].trim_ascii_start();
        key.starts_with(b"\"format_version\"")
            && judge(&line[..line.len().min(LINE_LEN)]) == InputKind::Plan
    })
}

fn judge(head: &[u8]) -> InputKind {
    // A script may have the name of a plan.
    if head.starts_with(b"#!") {
        return InputKind::NotAPlan;
    }
    if head.starts_with(APPROVAL_START) {
        return InputKind::Approval;
    }
    let mut visitor = KindVisitor::default();
    // The first of several documents decides.
    let mut documents = Documents::new(Slice(head), &PlanOptions::default());
    let error = documents.read(Accepts::Plans, &mut visitor).err();
    let wrong = error.as_ref().and_then(Error::fault::<WrongDocument>);
    let fault = error.as_ref().and_then(Error::fault::<DocumentFault>);
    match wrong {
        _ if visitor.clues.is_plan() => InputKind::Plan,
        Some(WrongDocument::Empty | WrongDocument::Null) => InputKind::Empty,
        Some(WrongDocument::State | WrongDocument::EmptyState | WrongDocument::NativeState) => {
            InputKind::State
        }
        Some(WrongDocument::BinaryPlan) if begins_plan_file(head) => InputKind::PlanFile,
        Some(kind) => match kind {
            WrongDocument::Encrypted if visitor.clues.is_other() => InputKind::EncryptedState,
            WrongDocument::Encrypted
            | WrongDocument::CloudPlan
            | WrongDocument::OldPlan
            | WrongDocument::Wrapped
            | WrongDocument::WrappedElement
            | WrongDocument::Combined
            | WrongDocument::CombinedElement => InputKind::Unreadable,
            WrongDocument::Utf16 if holds_utf16_plan(head) => InputKind::Unreadable,
            WrongDocument::ProviderSchema
            | WrongDocument::Functions
            | WrongDocument::Version
            | WrongDocument::Validation
            | WrongDocument::Outputs
            | WrongDocument::Source => InputKind::NotAPlan,
            _ => InputKind::Other,
        },
        // A plan of a later major version.
        None if fault == Some(&DocumentFault::FormatVersion) => InputKind::Plan,
        _ if visitor.clues.is_other() => match visitor.clues.verdict(false) {
            WrongDocument::State | WrongDocument::NativeState => InputKind::State,
            WrongDocument::OtherJson => InputKind::Other,
            _ => InputKind::NotAPlan,
        },
        // A document that is cut off, with a plan inside it.
        _ if kind::holds_beginning(head.get(1..WRAPPER_LEN).unwrap_or_default()) => {
            InputKind::Unreadable
        }
        _ if visitor.is_known || visitor.keys == 0 => InputKind::Plan,
        _ => InputKind::Other,
    }
}

/// Whether a text in UTF-16 without a byte order mark has the first key of a plan.
fn holds_utf16_plan(head: &[u8]) -> bool {
    let text: Vec<u8> = head.iter().copied().filter(|byte| *byte != 0).collect();
    memchr::memmem::find(&text, b"format_version\"").is_some()
}

/// Whether a zip archive begins with the member `tfplan`, like all plan files of Terraform and
/// OpenTofu. Folders with plans often contain other archives, such as the code of functions.
fn begins_plan_file(head: &[u8]) -> bool {
    const NAME: &[u8] = b"tfplan";
    // The header of a member: 26 bytes, the lengths of its name and its extra field, its name.
    let has_len = head.get(26..28) == Some(&(NAME.len() as u16).to_le_bytes());
    has_len && head.get(30..).is_some_and(|rest| rest.starts_with(NAME))
}

/// Collects top-level keys until the kind of the input is certain.
#[derive(Default)]
struct KindVisitor {
    clues: KindClues,
    keys: u64,
    /// True if the document has a key that plans have. Other documents may have the same key.
    is_known: bool,
}

impl Visitor for KindVisitor {
    fn section(&mut self, section: Section, key: &str) -> Answer {
        self.keys += 1;
        self.is_known |= section != Section::Other;
        let decided = self.clues.note(section, key).is_some() || self.clues.is_plan();
        if decided { Answer::Stop } else { Answer::Skip }
    }

    fn piece(&mut self, _: &Piece<'_>) -> Result<Flow> {
        Ok(Flow::Continue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_that_begins_with_the_plan_is_a_plan_file() {
        let header = |name: &str| {
            let lengths = [name.len() as u8, 0, 0, 0];
            [b"PK\x03\x04", &[0; 22][..], &lengths, name.as_bytes(), b"data"].concat()
        };
        assert_eq!(judge(&header("tfplan")), InputKind::PlanFile);
        for name in ["tfplan2", "index.js", ""] {
            assert_eq!(judge(&header(name)), InputKind::Other, "{name}");
        }
        assert_eq!(judge(b"PK\x03\x04"), InputKind::Other);
        assert_eq!(judge(&header("tfplan")[..28]), InputKind::Other);
    }

    #[test]
    fn native_state_files_are_states() {
        let head = r#"{"version":4,"terraform_version":"1.9.0","serial":1,"lineage":"x""#;
        let cut = format!(r#"{head},"outputs":{{"a":"{}"#, "x".repeat(LEN));
        for state in [format!(r#"{head},"outputs":{{}}}}"#), cut] {
            assert_eq!(judge(state.as_bytes()), InputKind::State, "{state:.60}");
        }
    }

    /// A plan whose first section after its version is longer than what is judged.
    fn far() -> String {
        format!(r#"{{"format_version":"1.2","variables":{{"a":"{}"#, "x".repeat(LEN))
    }

    #[test]
    fn inputs_with_a_plan_are_plans() {
        let far = far();
        for plan in [
            r#"{"format_version":"1.2","resource_changes":[]}"#,
            r#"{"applyable":true,"format_version":"1.2"}"#,
            r#"{"format_version":"2.0","planned":{}}"#,
            r#"{"plan_format_version":"1.2","resource_changes":[]}"#,
            "\u{feff}\n{\n  \"format_version\": \"1.2\",\n  \"planned_values\": {}}",
            "[command]/bin/terraform show -json p\n{\"format_version\":\"1.2\",\"errored\":true}",
            r#"[{"format_version":"1.2","resource_changes":[]},{"format_version":"1.2"}]"#,
            "[\n  {\n    \"format_version\": \"1.2\",\n",
            // Cut off and damaged.
            r#"{"format_version":"1.2","terra"#,
            r#"{"format_version":"1.2","resource_changes":[}"#,
            r#"{"form"#,
            "{",
            &far,
            // The second document is incomplete. Only the reader detects that.
            "{\"format_version\":\"1.2\",\"resource_changes\":[]}\n{\"format_version\":\"1.2\"",
        ] {
            assert_eq!(judge(plan.as_bytes()), InputKind::Plan, "{plan:.60}");
        }
    }

    #[test]
    fn inputs_without_a_plan_are_classified() {
        let far = far();
        let state = r#"{"format_version":"1.0","terraform_version":"1.9.0","values":{"root"#;
        let state = format!("{state}\":\"{}", "x".repeat(LEN));
        for other in [
            "PK\u{3}\u{4}\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0not of a plan",
            "# Plans\n",
            "[1,2]",
            "[{\"a\":1}]",
            "17",
            "{}",
            r#"{"name":"package","version":"1.0.0"}"#,
            r#"{"name":"pack"#,
            "{\"@level\":\"info\",\"@message\":\"x\"}\n{\"@level\":\"info\"}\n",
            "{\"kind\":\"plan\",\"format_version\":\"1.2\"}\n{\"kind\":\"summary\"}",
        ] {
            assert_eq!(judge(other.as_bytes()), InputKind::Other, "{other:.60}");
        }
        for known in [
            "resource \"a\" \"b\" {}\n",
            "#!/bin/sh\nterraform plan\n",
            r#"{"provider_schemas":{},"values":{},"format_version":"1.0"}"#,
            r#"{"format_version":"1.0","provider_schemas":{"x":{"#,
        ] {
            assert_eq!(judge(known.as_bytes()), InputKind::NotAPlan, "{known:.60}");
        }
        let encrypted = r#""meta":{},"encrypted_data":"x"}"#;
        for unreadable in [
            &format!("{{{encrypted}"),
            r#"{"remote_plan_format":1}"#,
            "tfplan\u{2}",
            r#"{"terraform":{"format_version":"1.2","resource_changes":[]}}"#,
            &format!(r#"{{"a":1,"plan":{far}"#),
            &format!(r#"[{{"path":"x","contents":{far}"#),
            "{\0\"\0f\0o\0r\0m\0a\0t\0_\0v\0e\0r\0s\0i\0o\0n\0\"\0:\0",
        ] {
            assert_eq!(judge(unreadable.as_bytes()), InputKind::Unreadable, "{unreadable:.60}");
        }
        let encrypted = format!(r#"{{"serial":1,"lineage":"x",{encrypted}"#);
        assert_eq!(judge(encrypted.as_bytes()), InputKind::EncryptedState);
        let small = r#"{"format_version":"1.0","terraform_version":"1.9.0","values":{}}"#;
        for state in [&state, small, r#"{"format_version":"1.0"}"#] {
            assert_eq!(judge(state.as_bytes()), InputKind::State, "{state:.60}");
        }
        let remnants = ["{", r#"{"configuration":{"a":1}}"#, r#"{"applyable":true,"che"#];
        for remnant in remnants {
            assert_eq!(
                input_kind(&mut Slice(remnant.as_bytes())).unwrap(),
                InputKind::Remnant,
                "{remnant}"
            );
        }
        for empty in ["", "\n \n", "\u{feff}", "null\n"] {
            assert_eq!(judge(empty.as_bytes()), InputKind::Empty, "{empty:?}");
        }
    }

    #[test]
    fn a_plan_may_follow_other_text() {
        for before in ["{}\n", "{\"@level\":\"info\"}\n", &"Refreshing state...\n".repeat(20_000)] {
            for plan in [
                "{\"format_version\":\"1.2\",\"resource_changes\":[]}",
                "{\n  \"format_version\": \"1.2\",\n  \"planned_values\": {",
            ] {
                let text = format!("{before}{plan}");
                assert_eq!(
                    input_kind(&mut Slice(text.as_bytes())).unwrap(),
                    InputKind::Plan,
                    "{text:.60}"
                );
            }
            let text = format!("{before}{{\"format_version\":\"1.0\",\"valid\":true}}");
            let kind = input_kind(&mut Slice(text.as_bytes())).unwrap();
            assert!(matches!(kind, InputKind::Other | InputKind::NotAPlan), "{text:.60} {kind:?}");
        }
    }
}

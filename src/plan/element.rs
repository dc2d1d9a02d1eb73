//! An element of a section of changes before it is parsed: it can be copied, or recognised as
//! unchanged.
//!
//! Most elements of `resource_changes` are no-ops whose `before` and `after` are the same bytes. If
//! an element has the key order and encoding of the tools (docs/format/plan.md, section 3), a few
//! comparisons recognise such a no-op without parsing it. Everything else (another order, a space,
//! an unlisted key, `previous_address`, `importing`) goes to [`super::ResourceChange::parse`].
//! Invariant: for an element that is recognised here, the parser finds the same.

use super::section::Section;
use crate::json::canonical::Canonical;
use crate::json::detached::Detached;
use crate::json::outline::Outline;
use crate::json::value::Text;

/// An element of `resource_changes`, `resource_drift` or `deferred_changes` that is not yet parsed.
#[derive(Clone, Copy, Debug)]
pub struct Element<'a> {
    pub(super) section: Section,
    pub(super) index: u64,
    /// The text from [`Outline::origin`] to the element's end.
    pub(super) text: &'a [u8],
    pub(super) outline: &'a Outline,
}

impl<'a> Element<'a> {
    /// The section that contains the element.
    pub fn section(&self) -> Section {
        self.section
    }

    /// Number of elements of the section before this one.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Approximate length in bytes.
    pub fn size(&self) -> usize {
        self.text.len()
    }

    /// Copies the element to `copies`.
    pub fn detach(&self, copies: &mut Detached) {
        copies.push(self.text, self.outline);
    }

    /// Recognises an unchanged element on the fast path; `None` means that the element must be
    /// parsed.
    pub fn unchanged(&self) -> Option<Unchanged<'a>> {
        if self.section != Section::ResourceChanges {
            return None;
        }
        Unchanged::glance(self.outline.canonical(self.text))
    }
}

/// A no-op with the same bytes on both sides that moves nothing and imports nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unchanged<'a> {
    /// Bytes from the start of the input to the address.
    pub offset: u64,
    /// The overlay as raw JSON: an object, an array, `true` or `false`.
    pub after_unknown: &'a [u8],
    /// The overlay as raw JSON, like `after_unknown`.
    pub before_sensitive: &'a [u8],
    /// The overlay as raw JSON, like `after_unknown`.
    pub after_sensitive: &'a [u8],
}

impl<'a> Unchanged<'a> {
    /// Recognises an unchanged element of `resource_changes`; `None` means that it must be parsed.
    fn glance(element: Canonical<'a>) -> Option<Unchanged<'a>> {
        let mut text = element;
        if !text.take(b"{\"address\":") {
            return None;
        }
        let offset = text.offset();
        let known = text.string()
            && (!text.take(b",\"module_address\":") || text.string())
            && resource(&mut text)
            && text.take(b",\"change\":{\"actions\":[\"no-op\"],\"before\":");
        if !known {
            return None;
        }
        let before = text.container()?;
        if !(text.take(b",\"after\":") && text.take(before) && text.take(b",\"after_unknown\":")) {
            return None;
        }
        let after_unknown = text.overlay()?;
        if !text.take(b",\"before_sensitive\":") {
            return None;
        }
        let before_sensitive = text.overlay()?;
        if !text.take(b",\"after_sensitive\":") {
            return None;
        }
        let after_sensitive =
            if text.take(before_sensitive) { before_sensitive } else { text.overlay()? };
        for identity in [&b",\"before_identity\":"[..], b",\"after_identity\":"] {
            if text.take(identity) {
                text.container()?;
            }
        }
        (text.take(b"}}") && text.is_at_end()).then_some(Unchanged {
            offset,
            after_unknown,
            before_sensitive,
            after_sensitive,
        })
    }
}

/// Skips the keys that identify a resource, from its mode to its provider.
#[inline(always)]
fn resource(text: &mut Canonical<'_>) -> bool {
    text.take(b",\"mode\":")
        && text.string()
        && text.take(b",\"type\":")
        && text.string()
        && text.take(b",\"name\":")
        && text.string()
        && (!text.take(b",\"index\":") || text.small_number() || text.string())
        && text.take(b",\"provider_name\":")
        && text.string()
}

/// A resource of `planned_values`, `prior_state` or a state.
#[derive(Clone, Copy, Debug)]
pub struct ResourceGlance<'a> {
    /// The section that contains the resource.
    pub section: Section,
    /// Its address, not yet decoded.
    pub address: Text<'a>,
    /// Its `sensitive_values` as raw JSON.
    pub sensitive_values: &'a [u8],
}

/// Recognises a resource of values by the same kind of comparisons (docs/format/plan.md, section
/// 6); `None` means that it must be parsed.
pub(super) fn resource_glance<'a>(
    section: Section,
    resource: Canonical<'a>,
) -> Option<ResourceGlance<'a>> {
    let mut text = resource;
    if !text.take(b"{\"address\":") {
        return None;
    }
    let address = text.text()?;
    let known = self::resource(&mut text)
        && text.take(b",\"schema_version\":")
        && text.small_number()
        && text.take(b",\"values\":");
    if !known {
        return None;
    }
    text.container()?;
    if !text.take(b",\"sensitive_values\":") {
        return None;
    }
    let overlay = text.overlay()?;
    if text.take(b",\"depends_on\":") {
        text.container()?;
    }
    text.take(b",\"tainted\":true");
    if text.take(b",\"deposed_key\":") && !text.string() {
        return None;
    }
    // Terraform and OpenTofu write these keys in different orders.
    for _ in 0..2 {
        if text.take(b",\"identity_schema_version\":") && !text.small_number() {
            return None;
        }
        if text.take(b",\"identity\":") {
            text.container()?;
        }
    }
    let glance = ResourceGlance { section, address, sensitive_values: overlay };
    (text.take(b"}") && text.is_at_end()).then_some(glance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::input::Slice;
    use crate::json::value::Name;
    use crate::plan::{Answer, Flow, Options, ResourceChange, Visitor, read};

    const NATIVE: &str = concat!(
        r#"{"address":"module.a.b.c[\"k\"]","module_address":"module.a","mode":"managed","#,
        r#""type":"b","name":"c","index":"k","provider_name":"p","change":{"actions":["no-op"],"#,
        r#""before":{"a":[{"x":"\"}"},{}],"n":1.50,"s":"é"},"after":{"a":[{"x":"\"}"},{}],"#,
        r#""n":1.50,"s":"é"},"after_unknown":{},"before_sensitive":{"a":[{},true]},"#,
        r#""after_sensitive":{"a":[{},true]},"before_identity":{"id":"i"},"#,
        r#""after_identity":{"id":"i"}}}"#,
    );

    /// The overlays of an unchanged element by both paths; `None` if a path does not find it
    /// unchanged.
    #[derive(Default)]
    struct Both {
        glance: Option<[Vec<u8>; 3]>,
        general: Option<[Vec<u8>; 3]>,
    }

    impl Visitor for Both {
        fn element(&mut self, element: &Element<'_>) -> Result<Answer> {
            self.glance = element.unchanged().map(|unchanged| {
                let Unchanged { after_unknown, before_sensitive, after_sensitive, .. } = unchanged;
                [after_unknown, before_sensitive, after_sensitive].map(<[u8]>::to_vec)
            });
            Ok(Answer::Enter)
        }

        fn resource_change(&mut self, _: Section, found: &ResourceChange<'_>) -> Result<Flow> {
            let change = &found.change;
            let mut actions = change.actions()?;
            let is_no_op = actions.next().transpose()?.is_some_and(|action| action.is("no-op"))
                && actions.next().is_none();
            let raw =
                |value: Option<crate::json::value::Value<'_>>| value.map(|it| it.raw().to_vec());
            let stays = is_no_op
                && raw(change.before) == raw(change.after)
                && found.previous_address.is_none()
                && change.importing.is_none();
            let overlays =
                [change.after_unknown, change.before_sensitive, change.after_sensitive].map(raw);
            if let ([Some(unknown), Some(before), Some(after)], true) = (overlays, stays) {
                self.general = Some([unknown, before, after]);
            }
            Ok(Flow::Continue)
        }
    }

    fn both(element: &[u8]) -> Both {
        let plan = [b"{\"format_version\":\"1.2\",\"resource_changes\":[", element, b"]}"].concat();
        let mut both = Both::default();
        // The input may be malformed after the element; only the events before count.
        let _ = read(Slice(&plan), &Options::default(), &mut both);
        both
    }

    const RESOURCE: &str = concat!(
        r#"{"address":"b.c[0]","mode":"managed","type":"b","name":"c","index":0,"#,
        r#""provider_name":"p","schema_version":1,"values":{"a":["x",{"k":"\"}"}]},"#,
        r#""sensitive_values":{"a":[false,{"k":true}]},"depends_on":["b.d"],"tainted":true,"#,
        r#""deposed_key":"00","identity_schema_version":0,"identity":{"id":"i"}}"#,
    );

    /// Whether the fast path recognises a resource. If so, its overlay must equal the parser's.
    fn is_recognised(resource: &[u8]) -> bool {
        use crate::json::Validation;
        use crate::json::cursor::Cursor;
        let (isa, limits) = (crate::scan::Isa::best(), crate::limits::Limits::default());
        let mut cursor = Cursor::new(Slice(resource), 0, isa, Validation::Structure, limits);
        let mut outline = Outline::new();
        if cursor.outline(&mut outline).is_err() || !cursor.at_end().is_ok_and(|end| end) {
            return false;
        }
        let text = cursor.outlined(&outline);
        let Some(glance) = resource_glance(Section::Other, outline.canonical(text)) else {
            return false;
        };
        let overlay = glance.sensitive_values.to_vec();
        let value = cursor.value(&mut outline);
        let known = Name::all(["values", "sensitive_values", "identity"]);
        let [values, general, _] = crate::plan::members(value, &known).unwrap();
        assert_eq!(general.unwrap().raw(), overlay);
        assert!(matches!(values.unwrap().raw(), [b'{' | b'[', ..]));
        true
    }

    #[test]
    fn recognised_resources_have_the_overlay_of_the_parser() {
        assert!(is_recognised(RESOURCE.as_bytes()));
        assert!(is_recognised(RESOURCE.replacen(r#""index":0,"#, "", 1).as_bytes()));
        let mut seen = 0;
        for place in 0..RESOURCE.len() {
            for byte in *b"\"\\{}[],:x01- tfn" {
                let [mut damaged, mut longer, mut shorter] =
                    [(); 3].map(|()| RESOURCE.as_bytes().to_vec());
                damaged[place] = byte;
                longer.insert(place, byte);
                shorter.remove(place);
                seen +=
                    [damaged, longer, shorter].iter().filter(|text| is_recognised(text)).count();
            }
        }
        assert!(seen > 500, "{seen} overlays were seen at a glance");
    }

    #[test]
    fn native_elements_are_recognised() {
        let with = |from, to| NATIVE.replacen(from, to, 1);
        let natives = [
            NATIVE.to_owned(),
            with(r#""index":"k","#, r#""index":12,"#),
            with(r#""index":"k","#, ""),
            with(r#""module_address":"module.a","#, ""),
            with(r#""before_identity":{"id":"i"},"after_identity":{"id":"i"}"#, "")
                .replace("},}", "}}"),
            NATIVE.replace(r#"{"a":[{},true]}"#, "false"),
        ];
        for native in natives {
            assert!(matches_parser(native.as_bytes()), "{native}");
        }
    }

    #[test]
    fn the_fast_path_agrees_with_the_parser() {
        let numbered = NATIVE.replacen(r#""index":"k","#, r#""index":12,"#, 1);
        let mut seen = 0;
        for native in [NATIVE.as_bytes(), numbered.as_bytes()] {
            for place in 0..native.len() {
                for byte in *b"\"\\{}[],:x01- tfn" {
                    let [mut damaged, mut longer, mut shorter] = [(); 3].map(|()| native.to_vec());
                    damaged[place] = byte;
                    longer.insert(place, byte);
                    shorter.remove(place);
                    for element in [damaged, longer, shorter] {
                        seen += usize::from(matches_parser(&element));
                    }
                }
            }
        }
        assert!(seen > 2000, "{seen} elements were seen at a glance");
    }

    #[test]
    fn an_index_is_recognised_whole_or_not_at_all() {
        for index in [
            "01\"x\"",
            "00\"x\"",
            "1234567890\"x\"",
            "12345678901",
            "-1",
            "1.0",
            "1e0",
            "\"a\"\"b\"",
        ] {
            let native = NATIVE.replacen(r#""index":"k","#, &format!("\"index\":{index},"), 1);
            matches_parser(native.as_bytes());
            assert!(both(native.as_bytes()).glance.is_none(), "{index}");
        }
    }

    /// Whether the fast path recognises an element. If so, the parser must find the same.
    fn matches_parser(element: &[u8]) -> bool {
        let both = both(element);
        if both.glance.is_some() {
            assert_eq!(both.glance, both.general, "{}", element.escape_ascii());
        }
        both.glance.is_some()
    }
}

//! Serializes records to JSON: byte for byte the output of serde_json, at a fraction of its cost.
//!
//! Nearly all records of a plan are resource changes. The fast path in this module builds their
//! JSON from literal keys, copies strings that need no escapes as a whole, and reuses the JSON of a
//! path list for consecutive changes with the same list. All other records, and records that are
//! too long to build in memory, use `Serialize`.
//!
//! A new field of [`ResourceChange`] must also be written here. A test compares both outputs.

use std::borrow::Cow;
use std::io::Write;

use super::write_error;
use crate::config::Block;
use crate::error::Result;
use crate::json::string::{is_plain, push_escaped, push_quoted};
use crate::path::Paths;
use crate::record::{Record, ResourceChange};

/// Writes records as JSON text and reuses its buffers.
#[derive(Debug, Default)]
pub(super) struct Rows {
    json: String,
    changed: List,
    unknown: List,
    sensitive: List,
    replace_paths: List,
}

impl Rows {
    /// Writes a record without a newline.
    pub(super) fn write(&mut self, record: &Record<'_>, out: &mut impl Write) -> Result<()> {
        let (kind, change) = match record {
            Record::ResourceChange(change) => ("{\"kind\":\"resource_change\"", change),
            Record::ResourceDrift(change) => ("{\"kind\":\"resource_drift\"", change),
            Record::DeferredChange(change) => ("{\"kind\":\"deferred_change\"", change),
            _ => return serde_json::to_writer(out, record).map_err(write_error),
        };
        if !is_short(change) {
            return serde_json::to_writer(out, record).map_err(write_error);
        }
        self.json.clear();
        self.json.push_str(kind);
        self.change(change);
        out.write_all(self.json.as_bytes()).map_err(write_error)
    }

    fn change(&mut self, change: &ResourceChange<'_>) {
        let json = &mut self.json;
        some_text(json, ",\"address\":", &change.resource.address);
        some_text(json, ",\"previous_address\":", &change.resource.previous_address);
        some_text(json, ",\"module_address\":", &change.resource.module_address);
        some_text(json, ",\"mode\":", &change.resource.mode);
        some_text(json, ",\"type\":", &change.resource.type_name);
        some_text(json, ",\"name\":", &change.resource.name);
        if let Some(index) = &change.resource.index {
            json.push_str(",\"index\":");
            json.push_str(index.get());
        }
        some_text(json, ",\"deposed\":", &change.resource.deposed);
        some_text(json, ",\"provider_name\":", &change.resource.provider_name);
        text(json, ",\"action\":", &change.action);
        json.push_str(",\"actions\":[");
        for (index, action) in change.actions.iter().enumerate() {
            text(json, if index > 0 { "," } else { "" }, action);
        }
        json.push(']');
        some_text(json, ",\"action_reason\":", &change.action_reason);
        some_text(json, ",\"deferred_reason\":", &change.deferred_reason);
        self.changed.write(json, ",\"changed\":", &change.paths.changed);
        self.unknown.write(json, ",\"unknown\":", &change.paths.unknown);
        self.sensitive.write(json, ",\"sensitive\":", &change.paths.sensitive);
        self.replace_paths.write(json, ",\"replace_paths\":", &change.paths.replace_paths);
        if let Some(importing) = &change.importing {
            json.push_str(",\"importing\":");
            json.push_str(importing.get());
        }
        if change.generated_config {
            json.push_str(",\"generated_config\":true");
        }
        for (key, member) in change.block.iter().flat_map(|block| block_members(block)) {
            if let Some(member) = member {
                text(json, key, member);
            }
        }
        if let Some(source) = &change.source {
            json.push_str(",\"source\":");
            json.push_str(source.get());
        }
        json.push('}');
    }
}

#[inline]
fn text(json: &mut String, key: &str, text: &str) {
    json.push_str(key);
    push_quoted(text, json);
}

#[inline]
fn some_text(json: &mut String, key: &str, some: &Option<Cow<'_, str>>) {
    if let Some(some) = some {
        text(json, key, some);
    }
}

/// Returns the members of a block, each with the JSON before its value.
fn block_members(block: &Block) -> [(&'static str, &Option<String>); 5] {
    [
        (",\"config_address\":", &block.config_address),
        (",\"provider_config_key\":", &block.provider_config_key),
        (",\"provider_alias\":", &block.provider_alias),
        (",\"module_source\":", &block.module_source),
        (",\"module_version_constraint\":", &block.module_version_constraint),
    ]
}

/// Whether a row may be built in memory: its parts together are no longer than an output buffer.
fn is_short(change: &ResourceChange<'_>) -> bool {
    let len = |text: &Option<Cow<'_, str>>| text.as_ref().map_or(0, |text| text.len());
    let texts = len(&change.resource.address)
        + len(&change.resource.previous_address)
        + len(&change.resource.module_address)
        + len(&change.resource.mode)
        + len(&change.resource.type_name)
        + len(&change.resource.name)
        + change.resource.index.as_ref().map_or(0, |index| index.get().len())
        + len(&change.resource.deposed)
        + len(&change.resource.provider_name)
        + change.action.len()
        + change.actions.iter().map(|action| action.len()).sum::<usize>()
        + len(&change.action_reason)
        + len(&change.deferred_reason)
        + change.importing.as_ref().map_or(0, |importing| importing.get().len())
        + change.source.as_ref().map_or(0, |source| source.get().len());
    let block = change.block.iter().flat_map(|block| block_members(block));
    let block = block.map(|(_, text)| text.as_ref().map_or(0, String::len)).sum::<usize>();
    let lists = [
        &change.paths.changed,
        &change.paths.unknown,
        &change.paths.sensitive,
        &change.paths.replace_paths,
    ];
    (texts + block) as u64 + lists.iter().map(|list| list.size()).sum::<u64>()
        <= super::BUFFER as u64
}

/// The last list of paths and its JSON text.
#[derive(Debug, Default)]
struct List {
    paths: Paths,
    json: String,
    /// Scratch space for a path that needs escapes.
    path: String,
}

impl List {
    /// Writes a list with its key, unless it is empty.
    ///
    /// Reuses the last JSON if the paths are the same. This is common, because the instances of a
    /// resource follow each other and mostly change at the same paths.
    fn write(&mut self, json: &mut String, key: &str, paths: &Paths) {
        if paths.is_empty() {
            return;
        }
        if !self.paths.is_same_as(paths) {
            self.paths.clone_from(paths);
            self.json.clear();
            for path in paths.iter() {
                self.json.push_str(if self.json.is_empty() { "[\"" } else { "\",\"" });
                let start = self.json.len();
                path.push_to(&mut self.json);
                if !is_plain(&self.json[start..]) {
                    self.path.clear();
                    self.path.push_str(&self.json[start..]);
                    self.json.truncate(start);
                    push_escaped(&self.path, &mut self.json);
                }
            }
            self.json.push_str("\"]");
        }
        json.push_str(key);
        json.push_str(&self.json);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;
    use crate::path::Step;
    use crate::record::{Attributes, ChangePaths, JsonText, ResourceName};

    const TEXT: &str = r#"[a-z]{0,20}(\PC|["\\\x00-\x1f\x7f\u{2028}\u{1f600}é]){0,3}[a-z]{0,12}"#;

    fn some_text() -> impl Strategy<Value = Option<Cow<'static, str>>> {
        option::of(TEXT.prop_map(Cow::Owned))
    }

    fn some_raw() -> impl Strategy<Value = Option<JsonText<'static>>> {
        let text = TEXT.prop_map(|text| format!("{{\"id\":{}}}", serde_json::json!(text)));
        option::of(prop_oneof![any::<i64>().prop_map(|number| number.to_string()), text])
            .prop_map(|json| json.map(JsonText::new))
    }

    fn paths() -> impl Strategy<Value = Cow<'static, Paths>> {
        let step = (prop_oneof!["[a-z_]{1,9}", TEXT], option::of(any::<u32>()));
        vec(vec(step, 0..4), 0..4).prop_map(|list| {
            let mut paths = Paths::new();
            for path in &list {
                paths.push(path.iter().map(|(key, index)| match index {
                    Some(0..0x1000_0000) => Step::Element,
                    Some(0xc000_0000..) => Step::Index(index.unwrap_or(0)),
                    _ => Step::Key(key),
                }));
            }
            Cow::Owned(paths)
        })
    }

    fn block() -> impl Strategy<Value = Option<Box<Block>>> {
        let texts = [(); 5].map(|()| option::of(TEXT));
        option::of(texts.prop_map(|texts| {
            let [config_address, provider_config_key, provider_alias, source, version] = texts;
            Box::new(Block {
                config_address,
                provider_config_key,
                provider_alias,
                module_source: source,
                module_version_constraint: version,
            })
        }))
    }

    fn change() -> impl Strategy<Value = ResourceChange<'static>> {
        let texts = [(); 9].map(|()| some_text());
        let raws = [some_raw(), some_raw(), some_raw()];
        let lists = [paths(), paths(), paths(), paths()];
        let actions = vec(TEXT.prop_map(Cow::Owned), 0..3);
        let parts = (TEXT, TEXT, texts, raws, lists, actions, any::<bool>(), block());
        parts.prop_map(|(address, action, texts, raws, lists, actions, generated_config, block)| {
            let [previous, module, mode, type_name, name, deposed, provider, reason, deferred] =
                texts;
            let [index, importing, source] = raws;
            let [changed, unknown, sensitive, replace_paths] = lists;
            ResourceChange {
                resource: ResourceName {
                    address: Some(Cow::Owned(address)),
                    previous_address: previous,
                    module_address: module,
                    mode,
                    type_name,
                    name,
                    index,
                    deposed,
                    provider_name: provider,
                },
                action: Cow::Owned(action),
                actions: Cow::Owned(actions),
                action_reason: reason,
                deferred_reason: deferred,
                paths: ChangePaths { changed, unknown, sensitive, replace_paths },
                importing,
                generated_config,
                block,
                source,
                attributes: Attributes::default(),
            }
        })
    }

    fn record() -> impl Strategy<Value = Record<'static>> {
        (change(), 0..3).prop_map(|(change, kind)| match kind {
            0 => Record::ResourceChange(change),
            1 => Record::ResourceDrift(change),
            _ => Record::DeferredChange(change),
        })
    }

    fn written(rows: &mut Rows, record: &Record<'_>) -> String {
        let mut json = Vec::new();
        rows.write(record, &mut json).expect("memory takes everything");
        String::from_utf8(json).expect("JSON is UTF-8")
    }

    proptest! {
        #[test]
        fn rows_match_serde_json(records in vec(record(), 1..4)) {
            let mut rows = Rows::default();
            for record in &records {
                let json = serde_json::to_string(record).expect("a record is JSON");
                // The second time, the lists are cached.
                prop_assert_eq!(&written(&mut rows, record), &json);
                prop_assert_eq!(&written(&mut rows, record), &json);
            }
        }
    }

    #[test]
    fn long_rows_are_not_kept() {
        let change = |len: usize| {
            let address = Some(Cow::Owned("a".repeat(len)));
            Record::ResourceDrift(ResourceChange {
                resource: ResourceName { address, ..ResourceName::default() },
                ..ResourceChange::default()
            })
        };
        let mut rows = Rows::default();
        for len in [super::super::BUFFER - 100, super::super::BUFFER + 1] {
            let json = serde_json::to_string(&change(len)).expect("a record is JSON");
            assert_eq!(written(&mut rows, &change(len)), json);
        }
        assert!(rows.json.len() < super::super::BUFFER);
    }
}

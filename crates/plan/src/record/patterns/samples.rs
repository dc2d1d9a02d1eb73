//! Samples of the names in plans, from which similar names are suggested.

use super::shown::Shown;
use plansift_core::json::value::{Kind, Value};
use plansift_core::nearest::Sample;
use plansift_core::path::{self, Paths, Step, without_keys};

/// Samples of the names in the plans.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub managed: ResourceSamples,
    /// Those of data sources and ephemeral resources.
    pub others: ResourceSamples,
    pub paths: Sample,
    /// Top-level attributes that are strings.
    strings: Sample,
    /// Addresses of rows that are not resources.
    pub rows: Sample,
    /// One sample for each kind of things that are not resources.
    pub things: [Sample; 3],
}

/// Samples of the names of resources.
#[derive(Debug, Default)]
pub(super) struct ResourceSamples {
    pub types: Sample,
    pub modules: Sample,
    pub addresses: Sample,
}

impl ResourceSamples {
    pub fn all(&self) -> [&Sample; 3] {
        [&self.types, &self.modules, &self.addresses]
    }
}

impl Seen {
    /// Adds the names of a resource: its type, its module and its address.
    pub fn add_resource(&mut self, is_managed: bool, names: [&str; 3]) {
        let samples = if is_managed { &mut self.managed } else { &mut self.others };
        let [type_name, module, address] = names;
        samples.types.add(type_name);
        // Instance keys are data, not names, so the samples omit them.
        samples.modules.add(&without_keys(module));
        samples.addresses.add(&without_keys(address));
    }

    /// Adds the names of attributes in paths.
    pub fn add_paths(&mut self, paths: &Paths) {
        for path in paths.iter() {
            let mut text = String::new();
            for step in path.steps() {
                match step {
                    Step::Key(key) if is_plain(key) => path::push_key(&mut text, key),
                    Step::Key(_) => break,
                    Step::Index(_) | Step::Element => {}
                }
            }
            self.paths.add(&text);
        }
    }

    /// Adds the names of the attributes of a resource.
    pub fn add_attributes(&mut self, value: Value<'_>, shown: Shown<'_>) {
        let Ok(Kind::Object) = value.kind() else { return };
        let keys = value.members().into_iter().flatten().filter_map(Result::ok);
        for (key, value) in keys {
            let key = key.decode().unwrap_or_default();
            // A mask is not plain.
            let key = shown.key(&key);
            if is_plain(&key) {
                self.paths.add(&key);
                if matches!(value.kind(), Ok(Kind::String)) {
                    self.strings.add(&key);
                }
            }
        }
    }

    /// Returns the samples of one kind of name of all resources.
    pub fn of_resources(&self, pick: fn(&ResourceSamples) -> &Sample) -> Vec<&Sample> {
        vec![pick(&self.managed), pick(&self.others)]
    }

    /// Returns the first key of a path if it is a string, so that nothing is below it.
    pub fn string_above<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (key, _) = path.split_once(['.', '['])?;
        self.strings.names().any(|name| name == key).then_some(key)
    }
}

/// Whether a key has the form of an attribute name.
fn is_plain(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

//! Finds each block by its address in any configuration files. Looking up any other text does not
//! panic.

use std::collections::HashMap;

use plansift::blocks::{Configuration, Files, SourceError};
use plansift::path::ConfigAddress;

/// Files in memory: the path of each, and its content.
pub struct Memory<'a>(pub &'a [(&'a str, &'a [u8])]);

impl Files for Memory<'_> {
    fn list(&self, folder: &str) -> Result<Vec<String>, SourceError> {
        let split = |path: &str| {
            path.rsplit_once('/').map_or((String::new(), path.to_owned()), |(folder, name)| {
                (folder.to_owned(), name.to_owned())
            })
        };
        let paths = self.0.iter().map(|(path, _)| split(path));
        Ok(paths.filter(|(of, _)| of == folder).map(|(_, name)| name).collect())
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, SourceError> {
        let found = self.0.iter().find(|(name, _)| *name == path);
        Ok(found.map(|(_, text)| text.to_vec()).unwrap_or_default())
    }

    fn installed(&self) -> HashMap<String, String> {
        HashMap::from([("m".to_owned(), "m".to_owned())])
    }
}

/// Takes `text` as the files of a configuration, and its lines as addresses.
pub fn check(text: &[u8]) {
    let names = ["main.tf.json", "main.tf", "a_override.tf.json", "m/main.tf.json"];
    let files = names.map(|name| (name, text));
    let configuration = Configuration::read(&Memory(&files)).expect("a small configuration");
    for module in configuration.modules() {
        for block in module.directory.blocks.iter().take(100) {
            let Some(address) = &block.address else { continue };
            let module = module.address();
            let address =
                if module.is_empty() { address.to_string() } else { format!("{module}.{address}") };
            // A label can hold what looks like a key or a module.
            if address.contains(['[', ']']) || block.labels.iter().any(|one| one.contains('.')) {
                continue;
            }
            if block.labels.iter().any(|label| label.is_empty() || &**label == "module") {
                continue;
            }
            let found = configuration.find(&address).expect("a block has its address");
            assert_eq!(found.block.address, block.address);
        }
    }
    for line in String::from_utf8_lossy(text).lines().take(100) {
        let names = ConfigAddress::of(line).names.join(".");
        assert!(!names.contains("[[") || line.contains("[["));
        let _ = configuration.find(line);
    }
}

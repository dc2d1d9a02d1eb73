//! Finds each block by its address in any configuration files. Looking up any other text does not
//! panic.

use plansift::blocks::{Configuration, Local, Snapshot};

/// Takes `text` as the files of a plan file's configuration, and its lines as addresses.
pub fn check(text: &[u8]) {
    let manifest = br#"[{"Key":"","Dir":"."},{"Key":"m","Source":"./m","Dir":"m"}]"#;
    let members = [
        ("tfconfig/modules.json", manifest.to_vec()),
        ("tfconfig/m-/main.tf.json", text.to_vec()),
        ("tfconfig/m-/main.tf", text.to_vec()),
        ("tfconfig/m-/a_override.tf.json", text.to_vec()),
        ("tfconfig/m-m/main.tf.json", text.to_vec()),
    ];
    let members = members.map(|(path, text)| (path.to_owned(), text));
    let snapshot = Snapshot::new(members);
    let configuration = Configuration::read(&snapshot).expect("memory can be read");
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
        let local = Local::of(line);
        assert!(!local.address.contains("[[") || line.contains("[["));
        let _ = configuration.find(line);
    }
}

//! Prints the public items of a crate, one a line, from the JSON output of rustdoc. Leaves out the
//! traits that the compiler implements by itself, and the methods of derived traits.

use std::collections::HashSet;
use std::error::Error;
use std::path::Path;

use public_api::Builder;

/// The public items, with or without derived traits.
fn items(file: &Path, with_derived: bool) -> Result<Vec<String>, public_api::Error> {
    let builder = Builder::from_rustdoc_json(file).omit_blanket_impls(true);
    let builder = builder.omit_auto_trait_impls(true).omit_auto_derived_impls(!with_derived);
    Ok(builder.build()?.items().map(|item| item.to_string()).collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).ok_or("usage: plansift-api FILE")?;
    let written: HashSet<String> = items(file.as_ref(), false)?.into_iter().collect();
    let is_derived = |item: &str| item.starts_with("impl") && !item.contains("StructuralPartialEq");
    for item in items(file.as_ref(), true)? {
        if written.contains(&item) || is_derived(&item) {
            println!("{item}");
        }
    }
    Ok(())
}

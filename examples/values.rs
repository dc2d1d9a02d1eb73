//! Prints the attributes that a plan changes, with their values before and after, except secrets.
//!
//! ```sh
//! cargo run --example values corpus/plans/rich/plan.json
//! ```

use std::path::Path;

use plansift::Result;
use plansift::diff::Differ;
use plansift::input::{Input, InputOptions};
use plansift::json::value::Value;
use plansift::plan::{self, Flow, Piece, PieceKind, PlanOptions, ResourceChange, Section, Visitor};

struct Values(Differ);

impl Visitor for Values {
    fn piece(&mut self, piece: &Piece<'_>) -> Result<Flow> {
        if piece.kind != PieceKind::ResourceChange || piece.section != Section::ResourceChanges {
            return Ok(Flow::Continue);
        }
        let resource = ResourceChange::parse(piece.section, piece.value)?;
        let (change, Some(address)) = (&resource.change, resource.address) else {
            return Ok(Flow::Continue);
        };
        if let (Some(before), Some(after)) = (change.before, change.after) {
            self.0.diff(change)?;
            let Differ { changed, sensitive, .. } = &self.0;
            for path in changed.iter().filter(|path| !sensitive.has_below(*path)) {
                let [before, after] = [before.at(path.steps())?, after.at(path.steps())?];
                let address = address.decode()?;
                println!("{address}: {path}: {} => {}", json(before)?, json(after)?);
            }
        }
        Ok(Flow::Continue)
    }
}

fn json(value: Option<Value<'_>>) -> Result<String> {
    let Some(value) = value else { return Ok("(nothing)".to_owned()) };
    Ok(value.deserialize::<serde_json::Value>()?.to_string())
}

fn main() -> Result<()> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "plan.json".into());
    let input = Input::open_file(Path::new(&path), &InputOptions::default())?;
    let options = PlanOptions::default();
    plan::read(input, &options, &mut Values(Differ::new(&options.limits)))?;
    Ok(())
}

//! Prints the planned tag `Name` of each resource, unless the tag is sensitive.
//!
//! ```sh
//! cargo run --example tags corpus/plans/rich/plan.json
//! ```

use std::error::Error;
use std::path::Path;

use plansift::input::{Input, InputOptions};
use plansift::json::value::Value;
use plansift::plan::{self, Flow, Piece, PieceKind, PlanOptions, ResourceChange, Section, Visitor};

struct Tags;

impl Visitor for Tags {
    fn piece(&mut self, piece: &Piece<'_>) -> plansift::Result<Flow> {
        if piece.kind != PieceKind::ResourceChange {
            return Ok(Flow::Continue);
        }
        let resource = ResourceChange::parse(piece.section, piece.value)?;
        let (Some(address), Some(after)) = (resource.address, resource.change.after) else {
            return Ok(Flow::Continue);
        };
        if piece.section == Section::ResourceChanges
            && !is_marked(resource.change.after_sensitive)?
            && let Some(tags) = after.get("tags")?
            && let Some(name) = tags.get("Name")?
            && !name.is_null()
        {
            println!("{} {}", address.decode()?, name.text()?);
        }
        Ok(Flow::Continue)
    }
}

/// True if the overlay marks `tags.Name`, or something above it, as sensitive.
fn is_marked(overlay: Option<Value<'_>>) -> plansift::Result<bool> {
    let mut place = overlay;
    for key in ["tags", "Name"] {
        let Some(overlay) = place else { return Ok(false) };
        if overlay.is_true() {
            return Ok(true);
        }
        place = overlay.get(key)?;
    }
    Ok(place.is_some_and(Value::is_true))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: tags PLAN")?;
    let input = Input::open_file(Path::new(&path), &InputOptions::default())?;
    plan::read(input, &PlanOptions::default(), &mut Tags)?;
    Ok(())
}

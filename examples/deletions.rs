//! Lists the resources that a plan deletes or replaces.
//!
//! ```sh
//! cargo run --example deletions corpus/plans/rich/plan.json
//! ```

use std::error::Error;
use std::path::Path;

use plansift::input::{Input, InputOptions};
use plansift::plan::{self, Flow, Piece, PieceKind, PlanOptions, ResourceChange, Section, Visitor};

struct Deletions;

impl Visitor for Deletions {
    fn piece(&mut self, piece: &Piece<'_>) -> plansift::Result<Flow> {
        // Drift also has resource changes, but they have already happened.
        if piece.kind == PieceKind::ResourceChange && piece.section == Section::ResourceChanges {
            let resource = ResourceChange::parse(piece.section, piece.value)?;
            for action in resource.change.actions()? {
                if action?.is("delete")
                    && let Some(address) = resource.address
                {
                    println!("{}", address.decode()?);
                }
            }
        }
        Ok(Flow::Continue)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: deletions PLAN")?;
    let input = Input::open_file(Path::new(&path), &InputOptions::default())?;
    plan::read(input, &PlanOptions::default(), &mut Deletions)?;
    Ok(())
}

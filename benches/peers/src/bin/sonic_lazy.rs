//! Task A with the lazy values of sonic-rs. `sonic_lazy PLAN` validates skipped values; `sonic_lazy
//! PLAN unchecked` does not.

use plansift_peers::{List, mapped};
use sonic_rs::{JsonValueTrait, LazyValue};

fn main() {
    let plan = mapped();
    let unchecked = std::env::args().nth(2).is_some_and(|word| word == "unchecked");
    let mut list = List::to_stdout();
    if unchecked {
        // SAFETY: `plan` is valid JSON in UTF-8: the generator of the benches wrote it.
        let changes = unsafe { sonic_rs::get_unchecked(&plan[..], ["resource_changes"]) };
        let changes = changes.expect("a plan");
        // SAFETY: `changes` is a value inside that valid plan, so its text is valid JSON too.
        for element in unsafe { sonic_rs::to_array_iter_unchecked(changes.as_raw_str()) } {
            add(&mut list, &element.expect("a change"));
        }
    } else {
        let changes = sonic_rs::get(&plan[..], ["resource_changes"]).expect("a plan");
        for element in sonic_rs::to_array_iter(changes.as_raw_str()) {
            add(&mut list, &element.expect("a change"));
        }
    }
    list.finish();
}

fn add(list: &mut List, element: &LazyValue<'_>) {
    let address = element.get("address").expect("an address");
    let actions = element.pointer(["change", "actions"]).expect("actions");
    let actions: Vec<&str> = sonic_rs::from_str(actions.as_raw_str()).expect("words");
    list.add(&actions, address.as_str().expect("an address is a string"));
}

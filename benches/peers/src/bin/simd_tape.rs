//! Task A ([`plansift_peers`]) with simd-json: parses the whole plan into a tape.

use plansift_peers::{List, copied};
use simd_json::prelude::*;

fn main() {
    let mut plan = copied();
    let tape = simd_json::to_tape(&mut plan).expect("a plan");
    let mut list = List::to_stdout();
    let changes = tape.as_value().get("resource_changes").expect("changes");
    for element in changes.as_array().expect("an array").iter() {
        let address = element.get("address").and_then(|it| it.into_string()).expect("an address");
        let change = element.get("change").expect("a change");
        let actions = change.get("actions").expect("actions").as_array().expect("an array");
        let actions: Vec<&str> =
            actions.iter().map(|it| it.into_string().expect("a word")).collect();
        list.add(&actions, address);
    }
    list.finish();
}

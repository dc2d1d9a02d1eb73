//! The modules of `planned_values` and `prior_state`, as a list of pieces to write.
//!
//! The module tree is nested in JSON, but the list of pieces is flat. So a writer can stop after
//! each piece, and no function recurses. A short address may name hundreds of modules, so a module
//! must need few bytes.

use std::hash::{BuildHasher, RandomState};
use std::mem::size_of;
use std::ops::Range;

use hashbrown::HashTable;

use plansift_core::budget::Budget;
use plansift_core::error::{Error, Result};
use plansift_core::limits::{Limit, Limits};
use plansift_core::path::module_calls;

/// A piece of the JSON text of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    Fixed(Fixed),
    /// The address of a module, as a string.
    Address(u32),
    Item(u32),
    Output(u32),
}

/// The fixed JSON text between the values of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fixed {
    Outputs,
    EndOutputs,
    RootModule,
    Resources,
    EndResources,
    Comma,
    EndObject,
    EmptyObject,
    /// The key `address`, as the first member of its object.
    FirstAddress,
    Address,
    /// The key `child_modules`, as the first member of its object.
    FirstChildModules,
    ChildModules,
    EndChildModules,
}

impl Fixed {
    pub(super) fn text(self) -> &'static str {
        match self {
            Fixed::Outputs => "\"outputs\":{",
            Fixed::EndOutputs => "},",
            Fixed::RootModule => "\"root_module\":",
            Fixed::Resources => "{\"resources\":[",
            Fixed::EndResources => "]",
            Fixed::Comma => ",",
            Fixed::EndObject => "}",
            Fixed::EmptyObject => "{}",
            Fixed::FirstAddress => "{\"address\":",
            Fixed::Address => ",\"address\":",
            Fixed::FirstChildModules => "{\"child_modules\":[",
            Fixed::ChildModules => ",\"child_modules\":[",
            Fixed::EndChildModules => "]}",
        }
    }
}

/// The order of the child modules of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    Sorted,
    /// By address in the root module, and in order of their first use elsewhere.
    FirstUse,
}

/// The module tree: modules and their resources.
#[derive(Debug)]
pub(super) struct Tree {
    modules: Vec<Module>,
    /// The concatenated last steps of the module addresses, such as `module.a[0]`.
    steps: String,
    /// A hash table of all modules except the root, keyed by parent module and last step.
    by_step: HashTable<u32>,
    hasher: RandomState,
    /// Pairs of a module number and the number of a resource in the module.
    items: Vec<(u32, u32)>,
    /// Pairs of a module number and the number of a child module.
    children: Vec<(u32, u32)>,
    /// The deepest nesting of modules.
    depth_max: u64,
}

#[derive(Debug, Default)]
struct Module {
    parent: u32,
    step: Range<usize>,
}

/// Returns the second number of each pair that starts with `module`. The list is sorted by module.
fn of_module(list: &[(u32, u32)], module: u32) -> impl DoubleEndedIterator<Item = u32> {
    let start = list.partition_point(|(number, _)| *number < module);
    let len = list[start..].partition_point(|(number, _)| *number == module);
    list[start..start + len].iter().map(|(_, number)| *number)
}

/// The memory of a module without its step, in bytes: its entries in `modules`, `children` and
/// `by_step`, and its pieces. The factor 2 is for spare capacity: each collection doubles when it
/// is full.
const MODULE: usize =
    2 * (size_of::<Module>() + size_of::<(u32, u32)>() + 8 + 6 * size_of::<Piece>());

impl Tree {
    /// Creates a tree with only the root module.
    pub(super) fn new(limits: &Limits) -> Tree {
        Tree {
            modules: vec![Module::default()],
            steps: String::new(),
            by_step: HashTable::new(),
            hasher: RandomState::new(),
            items: Vec::new(),
            children: Vec::new(),
            // Each module nests an object in an array.
            depth_max: limits.depth / 2,
        }
    }

    fn step(&self, module: u32) -> &str {
        &self.steps[self.modules[module as usize].step.clone()]
    }

    pub(super) fn address(&self, mut module: u32) -> String {
        let mut steps = Vec::new();
        while module > 0 {
            steps.push(self.step(module));
            module = self.modules[module as usize].parent;
        }
        steps.reverse();
        steps.join(".")
    }

    /// Finds or creates a module and its ancestors. Returns the module's number. `offset` is for
    /// errors.
    pub(super) fn module(
        &mut self,
        address: &str,
        budget: &mut Budget,
        offset: u64,
    ) -> Result<u32> {
        let mut module = 0;
        let mut depth = 0;
        let mut start = 0;
        for call in module_calls(address) {
            depth += 1;
            if depth > self.depth_max {
                return Err(Error::limit(Limit::Depth, 2 * self.depth_max, offset));
            }
            module = self.child(module, &address[start..call.end], budget, offset)?;
            start = call.end + 1;
        }
        Ok(module)
    }

    fn child(&mut self, parent: u32, step: &str, budget: &mut Budget, offset: u64) -> Result<u32> {
        let hash = self.hasher.hash_one((parent, step));
        let is_same = |number: &u32| {
            self.modules[*number as usize].parent == parent && self.step(*number) == step
        };
        if let Some(number) = self.by_step.find(hash, is_same) {
            return Ok(*number);
        }
        budget.take(MODULE + 2 * step.len(), offset)?;
        let number = u32::try_from(self.modules.len()).unwrap_or(u32::MAX);
        let start = self.steps.len();
        self.steps.push_str(step);
        let step = start..self.steps.len();
        self.modules.push(Module { parent, step });
        self.children.push((parent, number));
        let Tree { modules, steps, by_step, hasher, .. } = self;
        by_step.insert_unique(hash, number, |number| {
            let module = &modules[*number as usize];
            hasher.hash_one((module.parent, &steps[module.step.clone()]))
        });
        Ok(number)
    }

    pub(super) fn push(&mut self, module: u32, item: u32) {
        self.items.push((module, item));
    }

    /// Sorts the child modules of each module by `order`, and groups the resources by module.
    pub(super) fn sort(&mut self, order: Children) {
        self.items.sort_by_key(|(module, _)| *module);
        let mut children = std::mem::take(&mut self.children);
        children.sort_by_key(|(parent, number)| {
            let is_sorted = *parent == 0 || order == Children::Sorted;
            (*parent, if is_sorted { self.step(*number) } else { "" })
        });
        self.children = children;
    }

    /// Returns the pieces of the outputs and of the root module.
    pub(super) fn pieces(&self, outputs: impl IntoIterator<Item = u32>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for output in outputs {
            let head = if pieces.is_empty() { Fixed::Outputs } else { Fixed::Comma };
            pieces.extend([Piece::Fixed(head), Piece::Output(output)]);
        }
        if !pieces.is_empty() {
            pieces.push(Piece::Fixed(Fixed::EndOutputs));
        }
        pieces.push(Piece::Fixed(Fixed::RootModule));
        self.write(&mut pieces);
        pieces
    }

    /// Appends the pieces of the root module.
    fn write(&self, pieces: &mut Vec<Piece>) {
        let mut todo = vec![Piece::Address(0)];
        while let Some(next) = todo.pop() {
            let Piece::Address(number) = next else {
                pieces.push(next);
                continue;
            };
            // True until the object of the module has a member.
            let mut is_first = true;
            for item in of_module(&self.items, number) {
                let before = if is_first { Fixed::Resources } else { Fixed::Comma };
                pieces.extend([Piece::Fixed(before), Piece::Item(item)]);
                is_first = false;
            }
            if !is_first {
                pieces.push(Piece::Fixed(Fixed::EndResources));
            }
            if number > 0 {
                let key = if is_first { Fixed::FirstAddress } else { Fixed::Address };
                pieces.extend([Piece::Fixed(key), Piece::Address(number)]);
                is_first = false;
            }
            let mut children = of_module(&self.children, number).rev();
            let Some(last) = children.next() else {
                let end = if is_first { Fixed::EmptyObject } else { Fixed::EndObject };
                pieces.push(Piece::Fixed(end));
                continue;
            };
            let key = if is_first { Fixed::FirstChildModules } else { Fixed::ChildModules };
            pieces.push(Piece::Fixed(key));
            todo.push(Piece::Fixed(Fixed::EndChildModules));
            todo.push(Piece::Address(last));
            for child in children {
                todo.extend([Piece::Fixed(Fixed::Comma), Piece::Address(child)]);
            }
        }
    }
}

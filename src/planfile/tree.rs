//! The modules of `planned_values` and `prior_state`, as a list of pieces to write.
//!
//! The tree of modules is nested in JSON and flat here, so a writer may stop after each piece, and
//! nothing recurses.

use std::collections::BTreeMap;
use std::mem::size_of;

use super::address::Modules;
use super::index::Budget;
use crate::error::{Error, Result};
use crate::limits::{Limit, Limits};

/// A piece of the JSON text of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// Fixed text.
    Text(&'static str),
    /// The address of a module, as a string.
    Address(u32),
    /// A resource.
    Item(u32),
    /// A member with the value of an output.
    Output(u32),
}

/// The order of the modules in a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Children {
    /// By address.
    Sorted,
    /// By address in the root module, and in order of their first use elsewhere.
    FirstUse,
}

/// Modules and what is in them.
#[derive(Debug)]
pub(super) struct Tree {
    modules: Vec<Module>,
    /// The deepest nesting of modules.
    depth_max: u64,
}

#[derive(Debug, Default)]
struct Module {
    parent: u32,
    /// The last step of the address, such as `module.a[0]`.
    step: String,
    items: Vec<u32>,
    /// The modules in it, in order of their first use.
    children: Vec<u32>,
    /// The modules in it, by the step to each.
    by_step: BTreeMap<String, u32>,
}

/// The memory of a module without its steps, in bytes: itself, its place in the map around it, and
/// its pieces.
const MODULE: usize = size_of::<Module>() + 128 + 8 * size_of::<Piece>();

impl Tree {
    /// A tree with the root module alone.
    pub(super) fn new(limits: &Limits) -> Tree {
        // Each module nests an object in an array.
        Tree { modules: vec![Module::default()], depth_max: limits.depth / 2 }
    }

    /// The address of a module.
    pub(super) fn address(&self, mut module: u32) -> String {
        let mut steps = Vec::new();
        while module > 0 {
            let Module { parent, step, .. } = &self.modules[module as usize];
            steps.push(step.as_str());
            module = *parent;
        }
        steps.reverse();
        steps.join(".")
    }

    /// Makes a module and those around it. `offset` is for errors.
    pub(super) fn module(
        &mut self,
        address: &str,
        budget: &mut Budget,
        offset: u64,
    ) -> Result<u32> {
        let mut module = 0;
        let mut depth = 0;
        let mut steps = Modules::of(address);
        let mut start = 0;
        while let Some(Some(_)) = steps.next() {
            depth += 1;
            if depth > self.depth_max {
                return Err(Error::limit(Limit::Depth, 2 * self.depth_max, offset));
            }
            let next = address.len() - steps.rest().len();
            let end = next - usize::from(next < address.len());
            module = self.child(module, &address[start..end], budget, offset)?;
            start = next;
        }
        Ok(module)
    }

    fn child(&mut self, parent: u32, step: &str, budget: &mut Budget, offset: u64) -> Result<u32> {
        let number = u32::try_from(self.modules.len()).unwrap_or(u32::MAX);
        let around = &mut self.modules[parent as usize];
        if let Some(number) = around.by_step.get(step) {
            return Ok(*number);
        }
        budget.take(MODULE + 2 * step.len(), offset)?;
        around.children.push(number);
        around.by_step.insert(step.to_owned(), number);
        self.modules.push(Module { parent, step: step.to_owned(), ..Module::default() });
        Ok(number)
    }

    /// Adds a resource to a module.
    pub(super) fn push(&mut self, module: u32, item: u32) {
        self.modules[module as usize].items.push(item);
    }

    /// Sorts the modules.
    pub(super) fn sort(&mut self, order: Children) {
        for number in 0..self.modules.len() {
            if number == 0 || order == Children::Sorted {
                let module = &mut self.modules[number];
                module.children = module.by_step.values().copied().collect();
            }
        }
    }

    /// Appends the pieces of the root module.
    pub(super) fn write(&self, pieces: &mut Vec<Piece>) {
        enum Todo {
            Module(u32),
            Text(&'static str),
        }
        let mut todo = vec![Todo::Module(0)];
        while let Some(next) = todo.pop() {
            let number = match next {
                Todo::Text(text) => {
                    pieces.push(Piece::Text(text));
                    continue;
                }
                Todo::Module(number) => number,
            };
            let module = &self.modules[number as usize];
            let mut separator = "{";
            if !module.items.is_empty() {
                pieces.push(Piece::Text("{\"resources\":["));
                for (place, item) in module.items.iter().enumerate() {
                    if place > 0 {
                        pieces.push(Piece::Text(","));
                    }
                    pieces.push(Piece::Item(*item));
                }
                pieces.push(Piece::Text("]"));
                separator = ",";
            }
            if number > 0 {
                pieces.push(Piece::Text(separator));
                pieces.push(Piece::Text("\"address\":"));
                pieces.push(Piece::Address(number));
                separator = ",";
            }
            if module.children.is_empty() {
                pieces.push(Piece::Text(if separator == "{" { "{}" } else { "}" }));
                continue;
            }
            pieces.push(Piece::Text(separator));
            pieces.push(Piece::Text("\"child_modules\":["));
            todo.push(Todo::Text("]}"));
            for (place, child) in module.children.iter().enumerate().rev() {
                todo.push(Todo::Module(*child));
                if place > 0 {
                    todo.push(Todo::Text(","));
                }
            }
        }
    }
}

//! The modules of `planned_values` and `prior_state`, as a list of pieces to write.
//!
//! The tree of modules is nested in JSON and flat here, so a writer may stop after each piece, and
//! nothing recurses.

use std::collections::HashMap;

use super::address::Modules;

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
    numbers: HashMap<String, u32>,
}

#[derive(Debug, Default)]
struct Module {
    address: String,
    items: Vec<u32>,
    children: Vec<u32>,
}

impl Tree {
    /// A tree with the root module alone.
    pub(super) fn new() -> Tree {
        Tree { modules: vec![Module::default()], numbers: HashMap::new() }
    }

    /// The address of a module.
    pub(super) fn address(&self, module: u32) -> &str {
        &self.modules[module as usize].address
    }

    /// Makes a module and those around it.
    pub(super) fn module(&mut self, address: &str) -> u32 {
        if address.is_empty() {
            return 0;
        }
        if let Some(number) = self.numbers.get(address) {
            return *number;
        }
        let mut parent = 0;
        let mut steps = Modules::of(address);
        while let Some(Some(_)) = steps.next() {
            let rest = steps.rest();
            let end = address.len() - rest.len() - usize::from(!rest.is_empty());
            parent = self.child(parent, &address[..end]);
        }
        parent
    }

    fn child(&mut self, parent: u32, address: &str) -> u32 {
        if let Some(number) = self.numbers.get(address) {
            return *number;
        }
        let number = u32::try_from(self.modules.len()).unwrap_or(u32::MAX);
        self.modules.push(Module { address: address.to_owned(), ..Module::default() });
        self.modules[parent as usize].children.push(number);
        self.numbers.insert(address.to_owned(), number);
        number
    }

    /// Adds a resource to a module.
    pub(super) fn push(&mut self, module: u32, item: u32) {
        self.modules[module as usize].items.push(item);
    }

    /// Sorts the modules.
    pub(super) fn sort(&mut self, order: Children) {
        for number in 0..self.modules.len() {
            if number == 0 || order == Children::Sorted {
                let mut children = std::mem::take(&mut self.modules[number].children);
                children.sort_by(|a, b| self.address(*a).cmp(self.address(*b)));
                self.modules[number].children = children;
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

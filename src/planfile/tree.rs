//! The modules of `planned_values` and `prior_state`, as a list of pieces to write.
//!
//! The tree of modules is nested in JSON and flat here, so a writer may stop after each piece, and
//! nothing recurses. A short address may name hundreds of modules, so a module takes few bytes.

use std::hash::{BuildHasher, RandomState};
use std::mem::size_of;
use std::ops::Range;

use hashbrown::HashTable;

use super::address::Modules;
use super::index::Budget;
use crate::error::{Error, Result};
use crate::limits::{Limit, Limits};

/// A piece of the JSON text of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    /// Fixed text.
    Fixed(Fixed),
    /// The address of a module, as a string.
    Address(u32),
    /// A resource.
    Item(u32),
    /// A member with the value of an output.
    Output(u32),
}

/// The text between the values of a tree.
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
    /// The key of an address, as the first member of its object.
    FirstAddress,
    Address,
    /// The key of child modules, as the first member of its object.
    FirstChildModules,
    ChildModules,
    EndChildModules,
}

impl Fixed {
    /// The text in JSON.
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
    /// The last steps of the addresses, such as `module.a[0]`, one after the other.
    steps: String,
    /// All modules but the root, found by the module around each and the step.
    by_step: HashTable<u32>,
    hasher: RandomState,
    links: Links,
    /// The deepest nesting of modules.
    depth_max: u64,
}

#[derive(Debug, Default)]
struct Module {
    parent: u32,
    step: Range<usize>,
    items: List,
    /// The modules in it.
    children: List,
}

/// A list of numbers in [`Links`].
#[derive(Clone, Copy, Debug, Default)]
struct List {
    /// The first link and the last, counted from 1; 0 in an empty list.
    first: u32,
    last: u32,
}

/// The links of all lists.
#[derive(Debug, Default)]
struct Links(Vec<Link>);

#[derive(Debug)]
struct Link {
    value: u32,
    /// The next link, counted from 1; 0 in the last one.
    next: u32,
}

impl Links {
    fn push(&mut self, list: &mut List, value: u32) {
        self.0.push(Link { value, next: 0 });
        let number = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        match self.at(list.last) {
            Some(at) => self.0[at].next = number,
            None => list.first = number,
        }
        list.last = number;
    }

    /// The place of a link.
    fn at(&self, number: u32) -> Option<usize> {
        (number as usize).checked_sub(1)
    }

    fn values(&self, list: List) -> impl Iterator<Item = u32> {
        let first = self.at(list.first);
        let places = std::iter::successors(first, |at| self.at(self.0[*at].next));
        places.map(|at| self.0[at].value)
    }

    /// Replaces the values of a list.
    fn replace(&mut self, list: List, values: &[u32]) {
        let mut at = self.at(list.first);
        for value in values {
            let Some(place) = at else { return };
            self.0[place].value = *value;
            at = self.at(self.0[place].next);
        }
    }
}

/// The memory of a module without its step, in bytes: itself, its link, its place in the table and
/// its pieces. Each of the four doubles when it is full.
const MODULE: usize = 2 * (size_of::<Module>() + size_of::<Link>() + 8 + 6 * size_of::<Piece>());

impl Tree {
    /// A tree with the root module alone.
    pub(super) fn new(limits: &Limits) -> Tree {
        Tree {
            modules: vec![Module::default()],
            steps: String::new(),
            by_step: HashTable::new(),
            hasher: RandomState::new(),
            links: Links::default(),
            // Each module nests an object in an array.
            depth_max: limits.depth / 2,
        }
    }

    fn step(&self, module: u32) -> &str {
        &self.steps[self.modules[module as usize].step.clone()]
    }

    /// The address of a module.
    pub(super) fn address(&self, mut module: u32) -> String {
        let mut steps = Vec::new();
        while module > 0 {
            steps.push(self.step(module));
            module = self.modules[module as usize].parent;
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
        self.modules.push(Module { parent, step, ..Module::default() });
        self.links.push(&mut self.modules[parent as usize].children, number);
        let Tree { modules, steps, by_step, hasher, .. } = self;
        by_step.insert_unique(hash, number, |number| {
            let module = &modules[*number as usize];
            hasher.hash_one((module.parent, &steps[module.step.clone()]))
        });
        Ok(number)
    }

    /// Adds a resource to a module.
    pub(super) fn push(&mut self, module: u32, item: u32) {
        self.links.push(&mut self.modules[module as usize].items, item);
    }

    /// Sorts the modules.
    pub(super) fn sort(&mut self, order: Children) {
        let count = if order == Children::Sorted { self.modules.len() } else { 1 };
        let mut children = Vec::new();
        for number in 0..count {
            let list = self.modules[number].children;
            children.clear();
            children.extend(self.links.values(list));
            children.sort_by(|one, other| self.step(*one).cmp(self.step(*other)));
            self.links.replace(list, &children);
        }
    }

    /// Appends the pieces of the root module.
    pub(super) fn write(&self, pieces: &mut Vec<Piece>) {
        let mut todo = vec![Piece::Address(0)];
        while let Some(next) = todo.pop() {
            let Piece::Address(number) = next else {
                pieces.push(next);
                continue;
            };
            let module = &self.modules[number as usize];
            // True until the object of the module has a member.
            let mut is_first = true;
            for item in self.links.values(module.items) {
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
            let mut children: Vec<u32> = self.links.values(module.children).collect();
            let Some(last) = children.pop() else {
                let end = if is_first { Fixed::EmptyObject } else { Fixed::EndObject };
                pieces.push(Piece::Fixed(end));
                continue;
            };
            let key = if is_first { Fixed::FirstChildModules } else { Fixed::ChildModules };
            pieces.push(Piece::Fixed(key));
            todo.push(Piece::Fixed(Fixed::EndChildModules));
            todo.push(Piece::Address(last));
            for child in children.into_iter().rev() {
                todo.extend([Piece::Fixed(Fixed::Comma), Piece::Address(child)]);
            }
        }
    }
}

//! Blocks of schemas: their attributes and nested blocks, and the types, values and sensitive paths
//! that follow from them.

use std::collections::BTreeMap;

use super::path::{Path, Step};
use super::types::Type;
use super::value::{Data, Value};

/// A block, or the body of a resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The attributes by name.
    pub attributes: BTreeMap<String, Attribute>,
    /// The nested blocks by the name of their type.
    pub blocks: BTreeMap<String, NestedBlock>,
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// The type of the attribute.
    pub ty: AttributeType,
    /// True if the configuration must set the attribute.
    pub is_required: bool,
    /// True if the configuration may set the attribute.
    pub is_optional: bool,
    /// True if the provider may set the attribute.
    pub is_computed: bool,
    /// True if the value is secret.
    pub is_sensitive: bool,
    /// True if the value is never stored.
    pub is_write_only: bool,
}

/// The type of an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AttributeType {
    /// A type constraint.
    Plain(Type),
    /// An object, or a collection of objects, whose attributes have schemas themselves.
    Nested {
        /// How the objects are nested. [`Nesting::Group`] is not valid here.
        nesting: Nesting,
        /// The attributes of each object.
        attributes: BTreeMap<String, Attribute>,
    },
}

/// A nested block type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NestedBlock {
    /// How the blocks are nested.
    pub nesting: Nesting,
    /// The schema of each block.
    pub block: Block,
    /// The minimum number of blocks.
    pub min_items: u64,
    /// The maximum number of blocks; 0 if unlimited.
    pub max_items: u64,
}

/// How the blocks of one type are nested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nesting {
    /// One block, or null.
    Single,
    /// One block, which exists even if the configuration omits it.
    Group,
    /// A list.
    List,
    /// A set.
    Set,
    /// A map by label.
    Map,
    /// An unknown nesting. Such a block is left out of values.
    #[default]
    Other,
}

/// A nested block type with too few or too many blocks in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongCount {
    /// The path to the blocks.
    pub path: Path,
    /// The number of blocks in the value.
    pub found: u64,
    /// The minimum number of blocks.
    pub min_items: u64,
    /// The maximum number of blocks; 0 if unlimited.
    pub max_items: u64,
}

impl Block {
    /// Returns the type of the block's value: an object of the attributes and the nested blocks. A
    /// list or a map of blocks with a dynamic part is itself dynamic. An attribute hides a nested
    /// block of the same name.
    pub fn implied_type(&self) -> Type {
        let blocks = self.known_blocks().map(|(name, block)| (name.clone(), block.implied_type()));
        let attributes = self.attributes.iter();
        Type::object(blocks.chain(attributes.map(|(name, one)| (name.clone(), one.implied_type()))))
    }

    /// Returns the value of a block that is absent from the configuration: null attributes, and no
    /// nested blocks.
    pub fn empty_value(&self) -> Value {
        let blocks = self.known_blocks().map(|(name, block)| (name.clone(), block.empty_value()));
        let null = |attribute: &Attribute| Value::null(&attribute.implied_type());
        let attributes = self.attributes.iter();
        let attributes = attributes.map(|(name, attribute)| (name.clone(), null(attribute)));
        Value::object(blocks.chain(attributes))
    }

    /// Returns the paths in a value that the schema marks sensitive. A sensitive attribute is
    /// marked as a whole. Inside a set, it marks the whole set. Null and unknown blocks have no
    /// paths.
    ///
    /// Terraform 1.11 omits marks inside a map of blocks with a dynamic attribute. This method
    /// includes these marks.
    pub fn sensitive_paths(&self, value: &Value) -> Vec<Path> {
        self.sensitive_paths_within(value, usize::MAX).unwrap_or_default()
    }

    /// Like [`Block::sensitive_paths`]; `None` if the paths have more than `steps` steps in total.
    pub fn sensitive_paths_within(&self, value: &Value, steps: usize) -> Option<Vec<Path>> {
        let mut marked = Marked { paths: Vec::new(), left: steps, is_over: false };
        self.add_sensitive(&value.data, &mut CurrentPath::default(), &mut marked);
        (!marked.is_over).then_some(marked.paths)
    }

    /// Returns the nested block types whose number of blocks in a value is out of bounds.
    ///
    /// A value does not always show the number of blocks. Unknown blocks, and blocks in a group
    /// that may be absent from the configuration, are not checked. A set merges equal blocks, so
    /// only an empty set is reported as too small.
    pub fn wrong_counts(&self, value: &Value) -> Vec<WrongCount> {
        let mut wrong = Vec::new();
        self.add_wrong(&value.data, &mut CurrentPath::default(), &mut wrong);
        wrong
    }

    fn known_blocks(&self) -> impl Iterator<Item = (&String, &NestedBlock)> {
        self.blocks.iter().filter(|(_, nested)| nested.nesting != Nesting::Other)
    }

    fn has_sensitive(&self) -> bool {
        self.attributes.values().any(Attribute::has_sensitive)
            || self.blocks.values().any(|nested| nested.block.has_sensitive())
    }

    fn add_sensitive(&self, data: &Data, current: &mut CurrentPath, marked: &mut Marked) {
        add_sensitive_attributes(&self.attributes, data, current, marked);
        let Data::Map(members) = data else {
            return;
        };
        for (name, nested) in &self.blocks {
            let Some(member) = members.get(name.as_bytes()) else {
                continue;
            };
            if nested.block.has_sensitive() && !self.attributes.contains_key(name) {
                current.below(Step::Name(name.clone().into_bytes().into()), |current| {
                    nested.nesting.each(member, current, |data, current| {
                        nested.block.add_sensitive(data, current, marked);
                    });
                });
            }
        }
    }

    fn add_wrong(&self, data: &Data, current: &mut CurrentPath, wrong: &mut Vec<WrongCount>) {
        let Data::Map(members) = data else {
            return;
        };
        for (name, nested) in &self.blocks {
            let Some(member) = members.get(name.as_bytes()) else {
                continue;
            };
            if nested.nesting == Nesting::Group && is_empty(member) {
                continue;
            }
            current.below(Step::Name(name.clone().into_bytes().into()), |current| {
                wrong.extend(nested.wrong_count(member, current));
                nested.nesting.each(member, current, |data, current| {
                    nested.block.add_wrong(data, current, wrong);
                });
            });
        }
    }
}

impl NestedBlock {
    fn implied_type(&self) -> Type {
        let block = self.block.implied_type();
        match self.nesting {
            Nesting::List | Nesting::Map if block.has_dynamic() => Type::Dynamic,
            Nesting::List => Type::list(block),
            Nesting::Set => Type::set(block),
            Nesting::Map => Type::map(block),
            Nesting::Single | Nesting::Group | Nesting::Other => block,
        }
    }

    fn empty_value(&self) -> Value {
        let ty = self.implied_type();
        match self.nesting {
            Nesting::Single | Nesting::Other => Value::null(&ty),
            Nesting::Group => self.block.empty_value(),
            Nesting::List if ty == Type::Dynamic => Value::tuple(Vec::new()),
            Nesting::Map if ty == Type::Dynamic => Value::object(Vec::new()),
            Nesting::List | Nesting::Set => Value { ty, data: Data::List(Vec::new()) },
            Nesting::Map => Value { ty, data: Data::Map(BTreeMap::new()) },
        }
    }

    /// Returns the number of blocks, if it is known and out of bounds.
    fn wrong_count(&self, data: &Data, current: &CurrentPath) -> Option<WrongCount> {
        let NestedBlock { min_items, max_items, .. } = *self;
        let found = self.count(data)?;
        let is_above = max_items > 0 && found > max_items;
        let may_be_merged = self.nesting == Nesting::Set && found > 0;
        let is_wrong = found < min_items && !may_be_merged || is_above;
        is_wrong.then(|| WrongCount { path: current.path.clone(), found, min_items, max_items })
    }

    /// Returns the number of blocks, if it is known.
    fn count(&self, data: &Data) -> Option<u64> {
        match (self.nesting, data) {
            (Nesting::Single, Data::Null) => Some(0),
            (Nesting::Single, Data::Map(_)) => Some(1),
            (Nesting::List | Nesting::Set, Data::List(blocks)) => Some(blocks.len() as u64),
            (Nesting::Map, Data::Map(blocks)) => Some(blocks.len() as u64),
            _ => None,
        }
    }
}

impl Attribute {
    fn implied_type(&self) -> Type {
        let (nesting, attributes) = match &self.ty {
            AttributeType::Plain(ty) => return ty.without_optional(),
            AttributeType::Nested { nesting, attributes } => (nesting, attributes),
        };
        let types = attributes.iter().map(|(name, inner)| (name.clone(), inner.implied_type()));
        let object = Type::object(types);
        match nesting {
            Nesting::Single => object,
            Nesting::List => Type::list(object),
            Nesting::Set => Type::set(object),
            Nesting::Map => Type::map(object),
            // Not valid here. Terraform uses an empty object.
            Nesting::Group | Nesting::Other => Type::object([]),
        }
    }

    fn has_sensitive(&self) -> bool {
        self.is_sensitive
            || match &self.ty {
                AttributeType::Plain(_) => false,
                AttributeType::Nested { attributes, .. } => {
                    attributes.values().any(Attribute::has_sensitive)
                }
            }
    }
}

/// True for the value of a block that may be absent from the configuration.
fn is_empty(data: &Data) -> bool {
    match data {
        Data::Null => true,
        Data::List(elements) => elements.is_empty(),
        Data::Map(members) => members.values().all(is_empty),
        _ => false,
    }
}

fn add_sensitive_attributes(
    attributes: &BTreeMap<String, Attribute>,
    data: &Data,
    current: &mut CurrentPath,
    marked: &mut Marked,
) {
    let Data::Map(members) = data else {
        return;
    };
    for (name, attribute) in attributes {
        current.below(Step::Name(name.clone().into_bytes().into()), |current| {
            if attribute.is_sensitive {
                marked.push(current);
            } else if let AttributeType::Nested { nesting, attributes } = &attribute.ty
                && attribute.has_sensitive()
                && let Some(member) = members.get(name.as_bytes())
            {
                nesting.each(member, current, |data, current| {
                    add_sensitive_attributes(attributes, data, current, marked);
                });
            }
        });
    }
}

/// The path to a value. Elements of a set have no paths, so inside a set this is the path of the
/// set.
#[derive(Default)]
struct CurrentPath {
    path: Path,
    is_in_set: bool,
}

impl CurrentPath {
    /// Calls `f` with the path one step deeper.
    fn below(&mut self, step: Step<'static>, f: impl FnOnce(&mut CurrentPath)) {
        if self.is_in_set {
            return f(self);
        }
        self.path.push(step);
        f(self);
        self.path.pop();
    }
}

/// The paths of sensitive parts, up to a total number of steps.
struct Marked {
    paths: Vec<Path>,
    /// The number of steps left for more paths.
    left: usize,
    /// Whether a path was left out.
    is_over: bool,
}

impl Marked {
    fn push(&mut self, current: &CurrentPath) {
        if current.is_in_set && self.paths.last() == Some(&current.path) {
            return;
        }
        match self.left.checked_sub(current.path.len()) {
            Some(left) => {
                self.left = left;
                self.paths.push(current.path.clone());
            }
            None => self.is_over = true,
        }
    }
}

impl Nesting {
    /// The nestings and their names in JSON, in the order of their numbers in plan files, from 1.
    pub const WORDS: [(&str, Nesting); 5] = [
        ("single", Nesting::Single),
        ("group", Nesting::Group),
        ("list", Nesting::List),
        ("set", Nesting::Set),
        ("map", Nesting::Map),
    ];

    /// Calls `f` with each object and its path.
    fn each(
        self,
        data: &Data,
        current: &mut CurrentPath,
        mut f: impl FnMut(&Data, &mut CurrentPath),
    ) {
        match (self, data) {
            (Nesting::Single | Nesting::Group, data) => f(data, current),
            (Nesting::List, Data::List(elements)) => {
                for (index, element) in (0..).zip(elements) {
                    current.below(Step::Index(index), |current| f(element, current));
                }
            }
            (Nesting::Map, Data::Map(elements)) => {
                for (key, element) in elements {
                    current.below(Step::Key(key.clone().into()), |current| f(element, current));
                }
            }
            (Nesting::Set, Data::List(elements)) => {
                let is_in_set = std::mem::replace(&mut current.is_in_set, true);
                elements.iter().for_each(|element| f(element, current));
                current.is_in_set = is_in_set;
            }
            _ => {}
        }
    }
}

//! Checks of states, as in the package `statecheck` of terraform-plugin-testing.

use std::collections::{BTreeMap, BTreeSet};

use super::Checked;
use super::change::{GoStruct, Output, Resource};
use super::decode::decode;
use super::emptiness::without_change;
use super::plan::{known, sensitive};
use super::shape::STATE;
use super::state_values::Collected;
use crate::known::{
    Comparer, Data, Failure, FailureKind, KnownValue, MaskedValue, Type, are_equal, delta, found,
    print, quote, traverse,
};
use plansift_core::error::Result;
use plansift_core::input::Source;
use plansift_core::json::value::Kind;
use plansift_core::limits::Limits;
use plansift_core::path::AttributePath;

/// The address of a resource, and the path of a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeAddress {
    /// The address of the resource.
    pub address: String,
    /// The path in the values of the resource.
    pub path: AttributePath,
}

/// A check of a state. The variants have the names of the functions of Go's `statecheck`, without
/// `Expect`. As in Go, checks do not find resources of child modules.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names of the fields say what they are")]
pub enum StateCheck {
    /// A value passes a check.
    KnownValue { attribute: AttributeAddress, check: KnownValue },
    /// The value of an output passes a check.
    KnownOutputValue { output: String, path: Option<AttributePath>, check: KnownValue },
    /// A value has a sensitivity mark of its own. A mark on a value that contains it is not enough.
    SensitiveValue { attribute: AttributeAddress },
    /// An identity has these attributes and no others.
    Identity { address: String, identity: BTreeMap<String, KnownValue> },
    /// An attribute of an identity passes a check.
    IdentityValue { attribute: AttributeAddress, check: KnownValue },
    /// An attribute of an identity equals the attribute of the resource at the same path.
    IdentityValueMatchesState { attribute: AttributeAddress },
    /// An attribute of an identity equals the attribute of the resource at another path.
    IdentityValueMatchesStateAtPath {
        address: String,
        identity_path: AttributePath,
        state_path: AttributePath,
    },
    /// Each value and the value after it pass the comparer.
    CompareValue { comparer: Comparer, values: Vec<AttributeAddress> },
    /// Two values pass the comparer.
    CompareValuePairs { comparer: Comparer, one: AttributeAddress, two: AttributeAddress },
    /// At least one element of a collection passes the comparer with a value. The first path leads
    /// to a collection, each further path from its elements to nested collections.
    CompareValueCollection {
        comparer: Comparer,
        address: String,
        collection_path: Vec<AttributePath>,
        value: AttributeAddress,
    },
}

/// Checks a state. The results are in the order of the checks.
///
/// # Errors
///
/// Fails if Go's library would not load the state, if the text is invalid, or if a limit is
/// exceeded.
pub fn check_state<S: Source>(
    state: S,
    checks: &[StateCheck],
    limits: &Limits,
) -> Result<Vec<Checked>> {
    let addresses: BTreeSet<&str> = checks.iter().flat_map(StateCheck::addresses).collect();
    let names: BTreeSet<&str> = checks.iter().filter_map(StateCheck::output).collect();
    let mut collected = Collected::new(addresses, names, limits);
    decode(state, &STATE, &mut collected, limits)?;
    let Collected { has_values, has_root_module, has_null_resource, .. } = collected;
    let (mut resources, mut outputs) = (BTreeMap::new(), BTreeMap::new());
    for (address, resource) in &mut collected.resources {
        resources.extend(Resource::read(resource.value())?.map(|it| (&**address, it)));
    }
    for (name, output) in &mut collected.outputs {
        outputs.extend(Output::read(output.value())?.map(|output| (&**name, output)));
    }
    let state = State { has_values, has_root_module, has_null_resource, resources, outputs };
    checks.iter().map(|check| state.check(check)).collect()
}

impl StateCheck {
    /// The addresses that the check names.
    fn addresses(&self) -> Vec<&str> {
        match self {
            StateCheck::KnownOutputValue { .. } => Vec::new(),
            StateCheck::KnownValue { attribute, .. }
            | StateCheck::SensitiveValue { attribute }
            | StateCheck::IdentityValue { attribute, .. }
            | StateCheck::IdentityValueMatchesState { attribute } => vec![&attribute.address],
            StateCheck::Identity { address, .. }
            | StateCheck::IdentityValueMatchesStateAtPath { address, .. } => vec![address],
            StateCheck::CompareValue { values, .. } => {
                values.iter().map(|attribute| &*attribute.address).collect()
            }
            StateCheck::CompareValuePairs { one, two, .. } => vec![&one.address, &two.address],
            StateCheck::CompareValueCollection { address, value, .. } => {
                vec![address, &value.address]
            }
        }
    }

    /// The output that the check names.
    fn output(&self) -> Option<&str> {
        match self {
            StateCheck::KnownOutputValue { output, .. } => Some(output),
            _ => None,
        }
    }
}

/// The parts of a state that checks name.
struct State<'a> {
    has_values: bool,
    has_root_module: bool,
    has_null_resource: bool,
    resources: BTreeMap<&'a str, Resource<'a>>,
    outputs: BTreeMap<&'a str, Output<'a>>,
}

impl State<'_> {
    fn check(&self, check: &StateCheck) -> Result<Checked> {
        let no_values = |text: &str| Ok(Err(Failure::new(FailureKind::NoValues, text)));
        if !self.has_values {
            return no_values("state does not contain any state values");
        }
        if let StateCheck::KnownOutputValue { output, path, check } = check {
            return self.output(output, path.as_ref(), check);
        }
        if !self.has_root_module {
            return no_values("state does not contain a root module");
        }
        match check {
            StateCheck::KnownOutputValue { .. } => Ok(Ok(())),
            StateCheck::KnownValue { attribute: AttributeAddress { address, path }, check } => {
                let values = found!(self.resource(address)).values();
                let attribute = format!("{address}.{}", path.to_tfjsonpath());
                known(values, path, check, "attribute", &attribute)
            }
            StateCheck::SensitiveValue { attribute: AttributeAddress { address, path } } => {
                let marks = found!(marks(found!(self.resource(address)))?);
                sensitive(MaskedValue::clear(marks), path)
            }
            StateCheck::Identity { address, identity } => self.identity(address, identity),
            StateCheck::IdentityValue { attribute: AttributeAddress { address, path }, check } => {
                let identity = found!(self.identity_of(address)?);
                let found = found!(traverse(identity, path)?);
                let outer = format!(
                    "error checking identity value for attribute at path: {address}.{}, err: ",
                    path.to_tfjsonpath()
                );
                Ok(check.check(found)?.map_err(|failure| failure.of_value(&outer)))
            }
            StateCheck::IdentityValueMatchesState {
                attribute: AttributeAddress { address, path },
            } => {
                let attribute = path.to_tfjsonpath();
                self.matches(address, [path, path], |identity, state| {
                    format!(
                        "expected identity and state value at path to match, but they differ: \
                         {address}.{attribute}, identity value: {identity}, state value: {state}"
                    )
                })
            }
            StateCheck::IdentityValueMatchesStateAtPath { address, identity_path, state_path } => {
                let [one, two] = [identity_path, state_path].map(AttributePath::to_tfjsonpath);
                self.matches(address, [identity_path, state_path], |identity, state| {
                    format!(
                        "expected identity ({address}.{one}) and state value ({address}.{two}) to \
                         match, but they differ: identity value: {identity}, state value: {state}"
                    )
                })
            }
            StateCheck::CompareValue { comparer, values } => {
                let mut compared = Vec::new();
                for attribute in values {
                    compared.push(found!(self.value(attribute)?));
                    found!(comparer.compare(&compared)?);
                }
                Ok(Ok(()))
            }
            StateCheck::CompareValuePairs { comparer, one, two } => {
                let one = found!(self.value(one)?);
                let two = found!(self.value(two)?);
                comparer.compare(&[one, two])
            }
            StateCheck::CompareValueCollection { comparer, address, collection_path, value } => {
                let elements = found!(self.collection(address, collection_path)?);
                let value = found!(self.value(value)?);
                compare_any(*comparer, &elements, value)
            }
        }
    }

    fn resource(&self, address: &str) -> std::result::Result<&Resource<'_>, Failure> {
        self.resources.get(address).ok_or_else(|| match self.has_null_resource {
            true => without_change(address),
            false => {
                let text = format!("{address} - Resource not found in state");
                Failure::new(FailureKind::ResourceAbsent, text)
            }
        })
    }

    fn value(
        &self,
        attribute: &AttributeAddress,
    ) -> Result<std::result::Result<MaskedValue<'_>, Failure>> {
        let resource = found!(self.resource(&attribute.address));
        traverse(resource.values(), &attribute.path)
    }

    fn output(
        &self,
        name: &str,
        path: Option<&AttributePath>,
        check: &KnownValue,
    ) -> Result<Checked> {
        let Some(output) = self.outputs.get(name) else {
            let text = format!("{name} - Output not found in state");
            return Ok(Err(Failure::new(FailureKind::OutputAbsent, text)));
        };
        let attribute = match path {
            Some(path) => format!("{name}.{}", path.to_tfjsonpath()),
            None => name.to_owned(),
        };
        let root = AttributePath::root();
        known(output.found(), path.unwrap_or(&root), check, "output", &attribute)
    }

    fn identity_of(&self, address: &str) -> Result<std::result::Result<MaskedValue<'_>, Failure>> {
        let resource = found!(self.resource(address));
        Ok(resource.identity()?.ok_or_else(|| {
            let text = format!(
                "{address} - Identity not found in state. Either the resource does not support \
                 identity or the Terraform version running the test does not support identity. \
                 (must be v1.12+)"
            );
            Failure::new(FailureKind::IdentityAbsent, text)
        }))
    }

    fn identity(&self, address: &str, expected: &BTreeMap<String, KnownValue>) -> Result<Checked> {
        let identity = found!(self.identity_of(address)?);
        let members = identity.data.members()?.unwrap_or_default();
        if members.len() != expected.len() {
            let text = format!(
                "{address} - Expected {} attribute(s) in the actual identity object, got {} \
                 attribute(s): {}",
                expected.len(),
                members.len(),
                delta(expected, &members, identity, "identity")
            );
            return Ok(Err(Failure::new(FailureKind::IdentitySize, text)));
        }
        for (key, check) in expected {
            let Some(data) = members.get(key) else {
                let key = quote(key);
                let text = format!("{address} - missing attribute {key} in actual identity object");
                return Ok(Err(Failure::new(FailureKind::IdentityKey, text)));
            };
            if let Err(failure) = check.check(MaskedValue::clear(*data))? {
                let outer = format!("{address} - {} identity attribute: ", quote(key));
                return Ok(Err(failure.of_value(&outer)));
            }
        }
        Ok(Ok(()))
    }

    /// Checks that an attribute of an identity equals an attribute of the resource. `text` writes
    /// the message of the failure.
    fn matches(
        &self,
        address: &str,
        [identity_path, state_path]: [&AttributePath; 2],
        text: impl FnOnce(&str, &str) -> String,
    ) -> Result<Checked> {
        let identity = found!(traverse(found!(self.identity_of(address)?), identity_path)?);
        let values = found!(self.resource(address)).values();
        let value = found!(traverse(values, state_path)?);
        if are_equal(identity.data, value.data)? {
            return Ok(Ok(()));
        }
        let text = text(&print(identity)?, &print(value)?);
        Ok(Err(Failure::new(FailureKind::Different, text)))
    }

    /// Returns the elements of the collection at the paths.
    fn collection(
        &self,
        address: &str,
        paths: &[AttributePath],
    ) -> Result<std::result::Result<Vec<MaskedValue<'_>>, Failure>> {
        let resource = found!(self.resource(address));
        let Some((first, rest)) = paths.split_first() else {
            let text = format!("{address} - No collection path was provided");
            return Ok(Err(Failure::new(FailureKind::NoCollectionPath, text)));
        };
        let collection = found!(traverse(resource.values(), first)?);
        let ty = collection.data.ty()?;
        if !matches!(ty, Type::Slice | Type::Map) {
            let path: String =
                paths.iter().map(|path| format!(".{}", path.to_tfjsonpath())).collect();
            let text = format!("{address}{path} is not a collection type: {}", ty.name());
            return Ok(Err(Failure::new(FailureKind::NotCollection, text)));
        }
        elements(collection, rest)
    }
}

/// Returns the elements of a collection. Each path leads from the elements found so far to nested
/// collections, whose elements replace them. A scalar counts as its own element. For a map, Go
/// repeats the next path for each key with the same result, so this function follows the path once.
fn elements<'a>(
    collection: MaskedValue<'a>,
    paths: &[AttributePath],
) -> Result<std::result::Result<Vec<MaskedValue<'a>>, Failure>> {
    let mut found = Vec::new();
    // Each entry is a value, the path to follow from it, and the paths after that path.
    let mut left = vec![(collection, None, paths)];
    while let Some((mut value, path, paths)) = left.pop() {
        if let Some(path) = path {
            value = found!(traverse(value, path)?);
        }
        let MaskedValue { data, mask } = value;
        let next = paths.split_first();
        if let Some(list) = data.elements()? {
            let elements = list.into_iter().enumerate();
            let elements = elements.map(|(at, data)| MaskedValue { data, mask: mask.at_index(at) });
            match next {
                // The first element is on top of the stack.
                Some((path, rest)) => {
                    left.extend(elements.rev().map(|element| (element, Some(path), rest)));
                }
                None => found.extend(elements),
            }
        } else if let Some(map) = data.members()? {
            match next {
                Some((path, rest)) if !map.is_empty() => left.push((value, Some(path), rest)),
                Some(_) => {}
                None => found.extend(
                    map.into_iter()
                        .map(|(key, data)| MaskedValue { data, mask: mask.at_key(&key) }),
                ),
            }
        } else {
            found.push(value);
        }
    }
    Ok(Ok(found))
}

/// Checks that at least one element passes the comparer with a value. Otherwise the failure lists
/// the errors of all elements, without duplicates.
fn compare_any(
    comparer: Comparer,
    elements: &[MaskedValue<'_>],
    value: MaskedValue<'_>,
) -> Result<Checked> {
    let is_list = value.data.ty()? == Type::Slice;
    let mut failures: Vec<Failure> = Vec::new();
    let mut seen = BTreeSet::new();
    let compare = |element: MaskedValue<'_>, value: MaskedValue<'_>| match is_list {
        true => comparer.compare_element(element, value),
        false => comparer.compare(&[element, value]),
    };
    for element in elements {
        let Err(failure) = compare(*element, value)? else { return Ok(Ok(())) };
        // Compares unmasked errors to find duplicates, because masks can make different errors
        // equal, and vice versa.
        let unmasked = compare(MaskedValue::clear(element.data), MaskedValue::clear(value.data))?;
        if seen.insert(unmasked.err().map(|failure| failure.text().to_owned())) {
            failures.push(failure);
        }
    }
    let Some(first) = failures.first() else { return Ok(Ok(())) };
    let texts: Vec<&str> = failures.iter().map(Failure::text).collect();
    Ok(Err(Failure::new(first.kind(), texts.join("\n"))))
}

/// The `sensitive_values` of a resource. Go unmarshals them into a map, so an object or `null` is
/// required.
fn marks<'a>(resource: &Resource<'a>) -> Result<std::result::Result<Data<'a>, Failure>> {
    let reason = match resource.sensitive_values {
        None => "unexpected end of JSON input".to_owned(),
        Some(marks) => {
            let name = match marks.kind()? {
                Kind::Object => return Ok(Ok(Data::Value(marks))),
                Kind::Null => return Ok(Ok(Data::Map(&[]))),
                Kind::Array => "array",
                Kind::String => "string",
                Kind::Number => "number",
                Kind::True | Kind::False => "bool",
            };
            format!("json: cannot unmarshal {name} into Go value of type map[string]interface {{}}")
        }
    };
    let text = format!("could not unmarshal SensitiveValues: {reason}");
    Ok(Err(Failure::new(FailureKind::SensitiveNotObject, text)))
}

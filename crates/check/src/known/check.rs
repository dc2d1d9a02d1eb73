//! The checks of `knownvalue`.

use std::collections::BTreeMap;
use std::fmt;

use super::data::Data;
use super::failure::{Failure, FailureKind};
use super::format::{float, float32};
use super::mask::SENSITIVE;
use super::regexp::Regexp;
use super::scalar::{
    Checked, big, differs, double, elements, equals, fail, found, integer, members, plain, shown,
    single, size_is, string, wrong_type,
};
use super::traverse::MaskedValue;
use plansift_cty::Number;
use plansift_cty::quote;

/// A check of a value. The variants have the names of the functions of Go's `knownvalue`.
///
/// ```
/// use plansift_check::known::KnownValue;
///
/// // knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("a"), knownvalue.NotNull()})
/// let check =
///     KnownValue::ListExact(vec![KnownValue::StringExact("a".to_owned()), KnownValue::NotNull]);
/// assert_eq!(check.to_string(), "[a not-null]");
/// ```
#[derive(Debug)]
pub enum KnownValue {
    /// `null`.
    Null,
    /// Any value except `null`.
    NotNull,
    /// This boolean.
    Bool(bool),
    /// This string. Unicode is not normalized.
    StringExact(String),
    /// A string that has a match of a regular expression.
    StringRegexp(Regexp),
    /// A number whose text is this integer. `1.0` and `1e0` do not pass.
    Int32Exact(i32),
    /// A number whose text is this integer. `1.0` and `1e0` do not pass.
    Int64Exact(i64),
    /// A number that rounds to this float.
    Float32Exact(f32),
    /// A number that rounds to this float.
    Float64Exact(f64),
    /// A number that equals this one at 512 bits of precision. No number equals `None`.
    NumberExact(Option<Number>),
    /// An array whose elements pass these checks, in order.
    ListExact(Vec<KnownValue>),
    /// An array. For each index in the map, the element at the index passes the check.
    ListPartial(BTreeMap<i64, KnownValue>),
    /// An array of this length.
    ListSizeExact(i64),
    /// Like [`KnownValue::ListExact`].
    TupleExact(Vec<KnownValue>),
    /// Like [`KnownValue::ListPartial`].
    TuplePartial(BTreeMap<i64, KnownValue>),
    /// Like [`KnownValue::ListSizeExact`].
    TupleSizeExact(i64),
    /// An array in which each element passes one of the checks, in any order. Each check takes one
    /// element that passes and that no earlier check has taken. It does not look for another
    /// assignment if a later check fails, so the order of the checks can matter.
    SetExact(Vec<KnownValue>),
    /// Like [`KnownValue::SetExact`], but the array may have more elements.
    SetPartial(Vec<KnownValue>),
    /// An array of this length.
    SetSizeExact(i64),
    /// An object with exactly these members, which pass these checks.
    MapExact(BTreeMap<String, KnownValue>),
    /// An object with at least these members, which pass these checks.
    MapPartial(BTreeMap<String, KnownValue>),
    /// An object with this number of members.
    MapSizeExact(i64),
    /// An object with exactly these members, which pass these checks.
    ObjectExact(BTreeMap<String, KnownValue>),
    /// An object with at least these members, which pass these checks.
    ObjectPartial(BTreeMap<String, KnownValue>),
    /// A check that is a function.
    Func(Func),
}

/// The result of a [`Func`]: the reason of the failure, if the value does not pass.
type Judged = std::result::Result<(), String>;

/// A check that is a function, for any thread. plansift does not mask the reasons that the function
/// returns, so a reason must not quote a value that may be sensitive.
pub enum Func {
    /// `BoolFunc`.
    Bool(Box<dyn Fn(bool) -> Judged + Send + Sync>),
    /// `StringFunc`.
    String(Box<dyn Fn(&str) -> Judged + Send + Sync>),
    /// `Int32Func`.
    Int32(Box<dyn Fn(i32) -> Judged + Send + Sync>),
    /// `Int64Func`.
    Int64(Box<dyn Fn(i64) -> Judged + Send + Sync>),
    /// `Float32Func`.
    Float32(Box<dyn Fn(f32) -> Judged + Send + Sync>),
    /// `Float64Func`.
    Float64(Box<dyn Fn(f64) -> Judged + Send + Sync>),
    /// `NumberFunc`.
    Number(Box<dyn Fn(&Number) -> Judged + Send + Sync>),
}

impl KnownValue {
    /// Checks a value.
    ///
    /// # Errors
    ///
    /// Fails if the document is invalid in a part that the check reads. If the value does not pass,
    /// the result is a [`Failure`], not an error.
    pub fn check(&self, value: MaskedValue<'_>) -> Checked {
        let name = self.name();
        match self {
            KnownValue::Null if !matches!(value.data, Data::Nil) => wrong_type("nil", name, value),
            KnownValue::NotNull if matches!(value.data, Data::Nil) => {
                wrong_type("non-nil", name, value)
            }
            KnownValue::Null | KnownValue::NotNull => Ok(Ok(())),
            KnownValue::Bool(expected) => match value.data.boolean() {
                Some(found) => equals(*expected, found, bool::to_string, name, value),
                None => wrong_type("bool", name, value),
            },
            KnownValue::StringExact(expected) => {
                let text = found!(string(name, value)?);
                equals(&**expected, &*text, |text| (*text).to_owned(), name, value)
            }
            KnownValue::StringRegexp(regexp) => {
                let text = found!(string(name, value)?);
                match regexp.is_match(&text) {
                    true => Ok(Ok(())),
                    false => fail(format!(
                        "expected regex match {regexp} for {name} check, got: {}",
                        shown(&text, value)
                    )),
                }
            }
            KnownValue::Int32Exact(_)
            | KnownValue::Int64Exact(_)
            | KnownValue::Float32Exact(_)
            | KnownValue::Float64Exact(_)
            | KnownValue::NumberExact(_) => self.check_number(value),
            KnownValue::ListExact(checks) | KnownValue::TupleExact(checks) => {
                self.check_list(checks, value)
            }
            KnownValue::ListPartial(checks) | KnownValue::TuplePartial(checks) => {
                self.check_indices(checks, value)
            }
            KnownValue::ListSizeExact(size)
            | KnownValue::TupleSizeExact(size)
            | KnownValue::SetSizeExact(size) => {
                size_is(*size, found!(elements(name, value)?).len(), name)
            }
            KnownValue::SetExact(checks) | KnownValue::SetPartial(checks) => {
                self.check_set(checks, value)
            }
            KnownValue::MapSizeExact(size) => {
                size_is(*size, found!(members(name, value)?).len(), name)
            }
            KnownValue::MapExact(checks)
            | KnownValue::MapPartial(checks)
            | KnownValue::ObjectExact(checks)
            | KnownValue::ObjectPartial(checks) => self.check_members(checks, value),
            KnownValue::Func(func) => func.check(name, value),
        }
    }

    fn check_number(&self, value: MaskedValue<'_>) -> Checked {
        let name = self.name();
        match self {
            KnownValue::Int32Exact(expected) => {
                let number = found!(integer(32, name, value)?);
                equals(i64::from(*expected), number, i64::to_string, name, value)
            }
            KnownValue::Int64Exact(expected) => {
                let number = found!(integer(64, name, value)?);
                equals(*expected, number, i64::to_string, name, value)
            }
            KnownValue::Float32Exact(expected) => {
                let number = found!(single(name, value)?);
                equals(*expected, number, |number| float32(*number), name, value)
            }
            KnownValue::Float64Exact(expected) => {
                let number = found!(double(name, value)?);
                equals(*expected, number, |number| float(*number), name, value)
            }
            KnownValue::NumberExact(Some(expected)) => {
                let number = found!(big(name, value)?);
                match number.compare(expected).is_eq() {
                    true => Ok(Ok(())),
                    false => differs(&plain(expected), name, &plain(&number), value),
                }
            }
            _ => fail("value in NumberExact check is nil".to_owned()),
        }
    }

    fn check_list(&self, checks: &[KnownValue], value: MaskedValue<'_>) -> Checked {
        let name = self.name();
        let elements = found!(elements(name, value)?);
        found!(size_is(checks.len() as i64, elements.len(), name)?);
        let kind = if matches!(self, KnownValue::ListExact(_)) { "list" } else { "tuple" };
        for (index, (check, data)) in checks.iter().zip(elements).enumerate() {
            let element = MaskedValue { data, mask: value.mask.at_index(index) };
            if let Err(failure) = check.check(element)? {
                return Ok(Err(failure.within(&format!("{kind} element index {index}: "))));
            }
        }
        Ok(Ok(()))
    }

    fn check_indices(&self, checks: &BTreeMap<i64, KnownValue>, value: MaskedValue<'_>) -> Checked {
        let name = self.name();
        let elements = found!(elements(name, value)?);
        let kind = if matches!(self, KnownValue::ListPartial(_)) { "list" } else { "tuple" };
        for (index, check) in checks {
            let Ok(place) = usize::try_from(*index) else {
                let text = format!("index {index} of {name} check is negative");
                return Ok(Err(Failure::new(FailureKind::Panic, text)));
            };
            let Some(data) = elements.get(place) else {
                return fail(format!("missing element index {index} for {name} check"));
            };
            let element = MaskedValue { data: *data, mask: value.mask.at_index(place) };
            if let Err(failure) = check.check(element)? {
                return Ok(Err(failure.within(&format!("{kind} element {index}: "))));
            }
        }
        Ok(Ok(()))
    }

    fn check_set(&self, checks: &[KnownValue], value: MaskedValue<'_>) -> Checked {
        let name = self.name();
        let elements = found!(elements(name, value)?);
        if matches!(self, KnownValue::SetExact(_)) {
            found!(size_is(checks.len() as i64, elements.len(), name)?);
        }
        let mut left: Vec<MaskedValue<'_>> = elements
            .into_iter()
            .enumerate()
            .map(|(index, data)| MaskedValue { data, mask: value.mask.at_index(index) })
            .collect();
        for check in checks {
            // Go prints each check before it runs the check, and panics on a number that is `nil`.
            let Ok(text) = check.text() else {
                let text = format!("{name} check has a NumberExact check that is nil");
                return Ok(Err(Failure::new(FailureKind::Panic, text)));
            };
            let mut taken = None;
            for (place, element) in left.iter().enumerate() {
                match check.check(*element)? {
                    Ok(()) => {
                        taken = Some(place);
                        break;
                    }
                    Err(failure) if failure.kind() == FailureKind::Panic => {
                        return Ok(Err(failure));
                    }
                    Err(_) => {}
                }
            }
            match taken {
                Some(place) => {
                    left.swap_remove(place);
                }
                None => return fail(format!("missing value {text} for {name} check")),
            }
        }
        Ok(Ok(()))
    }

    fn check_members(
        &self,
        checks: &BTreeMap<String, KnownValue>,
        value: MaskedValue<'_>,
    ) -> Checked {
        let name = self.name();
        let members = found!(members(name, value)?);
        let is_map = matches!(self, KnownValue::MapExact(_) | KnownValue::MapPartial(_));
        let (part, noun) = if is_map { ("map", "element") } else { ("object", "attribute") };
        if matches!(self, KnownValue::MapExact(_)) {
            found!(size_is(checks.len() as i64, members.len(), name)?);
        }
        if matches!(self, KnownValue::ObjectExact(_)) && members.len() != checks.len() {
            let delta = delta(checks, &members, value, "value");
            return fail(format!(
                "expected {} attribute(s) for {name} check, got {} attribute(s): {delta}",
                checks.len(),
                members.len()
            ));
        }
        for (key, check) in checks {
            let Some(data) = members.get(key) else {
                return fail(format!("missing {noun} {key} for {name} check"));
            };
            let member = MaskedValue { data: *data, mask: value.mask.at_key(key) };
            if let Err(failure) = check.check(member)? {
                return Ok(Err(failure.within(&format!("{key} {part} {noun}: "))));
            }
        }
        Ok(Ok(()))
    }

    fn name(&self) -> &'static str {
        match self {
            KnownValue::Null => "Null",
            KnownValue::NotNull => "NotNull",
            KnownValue::Bool(_) => "Bool",
            KnownValue::StringExact(_) => "StringExact",
            KnownValue::StringRegexp(_) => "StringRegexp",
            KnownValue::Int32Exact(_) => "Int32Exact",
            KnownValue::Int64Exact(_) => "Int64Exact",
            KnownValue::Float32Exact(_) => "Float32Exact",
            KnownValue::Float64Exact(_) => "Float64Exact",
            KnownValue::NumberExact(_) => "NumberExact",
            KnownValue::ListExact(_) => "ListExact",
            KnownValue::ListPartial(_) => "ListPartial",
            KnownValue::ListSizeExact(_) => "ListSizeExact",
            KnownValue::TupleExact(_) => "TupleExact",
            KnownValue::TuplePartial(_) => "TuplePartial",
            KnownValue::TupleSizeExact(_) => "TupleSizeExact",
            KnownValue::SetExact(_) => "SetExact",
            KnownValue::SetPartial(_) => "SetPartial",
            // Go's messages use this name.
            KnownValue::SetSizeExact(_) => "SetElementExact",
            KnownValue::MapExact(_) => "MapExact",
            KnownValue::MapPartial(_) => "MapPartial",
            KnownValue::MapSizeExact(_) => "MapSizeExact",
            KnownValue::ObjectExact(_) => "ObjectExact",
            KnownValue::ObjectPartial(_) => "ObjectPartial",
            KnownValue::Func(func) => func.name(),
        }
    }

    /// Returns the result of Go's `String()`. Fails for a number that is `nil`: Go panics.
    fn text(&self) -> std::result::Result<String, NilNumber> {
        Ok(match self {
            KnownValue::Null => "null".to_owned(),
            KnownValue::NotNull => "not-null".to_owned(),
            KnownValue::Bool(value) => value.to_string(),
            KnownValue::StringExact(value) => value.clone(),
            KnownValue::StringRegexp(regexp) => regexp.to_string(),
            KnownValue::Int32Exact(value) => value.to_string(),
            KnownValue::Int64Exact(value) => value.to_string(),
            KnownValue::Float32Exact(value) => float32(*value),
            KnownValue::Float64Exact(value) => float(*value),
            KnownValue::NumberExact(value) => plain(value.as_ref().ok_or(NilNumber)?),
            KnownValue::ListExact(checks)
            | KnownValue::TupleExact(checks)
            | KnownValue::SetExact(checks)
            | KnownValue::SetPartial(checks) => {
                let texts = checks.iter().map(KnownValue::text);
                format!("[{}]", texts.collect::<std::result::Result<Vec<_>, _>>()?.join(" "))
            }
            KnownValue::ListPartial(checks) | KnownValue::TuplePartial(checks) => {
                // Go's `fmt` catches the panic.
                const PANIC: &str = "%!s(PANIC=String method: runtime error: invalid memory \
                                     address or nil pointer dereference)";
                let texts = checks.iter().map(|(index, check)| match check.text() {
                    Ok(text) => format!("{index}:{text}"),
                    Err(NilNumber) => format!("{index}:{PANIC}"),
                });
                format!("[{}]", texts.collect::<Vec<_>>().join(" "))
            }
            KnownValue::ListSizeExact(size)
            | KnownValue::TupleSizeExact(size)
            | KnownValue::SetSizeExact(size)
            | KnownValue::MapSizeExact(size) => size.to_string(),
            KnownValue::MapExact(checks)
            | KnownValue::MapPartial(checks)
            | KnownValue::ObjectExact(checks)
            | KnownValue::ObjectPartial(checks) => {
                let texts =
                    checks.iter().map(|(key, check)| Ok(format!("{key}:{}", check.text()?)));
                format!("map[{}]", texts.collect::<std::result::Result<Vec<_>, _>>()?.join(" "))
            }
            KnownValue::Func(func) => func.name().to_owned(),
        })
    }
}

/// An error: the number of a `NumberExact` check is `nil`.
struct NilNumber;

impl fmt::Display for KnownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text().unwrap_or_else(|NilNumber| "<nil>".to_owned()))
    }
}

impl Func {
    fn name(&self) -> &'static str {
        match self {
            Func::Bool(_) => "BoolFunc",
            Func::String(_) => "StringFunc",
            Func::Int32(_) => "Int32Func",
            Func::Int64(_) => "Int64Func",
            Func::Float32(_) => "Float32Func",
            Func::Float64(_) => "Float64Func",
            Func::Number(_) => "NumberFunc",
        }
    }

    fn check(&self, name: &str, value: MaskedValue<'_>) -> Checked {
        let judged = match self {
            Func::Bool(func) => match value.data.boolean() {
                Some(boolean) => func(boolean),
                None => return wrong_type("bool", name, value),
            },
            Func::String(func) => func(&found!(string(name, value)?)),
            Func::Int32(func) => {
                let number = found!(integer(32, name, value)?);
                // `integer` has checked that the number fits 32 bits.
                func(i32::try_from(number).unwrap_or_default())
            }
            Func::Int64(func) => func(found!(integer(64, name, value)?)),
            Func::Float32(func) => func(found!(single(name, value)?)),
            Func::Float64(func) => func(found!(double(name, value)?)),
            Func::Number(func) => func(&found!(big(name, value)?)),
        };
        Ok(judged.map_err(|reason| Failure::new(FailureKind::Value, reason)))
    }
}

impl fmt::Debug for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns a message with the names that only the larger of two objects has. If both have the same
/// size, these are the expected names that are missing. `owner` is the noun of the message.
pub(crate) fn delta<T, U>(
    expected: &BTreeMap<String, T>,
    found: &BTreeMap<String, U>,
    value: MaskedValue<'_>,
    owner: &str,
) -> String {
    let names = |keys: Vec<&String>| keys.into_iter().map(quote).collect::<Vec<_>>().join(", ");
    let (verb, names) = if found.len() > expected.len() {
        let extra = found.keys().filter(|key| !expected.contains_key(*key)).collect();
        let names = if value.mask.is_marked() { SENSITIVE.to_owned() } else { names(extra) };
        ("has extra", names)
    } else {
        ("is missing", names(expected.keys().filter(|key| !found.contains_key(*key)).collect()))
    };
    match names.as_str() {
        "" => String::new(),
        names => format!("actual {owner} {verb} attribute(s): {names}"),
    }
}

//! Numbers as in go-cty: binary floating point with a precision that depends on the number's
//! origin.
//!
//! Numbers from text and JSON have 512 bits, MessagePack integers have 64 bits, and MessagePack
//! floats have 53 bits. The precision decides how a number is written: its text is the shortest
//! that reads back as the same number at that precision.

use std::cmp::Ordering;

use num_bigint::BigUint;

use super::decimal::{self, Decimal, divided, trailing_zeros};

/// The precision of numbers that come from decimal text.
pub const TEXT_PRECISION: u64 = 512;
/// The precision of MessagePack integers.
const INTEGER_PRECISION: u64 = 64;
/// The precision of MessagePack floats.
const FLOAT_PRECISION: u64 = 53;
/// The number of digits that are read exactly. Later digits only break ties.
const DIGITS_MAX: usize = 4_000;
/// The largest absolute binary exponent of numbers that are written as decimal text.
const TEXT_EXPONENT_MAX: u64 = 1 << 14;

/// A number.
#[derive(Clone, Debug)]
pub struct Number {
    is_negative: bool,
    size: Size,
    precision: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Size {
    Finite(Float),
    Infinite,
}

/// `mantissa` × 2^`exponent`. The mantissa is odd, or zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Float {
    mantissa: BigUint,
    exponent: i64,
}

impl From<i64> for Number {
    fn from(number: i64) -> Number {
        let size = Float::rounded(number.unsigned_abs().into(), 0, false, INTEGER_PRECISION);
        Number { is_negative: number < 0, size, precision: INTEGER_PRECISION }
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Number {
        let size = Float::rounded(number.into(), 0, false, INTEGER_PRECISION);
        Number { is_negative: false, size, precision: INTEGER_PRECISION }
    }
}

impl Number {
    /// Converts a float. Returns `None` for NaN.
    pub fn from_float(number: f64) -> Option<Number> {
        if number.is_nan() {
            return None;
        }
        let bits = number.to_bits();
        let (fraction, biased) = (bits & ((1 << 52) - 1), bits >> 52 & 0x7ff);
        let size = match biased {
            0x7ff => Size::Infinite,
            0 => Float::rounded(fraction.into(), -1074, false, FLOAT_PRECISION),
            _ => {
                let exponent = biased.cast_signed() - 1075;
                Float::rounded((fraction | 1 << 52).into(), exponent, false, FLOAT_PRECISION)
            }
        };
        Some(Number { is_negative: number.is_sign_negative(), size, precision: FLOAT_PRECISION })
    }

    /// Reads decimal text at [`TEXT_PRECISION`], as go-cty does.
    pub fn parse(text: &[u8]) -> Option<Number> {
        Number::parse_at(text, TEXT_PRECISION)
    }

    /// Reads decimal text at a precision. The text is an optional sign and `Inf`, or an optional
    /// sign and digits, with an optional point and an optional exponent of ten (`e`) or of two
    /// (`p`).
    pub fn parse_at(text: &[u8], precision: u64) -> Option<Number> {
        let (is_negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        if matches!(text, b"Inf" | b"inf") {
            return Some(Number { is_negative, size: Size::Infinite, precision });
        }
        let size = parse_size(text, precision)?;
        Some(Number { is_negative, size, precision })
    }

    /// Returns the precision: the number of bits of the mantissa.
    pub fn precision(&self) -> u64 {
        self.precision
    }

    /// True for both infinities.
    pub fn is_infinite(&self) -> bool {
        self.size == Size::Infinite
    }

    /// True for a number below zero, and for negative zero.
    pub fn is_negative(&self) -> bool {
        self.is_negative
    }

    /// Returns plain decimal text; `None` if the number is infinite or its text would be too long.
    pub fn to_text(&self) -> Option<String> {
        self.to_text_within(TEXT_EXPONENT_MAX)
    }

    /// Like [`Number::to_text`], but with another limit on the absolute binary exponent. The time
    /// grows with the square of the exponent.
    pub fn to_text_within(&self, exponent_max: u64) -> Option<String> {
        let Size::Finite(float) = &self.size else {
            return None;
        };
        if float.exponent.unsigned_abs() > exponent_max {
            return None;
        }
        let decimal = if float.is_zero() {
            Decimal::default()
        } else {
            Decimal::shortest(&float.mantissa, float.exponent, self.precision)
        };
        Some(self.signed(&decimal.to_plain()))
    }

    /// Returns text of at most ten digits, by which sets are ordered.
    pub fn to_general(&self) -> String {
        match &self.size {
            Size::Infinite if self.is_negative => "-Inf".into(),
            Size::Infinite => "+Inf".into(),
            Size::Finite(float) if float.exponent.unsigned_abs() > TEXT_EXPONENT_MAX => {
                self.signed(&format!("2^{}", float.top()))
            }
            Size::Finite(float) => {
                self.signed(&Decimal::exact(&float.mantissa, float.exponent).to_general())
            }
        }
    }

    /// Returns text that is the same only for equal numbers.
    pub fn to_exact(&self) -> String {
        match (self.to_text(), &self.size) {
            (Some(text), _) => text,
            (None, Size::Finite(float)) => {
                let digits = float.mantissa.to_str_radix(10);
                self.signed(&format!("{digits}p{}", float.exponent))
            }
            (None, Size::Infinite) => self.to_general(),
        }
    }

    /// Returns the integer, if the number is an integer of 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        let Size::Finite(float) = &self.size else {
            return None;
        };
        if float.exponent < 0 || float.top() > 64 {
            return None;
        }
        let size =
            i128::from(u64::try_from(&float.mantissa << float.exponent.unsigned_abs()).ok()?);
        i64::try_from(if self.is_negative { -size } else { size }).ok()
    }

    /// Returns the float, if the number is infinite, or is a fraction that a float represents
    /// exactly.
    pub fn to_fraction(&self) -> Option<f64> {
        let sign = u64::from(self.is_negative) << 63;
        let Size::Finite(float) = &self.size else {
            return Some(f64::from_bits(sign | 0x7ff << 52));
        };
        let bits = float.mantissa.bits();
        let is_exact = bits <= 53 && float.exponent >= -1074 && float.top() <= 1024;
        if float.exponent >= 0 || !is_exact {
            return None;
        }
        // Both multiplications are exact: the mantissa has at most 53 bits, and neither power of
        // two is below the smallest float.
        let mantissa = u64::try_from(&float.mantissa).ok()? as f64;
        let half = i32::try_from(float.exponent / 2).ok()?;
        let rest = i32::try_from(float.exponent).ok()? - half;
        let size = mantissa * 2_f64.powi(half) * 2_f64.powi(rest);
        Some(f64::from_bits(sign | size.to_bits()))
    }

    /// True if both numbers have the same text. Zero and negative zero are equal.
    pub fn is_same(&self, other: &Number) -> bool {
        match (&self.size, &other.size) {
            (Size::Finite(left), Size::Finite(right)) if left.is_zero() || right.is_zero() => {
                left.is_zero() && right.is_zero()
            }
            _ if self.is_negative != other.is_negative => false,
            (Size::Infinite, Size::Infinite) => true,
            _ if self.size == other.size && self.precision == other.precision => true,
            _ => self.to_text().is_some_and(|text| Some(text) == other.to_text()),
        }
    }

    fn signed(&self, text: &str) -> String {
        let sign = if self.is_negative { "-" } else { "" };
        format!("{sign}{text}")
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.is_same(other)
    }
}

impl Number {
    /// Orders numbers by value. Zero and negative zero are equal.
    pub fn compare(&self, other: &Number) -> Ordering {
        let sign = |number: &Number| match &number.size {
            Size::Finite(float) if float.is_zero() => 0,
            _ if number.is_negative => -1,
            _ => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let sizes = self.size.compare(&other.size);
            if self.is_negative { sizes.reverse() } else { sizes }
        })
    }
}

impl Size {
    fn compare(&self, other: &Size) -> Ordering {
        match (self, other) {
            (Size::Infinite, Size::Infinite) => Ordering::Equal,
            (Size::Infinite, _) => Ordering::Greater,
            (_, Size::Infinite) => Ordering::Less,
            (Size::Finite(left), Size::Finite(right)) => left.compare(right),
        }
    }
}

impl Float {
    /// Rounds `mantissa` × 2^`exponent` to nearest even. `has_rest` is true if the exact number is
    /// slightly larger. A number whose exponent exceeds 32 bits becomes infinite or zero.
    fn rounded(mut mantissa: BigUint, exponent: i64, has_rest: bool, precision: u64) -> Size {
        if mantissa.bits() == 0 {
            return Size::Finite(Float::default());
        }
        let over = mantissa.bits().saturating_sub(precision);
        if over > 0 {
            let is_half = mantissa.bit(over - 1);
            let is_above_half = has_rest || trailing_zeros(&mantissa) < over - 1;
            mantissa >>= over;
            if is_half && (is_above_half || mantissa.bit(0)) {
                mantissa += 1_u32;
            }
        }
        let spare = trailing_zeros(&mantissa);
        // A shift copies the digits, even a shift by nothing.
        if spare > 0 {
            mantissa >>= spare;
        }
        let exponent = exponent + over.cast_signed() + spare.cast_signed();
        let float = Float { mantissa, exponent };
        match float.top() {
            top if top > i64::from(i32::MAX) => Size::Infinite,
            top if top < i64::from(i32::MIN) => Size::Finite(Float::default()),
            _ => Size::Finite(float),
        }
    }

    fn is_zero(&self) -> bool {
        self.mantissa.bits() == 0
    }

    /// Returns the exponent of the smallest power of two that is greater than the number.
    fn top(&self) -> i64 {
        self.exponent.saturating_add(self.mantissa.bits().cast_signed())
    }

    fn compare(&self, other: &Float) -> Ordering {
        self.top().cmp(&other.top()).then_with(|| {
            if self.exponent == other.exponent {
                return self.mantissa.cmp(&other.mantissa);
            }
            let least = self.exponent.min(other.exponent);
            let shifted =
                |float: &Float| &float.mantissa << (float.exponent - least).unsigned_abs();
            shifted(self).cmp(&shifted(other))
        })
    }

    fn mul(&self, other: &Float, precision: u64) -> Size {
        let exponent = self.exponent.saturating_add(other.exponent);
        Float::rounded(&self.mantissa * &other.mantissa, exponent, false, precision)
    }

    fn div(&self, other: &Float, precision: u64) -> Size {
        let wanted = precision + 2 + other.mantissa.bits();
        let up = wanted.saturating_sub(self.mantissa.bits());
        let (quotient, has_rest) = divided(&(&self.mantissa << up), &other.mantissa);
        // One more bit records whether there is a remainder.
        let quotient = (quotient << 1) + u32::from(has_rest);
        let exponent = self.exponent - other.exponent - up.cast_signed() - 1;
        Float::rounded(quotient, exponent, false, precision)
    }
}

/// Returns five to the power of `exponent`, rounded at the same steps as in Go.
fn pow5(exponent: u64, precision: u64) -> Size {
    const EXACT: u64 = 27;
    let whole = |power: u64| Float::rounded(decimal::pow5(power), 0, false, u64::MAX);
    if exponent <= EXACT {
        return whole(exponent);
    }
    let (Size::Finite(mut power), Size::Finite(mut factor)) = (whole(EXACT), whole(1)) else {
        return Size::Infinite;
    };
    let mut left = exponent - EXACT;
    loop {
        if left & 1 == 1 {
            let Size::Finite(next) = power.mul(&factor, precision) else {
                return Size::Infinite;
            };
            power = next;
        }
        left >>= 1;
        if left == 0 {
            return Size::Finite(power);
        }
        let Size::Finite(next) = factor.mul(&factor, precision + 64) else {
            return Size::Infinite;
        };
        factor = next;
    }
}

/// Reads text without a sign.
fn parse_size(text: &[u8], precision: u64) -> Option<Size> {
    let end = text.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'.'));
    let (mantissa, exponent) = text.split_at(end.unwrap_or(text.len()));
    let (whole, fraction) = match mantissa.iter().position(|byte| *byte == b'.') {
        Some(point) => (&mantissa[..point], &mantissa[point + 1..]),
        None => (mantissa, &[][..]),
    };
    if whole.is_empty() && fraction.is_empty() || fraction.contains(&b'.') {
        return None;
    }
    let (tens, twos) = match exponent {
        [] => (0, 0),
        [b'e' | b'E', digits @ ..] => (std::str::from_utf8(digits).ok()?.parse().ok()?, 0),
        [b'p' | b'P', digits @ ..] => (0, std::str::from_utf8(digits).ok()?.parse().ok()?),
        _ => return None,
    };
    let mut digits = [whole, fraction].concat();
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.drain(..zeros);
    let mut tens = i64::checked_sub(tens, fraction.len() as i64)?;
    if digits.len() > DIGITS_MAX {
        let has_rest = digits[DIGITS_MAX..].iter().any(|digit| *digit != b'0');
        tens = tens.checked_add((digits.len() - DIGITS_MAX) as i64)?;
        digits.truncate(DIGITS_MAX);
        if has_rest {
            tens = tens.checked_sub(1)?;
            digits.push(b'1');
        }
    }
    let mantissa = BigUint::parse_bytes(&digits, 10).unwrap_or_default();
    if mantissa.bits() == 0 {
        return Some(Size::Finite(Float::default()));
    }
    let exponent = tens.checked_add(twos)?;
    let top = exponent.checked_add(mantissa.bits().cast_signed())?;
    if i32::try_from(top).is_err() {
        return None;
    }
    let float = Float { mantissa, exponent };
    if tens == 0 {
        return Some(Float::rounded(float.mantissa, float.exponent, false, precision));
    }
    Some(match (pow5(tens.unsigned_abs(), precision + 64), tens > 0) {
        (Size::Finite(power), true) => float.mul(&power, precision),
        (Size::Finite(power), false) => float.div(&power, precision),
        (Size::Infinite, true) => Size::Infinite,
        (Size::Infinite, false) => Size::Finite(Float::default()),
    })
}

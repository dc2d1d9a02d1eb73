//! Decimal digits of a binary number, exact or as short as its precision allows.

use num_bigint::BigUint;

/// The minimum number of leading digits to compute. At 512 bits, 156 digits distinguish a number
/// from its neighbours.
const LEADING: u64 = 200;

/// The number 0.`digits` × 10^`exponent`. Zero has no digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decimal {
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Returns `mantissa` × 2^`exponent` exactly.
    pub fn exact(mantissa: &BigUint, exponent: i64) -> Decimal {
        let (digits, scale) = if exponent >= 0 {
            (digits(&(mantissa << exponent.unsigned_abs())), 0)
        } else {
            let spare = trailing_zeros(mantissa).min(exponent.unsigned_abs());
            let fives = exponent.unsigned_abs() - spare;
            let digits = digits(&((mantissa >> spare) * pow5(fives)));
            (digits, fives.cast_signed())
        };
        let exponent = digits.len() as i64 - scale;
        let mut decimal = Decimal { digits, exponent };
        decimal.trim();
        decimal
    }

    /// Returns the leading digits of `mantissa` × 2^`exponent`, at least [`LEADING`]. If digits are
    /// cut off, a final digit 1 represents them.
    fn leading(mantissa: &BigUint, exponent: i64) -> Decimal {
        let scale = exponent.unsigned_abs();
        let top = exponent.saturating_add(mantissa.bits().cast_signed());
        // The number is at least 10 to this power.
        let power = (top - 1) * 30_103 / 100_000 - 1;
        let wanted = power - LEADING.cast_signed();
        let (quotient, has_rest) = if exponent >= 0 && wanted > 0 && wanted.unsigned_abs() <= scale
        {
            let tens = wanted.unsigned_abs();
            divided(&(mantissa << (scale - tens)), &pow5(tens))
        } else if exponent < 0 && wanted < 0 && wanted.unsigned_abs() < scale {
            let tens = wanted.unsigned_abs();
            let product = mantissa * pow5(tens);
            let down = scale - tens;
            (&product >> down, trailing_zeros(&product) < down)
        } else {
            return Decimal::exact(mantissa, exponent);
        };
        let mut digits = digits(&quotient);
        let exponent = digits.len() as i64 + wanted;
        if has_rest {
            digits.push(b'1');
        }
        let mut decimal = Decimal { digits, exponent };
        decimal.trim();
        decimal
    }

    /// Returns the fewest digits that read back as the same number at `precision` bits, rounded to
    /// nearest even.
    ///
    /// Every decimal within half a unit of the last bit reads back as this number. The digits end
    /// where rounding them down or up stays within these bounds.
    pub fn shortest(mantissa: &BigUint, exponent: i64, precision: u64) -> Decimal {
        let mut decimal = Decimal::leading(mantissa, exponent);
        let bits = precision + 1;
        let up = bits.saturating_sub(mantissa.bits());
        // The mantissa has at most `precision` bits, so the shift is exact.
        let (mantissa, exponent) = (mantissa << up, exponent - up.cast_signed());
        let lower = Decimal::leading(&(&mantissa - 1_u32), exponent);
        let upper = Decimal::leading(&(&mantissa + 1_u32), exponent);
        let is_inclusive = !mantissa.bit(1);
        for (at, digit) in decimal.digits.iter().copied().enumerate() {
            let (low, high) = (lower.at(at), upper.at(at));
            let down = low != digit || is_inclusive && at + 1 == lower.digits.len();
            let up =
                digit != high && (is_inclusive || digit + 1 < high || at + 1 < upper.digits.len());
            match (down, up) {
                (true, true) => decimal.round(at + 1),
                (true, false) => decimal.round_down(at + 1),
                (false, true) => decimal.round_up(at + 1),
                (false, false) => continue,
            }
            break;
        }
        decimal
    }

    /// Rounds to `len` digits, and a tie to even.
    pub fn round(&mut self, len: usize) {
        let Some(digit) = self.digits.get(len) else {
            return;
        };
        let is_half = *digit == b'5' && len + 1 == self.digits.len();
        let is_odd = len > 0 && self.digits[len - 1] % 2 == 1;
        if if is_half { is_odd } else { *digit >= b'5' } {
            self.round_up(len);
        } else {
            self.round_down(len);
        }
    }

    /// Returns plain decimal text, without an exponent.
    pub fn to_plain(&self) -> String {
        let point = self.exponent.clamp(0, self.digits.len() as i64) as usize;
        let (whole, fraction) = self.digits.split_at(point);
        let mut text: String = whole.iter().copied().map(char::from).collect();
        text.extend((self.digits.len() as i64..self.exponent).map(|_| '0'));
        if text.is_empty() {
            text.push('0');
        }
        if !fraction.is_empty() {
            text.push('.');
            text.extend((self.exponent..0).map(|_| '0'));
            text.extend(fraction.iter().copied().map(char::from));
        }
        text
    }

    /// Returns text of at most ten digits, with an exponent if that is shorter (`%.10g`).
    pub fn to_general(&self) -> String {
        let mut rounded = self.clone();
        rounded.round(10);
        let len = rounded.digits.len() as i64;
        let limit = if len >= rounded.exponent { len.min(10) } else { 10 };
        let exponent = rounded.exponent - 1;
        if rounded.digits.is_empty() || (-4..limit).contains(&exponent) {
            return rounded.to_plain();
        }
        let mut text = String::from(char::from(rounded.digits[0]));
        if len > 1 {
            text.push('.');
            text.extend(rounded.digits[1..].iter().copied().map(char::from));
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        text + &format!("e{sign}{:02}", exponent.abs())
    }

    fn at(&self, index: usize) -> u8 {
        self.digits.get(index).copied().unwrap_or(b'0')
    }

    fn round_up(&mut self, len: usize) {
        self.digits.truncate(len);
        while let Some(digit) = self.digits.pop() {
            if digit < b'9' {
                return self.digits.push(digit + 1);
            }
        }
        self.digits.push(b'1');
        self.exponent += 1;
    }

    fn round_down(&mut self, len: usize) {
        self.digits.truncate(len);
        self.trim();
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&b'0') {
            self.digits.pop();
        }
        if self.digits.is_empty() {
            self.exponent = 0;
        }
    }
}

/// Returns the ASCII digits of a number.
pub(super) fn digits(number: &BigUint) -> Vec<u8> {
    number.to_str_radix(10).into_bytes()
}

/// Returns the number of bits below the lowest set bit; 0 for zero.
pub(super) fn trailing_zeros(number: &BigUint) -> u64 {
    number.trailing_zeros().unwrap_or(0)
}

/// Returns five to the power of `exponent`. The exponents of numbers fit 32 bits.
pub(super) fn pow5(exponent: u64) -> BigUint {
    BigUint::from(5_u32).pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}

/// Divides by a divisor that is not zero. Returns the quotient, and whether there is a remainder.
pub(super) fn divided(number: &BigUint, divisor: &BigUint) -> (BigUint, bool) {
    let quotient = number / divisor;
    let has_rest = &quotient * divisor != *number;
    (quotient, has_rest)
}

//! Decimal digits of a binary number, exact or as short as its precision allows.

use super::natural::Natural;

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
    pub fn exact(mantissa: &Natural, exponent: i64) -> Decimal {
        let (digits, scale) = if exponent >= 0 {
            (mantissa.shl(exponent.unsigned_abs()).digits(), 0)
        } else {
            let spare = mantissa.trailing_zeros().min(exponent.unsigned_abs());
            let fives = exponent.unsigned_abs() - spare;
            let digits = mantissa.shr(spare).mul(&Natural::pow5(fives)).digits();
            (digits, fives.cast_signed())
        };
        let exponent = digits.len() as i64 - scale;
        let mut decimal = Decimal { digits, exponent };
        decimal.trim();
        decimal
    }

    /// Returns the leading digits of `mantissa` × 2^`exponent`, at least [`LEADING`]. If digits are
    /// cut off, a final digit 1 represents them.
    fn leading(mantissa: &Natural, exponent: i64) -> Decimal {
        let scale = exponent.unsigned_abs();
        let top = exponent.saturating_add(mantissa.bit_len().cast_signed());
        // The number is at least 10 to this power.
        let power = (top - 1) * 30_103 / 100_000 - 1;
        let wanted = power - LEADING.cast_signed();
        let (quotient, has_rest) = if exponent >= 0 && wanted > 0 && wanted.unsigned_abs() <= scale
        {
            let tens = wanted.unsigned_abs();
            mantissa.shl(scale - tens).div(&Natural::pow5(tens))
        } else if exponent < 0 && wanted < 0 && wanted.unsigned_abs() < scale {
            let tens = wanted.unsigned_abs();
            let product = mantissa.mul(&Natural::pow5(tens));
            let down = scale - tens;
            (product.shr(down), product.trailing_zeros() < down)
        } else {
            return Decimal::exact(mantissa, exponent);
        };
        let mut digits = quotient.digits();
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
    pub fn shortest(mantissa: &Natural, exponent: i64, precision: u64) -> Decimal {
        let mut decimal = Decimal::leading(mantissa, exponent);
        let bits = precision + 1;
        let up = bits.saturating_sub(mantissa.bit_len());
        // The mantissa has at most `precision` bits, so the shift is exact.
        let (mantissa, exponent) = (mantissa.shl(up), exponent - up.cast_signed());
        let lower = Decimal::leading(&mantissa.sub(&Natural::from(1)), exponent);
        let upper = Decimal::leading(&mantissa.add(1), exponent);
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

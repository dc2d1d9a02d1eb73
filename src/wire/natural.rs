//! Natural numbers of any size, with the arithmetic that exact decimal text needs.

use std::cmp::Ordering;

/// A natural number. Its limbs are little-endian, and the last one is not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Natural(Vec<u64>);

/// The largest power of ten that fits a limb, and its exponent.
const CHUNK: u64 = 10_000_000_000_000_000_000;
const CHUNK_DIGITS: usize = 19;

impl From<u64> for Natural {
    fn from(number: u64) -> Natural {
        Natural(vec![number]).trimmed()
    }
}

impl Natural {
    pub fn from_digits(digits: &[u8]) -> Natural {
        let mut number = Natural::default();
        for chunk in digits.chunks(CHUNK_DIGITS) {
            let add = chunk.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
            number.scale(10_u64.pow(u32::try_from(chunk.len()).unwrap_or_default()), add);
        }
        number
    }

    /// Returns the ASCII digits; none for zero.
    pub fn digits(&self) -> Vec<u8> {
        let mut limbs = self.0.clone();
        let mut chunks = Vec::new();
        while !limbs.is_empty() {
            let mut rest = 0_u128;
            for limb in limbs.iter_mut().rev() {
                let part = rest << 64 | u128::from(*limb);
                *limb = low(part / u128::from(CHUNK));
                rest = part - u128::from(*limb) * u128::from(CHUNK);
            }
            while limbs.last() == Some(&0) {
                limbs.pop();
            }
            chunks.push(rest);
        }
        let mut text = String::new();
        for (index, chunk) in chunks.iter().rev().enumerate() {
            text += &if index == 0 { chunk.to_string() } else { format!("{chunk:019}") };
        }
        text.into_bytes()
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of bits up to the highest set bit.
    pub fn bit_len(&self) -> u64 {
        let top = self.0.last().map_or(64, |limb| limb.leading_zeros());
        (self.0.len() as u64 * 64).saturating_sub(u64::from(top) * u64::from(!self.is_zero()))
    }

    /// Returns the number of bits below the lowest set bit.
    pub fn trailing_zeros(&self) -> u64 {
        let limbs = self.0.iter().take_while(|limb| **limb == 0).count();
        let bits = self.0.get(limbs).map_or(0, |limb| limb.trailing_zeros());
        limbs as u64 * 64 + u64::from(bits)
    }

    pub fn bit(&self, index: u64) -> bool {
        let limb = usize::try_from(index / 64).ok().and_then(|limb| self.0.get(limb));
        limb.is_some_and(|limb| limb >> (index % 64) & 1 == 1)
    }

    /// Returns the value, if it fits 64 bits.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0[..] {
            [] => Some(0),
            [limb] => Some(limb),
            _ => None,
        }
    }

    pub fn mul(&self, other: &Natural) -> Natural {
        let mut product = vec![0; self.0.len() + other.0.len()];
        for (at, left) in self.0.iter().enumerate() {
            let mut carry = 0_u128;
            for (limb, right) in product[at..].iter_mut().zip(other.0.iter().chain([&0])) {
                carry += u128::from(*limb) + u128::from(*left) * u128::from(*right);
                *limb = low(carry);
                carry >>= 64;
            }
        }
        Natural(product).trimmed()
    }

    /// Returns five to the power of `exponent`.
    pub fn pow5(mut exponent: u64) -> Natural {
        let mut power = Natural::from(1);
        let mut factor = Natural::from(5);
        while exponent > 0 {
            if exponent & 1 == 1 {
                power = power.mul(&factor);
            }
            exponent >>= 1;
            if exponent > 0 {
                factor = factor.mul(&factor);
            }
        }
        power
    }

    pub fn shl(&self, bits: u64) -> Natural {
        let (limbs, bits) = (usize::try_from(bits / 64).unwrap_or(usize::MAX), bits % 64);
        let mut shifted = vec![0; limbs];
        let mut carry = 0;
        for limb in &self.0 {
            let wide = u128::from(*limb) << bits | carry;
            shifted.push(low(wide));
            carry = wide >> 64;
        }
        shifted.push(low(carry));
        Natural(shifted).trimmed()
    }

    /// Drops `bits` low bits.
    pub fn shr(&self, bits: u64) -> Natural {
        let (limbs, bits) = (usize::try_from(bits / 64).unwrap_or(usize::MAX), bits % 64);
        let kept = self.0.get(limbs..).unwrap_or_default();
        let next = kept.iter().skip(1).chain([&0]);
        let shifted = kept
            .iter()
            .zip(next)
            .map(|(limb, next)| low((u128::from(*next) << 64 | u128::from(*limb)) >> bits));
        Natural(shifted.collect()).trimmed()
    }

    pub fn add(&self, number: u64) -> Natural {
        let mut sum = self.clone();
        sum.scale(1, number);
        sum
    }

    /// Subtracts `other`, which must not be greater.
    pub fn sub(&self, other: &Natural) -> Natural {
        let mut borrow = false;
        let right = other.0.iter().chain(std::iter::repeat(&0));
        let difference = self.0.iter().zip(right).map(|(left, right)| {
            let (limb, under) = left.overflowing_sub(*right);
            let (limb, under_again) = limb.overflowing_sub(u64::from(borrow));
            borrow = under || under_again;
            limb
        });
        Natural(difference.collect()).trimmed()
    }

    /// Divides by a divisor that is not zero. Returns the quotient, and whether there is a
    /// remainder.
    ///
    /// Long division with limbs as digits (Knuth, volume 2, algorithm D).
    pub fn div(&self, divisor: &Natural) -> (Natural, bool) {
        if self < divisor {
            return (Natural::default(), !self.is_zero());
        }
        // If the highest bit of the divisor is set, its highest limb gives a close guess for each
        // limb of the quotient.
        let up = u64::from(divisor.0.last().map_or(0, |limb| limb.leading_zeros()));
        let divisor = divisor.shl(up).0;
        let mut rest = self.shl(up).0;
        let Some((high, below)) = divisor.split_last() else {
            return (Natural::default(), true);
        };
        let high = u128::from(*high);
        let next = u128::from(below.last().copied().unwrap_or(0));
        rest.push(0);
        let mut quotient = vec![0; rest.len() - divisor.len()];
        for at in (0..quotient.len()).rev() {
            let part = &mut rest[at..=at + divisor.len()];
            let len = divisor.len();
            let top = u128::from(part[len]) << 64 | u128::from(part[len - 1]);
            let third = if len > 1 { u128::from(part[len - 2]) } else { 0 };
            let (mut guess, mut left) = (top / high, top % high);
            while guess >> 64 != 0 || guess * next > (left << 64 | third) {
                guess -= 1;
                left += high;
                if left >> 64 != 0 {
                    break;
                }
            }
            if subtract_scaled(part, &divisor, low(guess)) {
                // The guess was one too large.
                guess -= 1;
                add_limbs(part, &divisor);
            }
            quotient[at] = low(guess);
        }
        (Natural(quotient).trimmed(), rest.iter().any(|limb| *limb != 0))
    }

    /// Multiplies by `factor` and adds `add`.
    fn scale(&mut self, factor: u64, add: u64) {
        let mut carry = u128::from(add);
        for limb in &mut self.0 {
            carry += u128::from(*limb) * u128::from(factor);
            *limb = low(carry);
            carry >>= 64;
        }
        if carry > 0 {
            self.0.push(low(carry));
        }
    }

    fn trimmed(mut self) -> Natural {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> Ordering {
        let by_len = self.0.len().cmp(&other.0.len());
        by_len.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

/// Subtracts `other` × `factor`. Returns whether the difference is negative; its limbs then wrap
/// around.
fn subtract_scaled(limbs: &mut [u64], other: &[u64], factor: u64) -> bool {
    let (mut carry, mut borrow) = (0_u128, false);
    for (limb, other) in limbs.iter_mut().zip(other.iter().chain([&0])) {
        carry += u128::from(*other) * u128::from(factor);
        let (difference, under) = limb.overflowing_sub(low(carry));
        let (difference, under_again) = difference.overflowing_sub(u64::from(borrow));
        *limb = difference;
        borrow = under || under_again;
        carry >>= 64;
    }
    borrow
}

/// Adds `other`, and drops the final carry.
fn add_limbs(limbs: &mut [u64], other: &[u64]) {
    let mut carry = 0_u128;
    for (limb, other) in limbs.iter_mut().zip(other.iter().chain([&0])) {
        carry += u128::from(*limb) + u128::from(*other);
        *limb = low(carry);
        carry >>= 64;
    }
}

/// Returns the low 64 bits.
fn low(wide: u128) -> u64 {
    wide as u64
}

//! Compares numbers exactly, as decimal text (docs/format/records.md, section 9, rule 4). It uses
//! no floats and writes out few zeros, so an exponent of a billion costs no more than its digits.

/// A number: `0.DIGITS` times ten to the power of `exponent`. The digits have no leading or
/// trailing zeros.
struct Decimal<'a> {
    negative: bool,
    digits: Digits<'a>,
    exponent: Exponent,
}

/// The significant digits. Iteration skips the decimal point.
#[derive(Clone)]
struct Digits<'a>(&'a [u8]);

/// A power of ten. An exponent of more than 36 digits is compared as text.
#[derive(PartialEq, Eq)]
enum Exponent {
    Small(i128),
    /// Sign and digits of an exponent of more than 36 digits.
    Huge {
        negative: bool,
        digits: Vec<u8>,
    },
}

/// Whether two JSON numbers have the same value.
pub fn equal(a: &[u8], b: &[u8]) -> bool {
    if a == b {
        return true;
    }
    // Without sign, point and exponent, a value has only one spelling: JSON forbids leading zeros.
    let is_positive =
        |text: &[u8]| text.first() != Some(&b'-') && text.iter().all(|byte| byte.is_ascii_digit());
    if is_positive(a) && is_positive(b) {
        return false;
    }
    match (Decimal::parse(a), Decimal::parse(b)) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            a.negative == b.negative && a.exponent == b.exponent && a.digits.clone().eq(b.digits)
        }
        _ => false,
    }
}

/// Maximum number of zeros that [`canonical`] writes out.
const ZEROS_MAX: i128 = 40;

/// Returns the canonical spelling of a JSON number. Equal numbers have the same canonical spelling.
/// Like the numbers that Terraform writes, it has no exponent, unless it would need more than
/// `ZEROS_MAX` zeros.
pub fn canonical<'t>(text: &'t [u8], memory: &'t mut Vec<u8>) -> &'t [u8] {
    let is_integer = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if is_integer(digits) && digits.len() as i128 <= ZEROS_MAX && text != b"-0" {
        return text;
    }
    memory.clear();
    match Decimal::parse(text) {
        Some(decimal) => decimal.write(memory),
        None => memory.push(b'0'),
    }
    memory
}

impl<'a> Decimal<'a> {
    fn write(self, out: &mut Vec<u8>) {
        let Decimal { negative, digits, exponent } = self;
        if negative {
            out.push(b'-');
        }
        let start = out.len();
        let places = match exponent {
            Exponent::Small(places) => places,
            Exponent::Huge { negative, digits: power } => {
                out.extend(digits);
                out.extend_from_slice(if negative { b"E-" } else { b"E" });
                return out.extend(power);
            }
        };
        let zeros = |count: i128| std::iter::repeat_n(b'0', count as usize);
        if (-ZEROS_MAX..=0).contains(&places) {
            out.extend_from_slice(b"0.");
            out.extend(zeros(-places));
            return out.extend(digits);
        }
        out.extend(digits);
        let behind = places - (out.len() - start) as i128;
        match behind {
            0..=ZEROS_MAX => out.extend(zeros(behind)),
            ..0 if places > 0 => out.insert(start + places as usize, b'.'),
            _ => out.extend_from_slice(format!("e{behind}").as_bytes()),
        }
    }

    /// Parses a JSON number; `None` if it is zero.
    fn parse(text: &'a [u8]) -> Option<Decimal<'a>> {
        let (negative, text) = match text {
            [b'-', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        let mark = text.iter().position(|byte| matches!(byte, b'e' | b'E'));
        let (mantissa, exponent) = match mark {
            Some(mark) => (&text[..mark], &text[mark + 1..]),
            None => (text, &[][..]),
        };
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let is_digit = |byte: &u8| (b'1'..=b'9').contains(byte);
        let first = mantissa.iter().position(is_digit)?;
        let last = mantissa.iter().rposition(is_digit)?;
        // The distance from the first significant digit to the decimal point.
        let shift =
            if first < point { (point - first) as i128 } else { point as i128 + 1 - first as i128 };
        Some(Decimal {
            negative,
            digits: Digits(&mantissa[first..=last]),
            exponent: Exponent::parse(exponent, shift),
        })
    }
}

impl Exponent {
    fn parse(text: &[u8], shift: i128) -> Exponent {
        let (negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
        let digits = &digits[zeros..];
        // 37 digits fit an i128, and the shift is at most the length of a text in memory.
        if digits.len() > 36 {
            return Exponent::huge(negative, digits, shift);
        }
        let value = value_of(digits);
        Exponent::Small(if negative { shift - value } else { shift + value })
    }

    /// Adds the shift to the exponent, digit by digit.
    fn huge(negative: bool, digits: &[u8], shift: i128) -> Exponent {
        let mut digits = digits.to_vec();
        let mut rest = if negative { -shift } else { shift };
        for digit in digits.iter_mut().rev() {
            let sum = value_of(&[*digit]) + rest % 10;
            rest = rest / 10 + sum.div_euclid(10);
            *digit = b'0' + sum.rem_euclid(10) as u8;
        }
        while rest > 0 {
            digits.insert(0, b'0' + (rest % 10) as u8);
            rest /= 10;
        }
        let zeros = digits.iter().take_while(|&&byte| byte == b'0').count();
        digits.drain(..zeros);
        if digits.len() <= 36 {
            let value = value_of(&digits);
            return Exponent::Small(if negative { -value } else { value });
        }
        Exponent::Huge { negative, digits }
    }
}

/// The value of at most 36 digits. A byte may be no digit if another process writes to the file.
/// Then its low four bits count.
fn value_of(digits: &[u8]) -> i128 {
    digits.iter().fold(0, |value, &byte| value * 10 + i128::from(byte & 0x0f))
}

impl Iterator for Digits<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        if first == b'.' { self.next() } else { Some(first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_spellings_are_equal() {
        for (a, b) in [
            ("1", "1.0"),
            ("1", "1e0"),
            ("100", "1E+2"),
            ("0.001", "1e-3"),
            ("-0", "0"),
            ("0.0", "0e99999999999999999999999999999999999999999"),
            ("12.50", "1.25e1"),
            (
                "1e100000000000000000000000000000000000000000",
                "10e99999999999999999999999999999999999999999",
            ),
            (
                "1e-100000000000000000000000000000000000000000",
                "0.1e-99999999999999999999999999999999999999999",
            ),
            (
                "10e-1000000000000000000000000000000000000",
                "1e-999999999999999999999999999999999999",
            ),
        ] {
            assert!(equal(a.as_bytes(), b.as_bytes()), "{a} {b}");
            assert!(canonical_of(a, b).is_some(), "{a} {b}");
        }
    }

    /// The canonical spelling of two numbers, if they have the same one.
    fn canonical_of(a: &str, b: &str) -> Option<String> {
        let [a, b] = [a, b].map(|text| canonical(text.as_bytes(), &mut Vec::new()).to_vec());
        (a == b).then(|| String::from_utf8(a).expect("ASCII"))
    }

    #[test]
    fn equal_numbers_have_one_canonical_spelling() {
        let zeros = |count: usize| "0".repeat(count);
        for (text, other, expected) in [
            ("1000000000", "1e9", "1000000000"),
            ("1000000000.00", "0.01E+11", "1000000000"),
            ("-1.50", "-15e-1", "-1.5"),
            ("0.0001", "1e-4", "0.0001"),
            ("123.4560", "1234560e-4", "123.456"),
            ("0", "-0.0e7", "0"),
            ("-0", "0.0", "0"),
            (&format!("1{}", zeros(39)), "1e39", &format!("1{}", zeros(39))),
            (&format!("1{}", zeros(40)), "1e40", &format!("1{}", zeros(40))),
            (&format!("1{}", zeros(41)), "1e41", "1e41"),
            (&format!("12{}", zeros(50)), "1.2e51", "12e50"),
            (&format!("0.{}12", zeros(41)), "1.2e-42", "12e-43"),
            (&format!("0.{}12", zeros(40)), "1.2e-41", &format!("0.{}12", zeros(40))),
        ] {
            assert_eq!(canonical_of(text, other).as_deref(), Some(expected), "{text} {other}");
        }
        let long = "1".repeat(60);
        assert_eq!(canonical_of(&long, &format!("{long}.0")), Some(long));
        let huge = format!("1e1{}", zeros(40));
        assert_eq!(
            canonical_of(&huge, &format!("10e{}", "9".repeat(40))),
            Some(format!("1E1{}1", zeros(39)))
        );
    }

    #[test]
    fn invalid_digits_do_not_panic() {
        for text in [&b"1e\xff\xff"[..], b"1e999999999999999999999999999999999999999~", b"~", b"-"]
        {
            canonical(text, &mut Vec::new());
        }
    }

    #[test]
    fn different_values_are_not_equal() {
        for (a, b) in [
            ("1", "-1"),
            ("1", "2"),
            ("9007199254740993", "9007199254740992"),
            ("1", "10"),
            ("0", "1"),
            ("1.5", "15"),
            (
                "1e100000000000000000000000000000000000000000",
                "1e-100000000000000000000000000000000000000000",
            ),
            (
                "1e100000000000000000000000000000000000000000",
                "1e100000000000000000000000000000000000000001",
            ),
        ] {
            assert!(!equal(a.as_bytes(), b.as_bytes()), "{a} {b}");
            assert_eq!(canonical_of(a, b), None, "{a} {b}");
        }
    }
}

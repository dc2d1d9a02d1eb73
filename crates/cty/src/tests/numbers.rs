//! Tests of decimal text and binary numbers.

use std::cmp::Ordering;

use crate::number::Number;

#[test]
fn text_is_plain_and_as_short_as_the_precision_allows() {
    for (given, precision, expected) in [
        ("0", 512, "0"),
        ("-0", 512, "-0"),
        ("007", 512, "7"),
        ("+5.", 512, "5"),
        (".5", 512, "0.5"),
        ("-1.50", 512, "-1.5"),
        ("1e3", 512, "1000"),
        ("1E-3", 512, "0.001"),
        ("1e+2", 512, "100"),
        ("1p4", 512, "16"),
        ("3p-1", 512, "1.5"),
        ("0.1", 512, "0.1"),
        ("0.1", 53, "0.1"),
        ("0.8", 53, "0.8"),
        ("12345678901234567890", 512, "12345678901234567890"),
        ("12345678901234567890", 53, "12345678901234567000"),
        ("99999999999999999999999", 24, "100000000000000000000000"),
        ("123456.789e-10", 512, "0.0000123456789"),
        ("1e100", 512, &format!("1{}", "0".repeat(100))),
        ("3.14159265358979323846264338327950288", 512, "3.14159265358979323846264338327950288"),
    ] {
        let number = Number::parse_at(given.as_bytes(), precision);
        assert_eq!(number.as_ref().and_then(Number::to_text).as_deref(), Some(expected), "{given}");
    }
}

#[test]
fn invalid_numbers_are_rejected() {
    for given in [
        "",
        "-",
        "+",
        ".",
        "e5",
        "1e",
        "1e+",
        "0x10",
        "0b1",
        "1_0",
        " 1",
        "1 ",
        "infinity",
        "NaN",
        "INF",
        "1.2.3",
        "--1",
        "1e9999999999",
        "1e1e1",
        "１",
    ] {
        assert!(Number::parse(given.as_bytes()).is_none(), "{given}");
    }
}

#[test]
fn large_exponents_are_not_expanded_to_digits() {
    let large = Number::parse(b"1e10000000").expect("a number");
    assert!(!large.is_infinite() && large.to_text().is_none());
    assert!(Number::parse(b"1e646456993").expect("a number").is_infinite());
    assert!(Number::parse(b"-Inf").expect("a number").is_infinite());
    let least = Number::parse(b"1e-700000000").expect("a number");
    assert_eq!(least.to_text().as_deref(), Some("0"));
    let long = Number::parse("7".repeat(100_000).as_bytes()).expect("a number");
    assert!(long.to_text().is_none());
}

#[test]
fn digits_beyond_the_precision_are_rounded() {
    let exact = format!("0.{}", "123456789".repeat(17));
    let number = Number::parse(exact.as_bytes()).expect("a number");
    assert_eq!(number.to_text(), Some(exact));
    let long = format!("1.{}9", "0".repeat(160));
    let number = Number::parse(long.as_bytes()).expect("a number");
    assert_eq!(number.to_text().as_deref(), Some("1"));
}

#[test]
fn floats_keep_their_53_bits() {
    for (float, expected) in [
        (0.1, "0.1"),
        (-2.5, "-2.5"),
        (1e22, "10000000000000000000000"),
        (1e-7, "0.0000001"),
        // A tie between two shortest texts goes to the even digit.
        (8_093_389_204_627_405.0 / 4.0, "2023347301156851.2"),
    ] {
        let number = Number::from_float(float).expect("a number");
        assert_eq!((number.to_text().as_deref(), number.precision()), (Some(expected), 53));
    }
    assert!(Number::from_float(f64::NAN).is_none());
    assert!(Number::from_float(f64::INFINITY).expect("a number").is_infinite());
}

#[test]
fn integers_and_fractions_are_found_exactly() {
    for (given, integer, fraction) in [
        ("0", Some(0), None),
        ("-0", Some(0), None),
        ("9223372036854775807", Some(i64::MAX), None),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("9223372036854775808", None, None),
        ("1.5", None, Some(1.5)),
        ("-0.25", None, Some(-0.25)),
        ("0.1", None, None),
        ("1e30", None, None),
        ("1p-1074", None, Some(5e-324)),
        ("1p-1075", None, None),
    ] {
        let number = Number::parse(given.as_bytes()).expect("a number");
        assert_eq!((number.to_i64(), number.to_fraction()), (integer, fraction), "{given}");
    }
}

#[test]
fn numbers_are_ordered_by_value_and_equal_by_text() {
    let number = |text: &str| Number::parse(text.as_bytes()).expect("a number");
    let ascending = ["-Inf", "-1e400", "-1.5", "-1", "0", "1e-400", "0.1", "1", "1e400", "Inf"];
    for (at, left) in ascending.iter().enumerate() {
        for (other, right) in ascending.iter().enumerate() {
            assert_eq!(number(left).compare(&number(right)), at.cmp(&other), "{left} {right}");
        }
    }
    assert_eq!(number("0").compare(&number("-0")), Ordering::Equal);
    let float = Number::from_float(0.8).expect("a number");
    assert!(float.is_same(&number("0.8")) && float.compare(&number("0.8")).is_ne());
    assert!(number("-0").is_same(&number("0")) && !number("1").is_same(&number("-1")));
}

#[test]
fn ten_digits_are_enough_for_the_order_of_sets() {
    for (given, expected) in [
        ("0", "0"),
        ("1234567890", "1234567890"),
        ("12345678901", "1.23456789e+10"),
        ("0.0001", "0.0001"),
        ("0.00001", "1e-05"),
        ("-1.23456789012", "-1.23456789"),
        ("99999999999", "1e+11"),
        ("1e100", "1e+100"),
    ] {
        let number = Number::parse(given.as_bytes()).expect("a number");
        assert_eq!(number.to_general(), expected, "{given}");
    }
}

/// Returns the next pseudorandom number from a seed.
fn draw(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    *seed >> 33
}

/// Returns plain text of 0.`digits` × 10^`exponent`.
fn plain(digits: &str, exponent: i64) -> String {
    let len = digits.len() as i64;
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or(0));
    if exponent <= 0 {
        format!("0.{}{digits}", zeros(-exponent))
    } else if exponent >= len {
        format!("{digits}{}", zeros(exponent - len))
    } else {
        let (whole, fraction) = digits.split_at(exponent as usize);
        format!("{whole}.{fraction}")
    }
}

#[test]
fn text_of_at_most_150_digits_comes_back_for_every_exponent() {
    let mut seed = 1;
    for _ in 0..300 {
        let len = 1 + draw(&mut seed) % 150;
        let mut digits: String =
            (0..len).map(|_| char::from(b'0' + (draw(&mut seed) % 10) as u8)).collect();
        digits.replace_range(..1, "7");
        digits.push('3');
        let exponent = draw(&mut seed).cast_signed() % 9_000 - 4_500;
        let given = format!("0.{digits}e{exponent}");
        let number = Number::parse(given.as_bytes()).expect("a number");
        assert_eq!(number.to_text(), Some(plain(&digits, exponent)), "{given}");
    }
}

//! Law V1 for numbers: 38 digits are kept exactly, and numbers compare by value.

use std::cmp::Ordering;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{Hash, Hasher};

use bigdecimal::{BigDecimal, Zero};
use dynamo_entity::__private::{to_json, written_size};
use dynamo_entity::aws_sdk_dynamodb::types::AttributeValue;
use dynamo_entity::codec::{CodecError, Reader};
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};
use proptest::prelude::*;
use proptest::sample::select;
use rust_decimal::Decimal;

use crate::{config, config_of_shape, given};

/// Decodes stored bytes directly, without an `Item` in between.
fn read<E: DynamoEntity>(json: &str) -> Result<E, CodecError> {
    E::decode(&mut Reader::new(json.as_bytes()))
}

/// The text of a number in any spelling, within DynamoDB's range or outside of it.
fn spelling() -> impl Strategy<Value = String> {
    let digits = |length| prop::collection::vec(0u8..10, length);
    let exponent = prop_oneof![
        4 => Just(None),
        3 => (-20i64..20).prop_map(Some),
        2 => (-180i64..180).prop_map(Some),
    ];
    let zeros = (0usize..4, 0usize..4);
    let sign = select(vec!["", "", "-", "+"]);
    (
        sign,
        zeros,
        digits(0..25),
        digits(0..25),
        exponent,
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(sign, zeros, whole, fraction, exponent, [capital, plus])| {
                let text =
                    |digits: Vec<u8>| digits.iter().map(ToString::to_string).collect::<String>();
                let whole = format!("{}{}", "0".repeat(zeros.0), text(whole));
                let fraction = format!("{}{}", text(fraction), "0".repeat(zeros.1));
                let whole = if whole.is_empty() && fraction.is_empty() {
                    "0".to_owned()
                } else {
                    whole
                };
                let point = if fraction.is_empty() && !plus {
                    ""
                } else {
                    "."
                };
                let exponent = exponent.map_or(String::new(), |exponent| {
                    let e = if capital { "E" } else { "e" };
                    let plus = if plus && exponent >= 0 { "+" } else { "" };
                    format!("{e}{plus}{exponent}")
                });
                format!("{sign}{whole}{point}{fraction}{exponent}")
            },
        )
}

/// The number as another library reads it.
fn model(text: &str) -> BigDecimal {
    let text = text.strip_prefix('+').unwrap_or(text);
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => ("-", unsigned),
        None => ("", text),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: bigdecimal::num_bigint::BigInt =
        format!("{sign}{whole}{fraction}").parse().unwrap();
    let exponent: i64 = exponent.trim_start_matches('+').parse().unwrap();
    BigDecimal::new(digits, fraction.len() as i64 - exponent)
}

/// DynamoDB's limits: 38 significant digits, the first of them at 1e-130 to 1e125.
fn is_kept(value: &BigDecimal) -> bool {
    if value.is_zero() {
        return true;
    }
    let (digits, scale) = value.normalized().into_bigint_and_exponent();
    let count = digits.to_string().trim_start_matches('-').len() as i64;
    count <= 38 && (-130..=125).contains(&(count - 1 - scale))
}

fn hash(number: &Number) -> u64 {
    let mut hasher = DefaultHasher::new();
    number.hash(&mut hasher);
    hasher.finish()
}

crate::declare! { entity HeldNumber(table = "held", key(pk = "{id}")) { #[dynamo(skip)] id: u8, n: Number } }

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_number_is_its_value_or_is_refused(text in spelling()) {
        let expected = model(&text);
        match text.parse::<Number>() {
            Ok(number) => {
                prop_assert!(is_kept(&expected), "{}", text);
                prop_assert_eq!(model(number.as_str()), expected);
                prop_assert_eq!(&number.as_str().parse::<Number>().unwrap(), &number, "its own text is a spelling too");
                let held = HeldNumber { id: 1, n: number };
                prop_assert_eq!(HeldNumber::from_item(held.to_item()?)?, held);
            }
            Err(_) => prop_assert!(!is_kept(&expected), "{}", text),
        }
    }

    #[test]
    fn numbers_compare_by_value(left in given::number_text(), right in given::number_text(), same in 0u8..4, zeros in 0usize..3) {
        let right = match same {
            // The right number has the value of the left one, in another spelling.
            0 => {
                let (mantissa, exponent) = left.split_once(['e', 'E']).unwrap();
                format!("{mantissa}{}E{exponent}", "0".repeat(zeros))
            }
            1 => format!("-{left}").replace("--", ""),
            _ => right,
        };
        let (first, second): (Number, Number) = (left.parse().unwrap(), right.parse().unwrap());
        let expected = model(&left).cmp(&model(&right));
        prop_assert_eq!(first.cmp(&second), expected, "{} {}", first, second);
        prop_assert_eq!(first == second, expected == Ordering::Equal);
        prop_assert_eq!(hash(&first) == hash(&second), first == second, "one value, one hash");
    }
}

proptest! {
    #![proptest_config(config_of_shape())]

    /// Text that is no number can only arrive through a conversion that cannot fail. A write refuses it, and
    /// a sort must not panic on it.
    #[test]
    fn invalid_numbers_are_refused_and_can_be_sorted(texts in prop::collection::vec(junk(), 1..40)) {
        let list = texts.iter().map(|text| AttributeValue::N(text.clone())).collect();
        let set = AttributeValue::Ns(texts.clone());
        let item = Item::from(HashMap::from([
            ("l".to_owned(), AttributeValue::L(list)),
            ("s".to_owned(), set),
        ]));
        let Some(Value::L(numbers)) = item.get("l") else { panic!("a list") };
        let mut numbers: Vec<Number> = numbers.iter().filter_map(|value| value.as_number().cloned()).collect();
        numbers.sort();
        for (at, left) in numbers.iter().enumerate() {
            for right in numbers[at..].iter().step_by(5).take(3) {
                prop_assert_ne!(left.cmp(right), Ordering::Greater, "{} {}", left, right);
                prop_assert_eq!(left.cmp(right).reverse(), right.cmp(left));
                prop_assert_eq!(left.cmp(right) == Ordering::Equal, left == right, "{} {}", left, right);
            }
        }
        let distinct: HashSet<&Number> = numbers.iter().collect();
        let Some(Value::Ns(set)) = item.get("s") else { panic!("a set") };
        prop_assert_eq!(set.len(), distinct.len());

        let all_kept = texts.iter().all(|text| text.parse::<Number>().is_ok());
        for number in numbers.iter().step_by(9) {
            let held = HeldNumber { id: 1, n: number.clone() };
            match held.to_item() {
                Ok(_) => prop_assert!(number.as_str().parse::<Number>().is_ok()),
                Err(error) => {
                    prop_assert!(!all_kept);
                    prop_assert_eq!((error.kind(), error.attribute()), (ErrorKind::InvalidValue, Some("n")));
                }
            }
        }
    }
}

fn junk() -> impl Strategy<Value = String> {
    let odd = vec![
        "5x", "NaN", "", "-", "1e", "1e200", "10e199", "1e-200", "abc", "9", "10", "-0", "0", "1e9",
    ];
    prop_oneof![
        4 => (-2000i32..2000).prop_map(|n| n.to_string()),
        3 => select(odd).prop_map(str::to_owned),
        1 => given::text(),
    ]
}

/// Every integer reads back, also from other spellings of its value.
macro_rules! integers {
    ($($int:ident)*) => {$(
        mod $int {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "held", key(pk = "{id}"))]
            struct Held {
                #[dynamo(skip)]
                id: u8,
                n: $int,
                set: BTreeSet<$int>,
                map: HashMap<$int, $int>,
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn law(n in given::$int(), other in given::$int(), zeros in 0usize..3) {
                    let held = Held { id: 1, n, set: [n, other].into(), map: [(other, n)].into() };
                    let wide = |n: $int| n.to_string().trim_start_matches('-').len() > 38;
                    match held.to_item() {
                        Ok(item) => {
                            prop_assert!(!wide(n) && !wide(other));
                            prop_assert_eq!(item.get("n"), Some(&Value::N(n.to_string().parse().unwrap())));
                            prop_assert_eq!(&Held::from_item(item)?, &held);
                            let zeros = "0".repeat(zeros);
                            for text in [format!("{n}.{zeros}"), format!("{n}{zeros}e-{}", zeros.len())] {
                                let json = format!(r#"{{"pk":{{"S":"001"}},"n":{{"N":"{text}"}},"map":{{"M":{{}}}}}}"#);
                                prop_assert_eq!(read::<Held>(&json).unwrap().n, n, "{}", text);
                            }
                        }
                        Err(error) => {
                            prop_assert!(wide(n) || wide(other), "{}", error);
                            prop_assert_eq!(error.kind(), ErrorKind::InvalidValue);
                        }
                    }
                }

                /// A stored number that the type cannot hold is an error and never becomes another number.
                #[test]
                fn others_are_refused(text in given::number_text()) {
                    let json = format!(r#"{{"pk":{{"S":"001"}},"n":{{"N":"{text}"}},"map":{{"M":{{}}}}}}"#);
                    let value = model(&text);
                    match read::<Held>(&json) {
                        Ok(held) => prop_assert_eq!(BigDecimal::from(i128_or(held.n)), value),
                        Err(fault) => {
                            let fits = value.is_integer()
                                && value.with_scale(0).to_plain_string().parse::<$int>().is_ok();
                            prop_assert!(!fits, "{} {}", text, fault);
                            prop_assert!(fault.to_string().starts_with("n: "), "{}", fault);
                        }
                    }
                }
            }

            fn i128_or(n: $int) -> bigdecimal::num_bigint::BigInt {
                n.to_string().parse().unwrap()
            }
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! floats {
    ($float:ident: $bits:ident) => {
        mod $float {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "held", key(pk = "{id}"))]
            struct Held {
                #[dynamo(skip)]
                id: u8,
                n: $float,
            }

            fn float() -> impl Strategy<Value = $float> {
                prop_oneof![
                    3 => any::<$bits>().prop_map($float::from_bits),
                    2 => (-1_000_000i32..1_000_000, 0i32..8).prop_map(|(n, scale)| n as $float / (10 as $float).powi(scale)),
                    1 => select(vec![
                        0.0, -0.0, $float::MIN, $float::MAX, $float::EPSILON, $float::MIN_POSITIVE,
                        $float::NAN, $float::INFINITY, $float::NEG_INFINITY, $float::from_bits(1),
                    ]),
                    // Values near DynamoDB's limits. The narrower type turns them into zeros and infinities.
                    1 => (any::<bool>(), 0.5f64..2.0, any::<bool>()).prop_map(|(low, near, negative)| {
                        let n = near * if low { 1e-130 } else { 1e126 };
                        (if negative { -n } else { n }) as $float
                    }),
                ]
            }

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn law(n in float()) {
                    let magnitude = f64::from(n).abs();
                    let kept = n == 0.0 || (1e-130..1e126).contains(&magnitude);
                    let held = Held { id: 1, n };
                    match held.to_item() {
                        Ok(item) => {
                            prop_assert!(kept, "{}", n);
                            let spelt = format!("{n:e}").parse().unwrap();
                            prop_assert_eq!(item.get("n"), Some(&Value::N(spelt)));
                            prop_assert_eq!(Held::from_item(item)?, held);
                        }
                        Err(error) => {
                            prop_assert!(!kept, "{}", error);
                            prop_assert_eq!((error.kind(), error.attribute()), (ErrorKind::InvalidValue, Some("n")));
                        }
                    }
                }

                /// A float is written like a number parsed from its shortest text: with the same bytes and
                /// the same size.
                #[test]
                fn a_float_is_written_as_its_shortest_number(n in float()) {
                    let number = format!("{n:e}").parse::<Number>();
                    let written = to_json(&Held { id: 1, n }).map(|json| String::from_utf8(json).unwrap());
                    prop_assert_eq!(written.is_ok(), number.is_ok());
                    if let (Ok(written), Ok(number)) = (written, number) {
                        prop_assert!(written.ends_with(&format!(r#""n":{{"N":"{number}"}}}}"#)), "{}", written);
                        let size = |n| written_size(&Held { id: 1, n }).unwrap();
                        prop_assert_eq!(size(n) - size(0.0), number.size() - 1);
                    }
                }

                /// No text in an `N` is read as an infinity or as NaN.
                #[test]
                fn only_numbers_are_read(text in prop_oneof![
                    spelling(),
                    select(vec!["NaN", "nan", "inf", "-inf", "infinity", "Infinity", "1e999", "-1e400", "1e39", "", "."])
                        .prop_map(str::to_owned),
                ]) {
                    let json = format!(r#"{{"pk":{{"S":"001"}},"n":{{"N":"{text}"}}}}"#);
                    if let Ok(held) = read::<Held>(&json) {
                        prop_assert!(held.n.is_finite(), "{}", text);
                    }
                }
            }
        }
    };
}

floats!(f32: u32);
floats!(f64: u64);

mod decimals {
    use super::*;

    crate::declare! {
        entity Held(table = "held", key(pk = "{id}"))
            { #[dynamo(skip)] id: u8, n: Decimal, set: HashSet<Decimal>, sorted: BTreeSet<Decimal> }
        entity HeldBig(table = "held", key(pk = "{id}"))
            { #[dynamo(skip)] id: u8, n: BigDecimal, set: HashSet<BigDecimal> }
    }

    proptest! {
        #![proptest_config(config())]

        #[test]
        fn decimal(n in given::decimal(), other in given::decimal()) {
            let held = Held { id: 1, n, set: [n, other, n.normalize()].into(), sorted: [other, n].into() };
            let item = held.to_item()?;
            prop_assert_eq!(Held::from_item(item)?, held);
        }

        /// A stored number is read exactly or refused: one that does not fit into 28 digits is not rounded.
        #[test]
        fn decimal_reads_what_it_holds(text in given::number_text()) {
            let json = format!(r#"{{"pk":{{"S":"001"}},"n":{{"N":"{text}"}}}}"#);
            let value = model(&text);
            match read::<Held>(&json) {
                Ok(held) => prop_assert_eq!(model(&held.n.to_string()), value),
                Err(_) => {
                    let (digits, scale) = value.normalized().into_bigint_and_exponent();
                    let mantissa = digits.to_string().trim_start_matches('-').parse::<u128>().unwrap_or(u128::MAX);
                    let whole = u32::try_from((-scale).max(0)).unwrap_or(u32::MAX);
                    let mantissa = 10u128.checked_pow(whole).and_then(|power| mantissa.checked_mul(power));
                    prop_assert!(scale > 28 || mantissa.is_none_or(|mantissa| mantissa >= 1 << 96), "{}", text);
                }
            }
        }

        #[test]
        fn big_decimal(text in spelling(), other in given::number_text()) {
            let (n, other) = (model(&text), model(&other));
            let held = HeldBig { id: 1, n: n.clone(), set: [n.clone(), other, n.normalized()].into() };
            match held.to_item() {
                Ok(item) => {
                    prop_assert!(is_kept(&n));
                    prop_assert_eq!(HeldBig::from_item(item)?, held);
                }
                Err(error) => {
                    prop_assert!(!is_kept(&n), "{}", error);
                    prop_assert_eq!(error.kind(), ErrorKind::InvalidValue);
                }
            }
        }

        /// Sets of numbers compare by value: elements that differ only in scale are one element.
        #[test]
        fn sets_are_by_value(texts in prop::collection::vec(given::number_text(), 1..6), zeros in 1usize..4) {
            let spelt: Vec<String> = texts
                .iter()
                .map(|text| {
                    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap();
                    format!("{mantissa}{}e{exponent}", "0".repeat(zeros))
                })
                .collect();
            let values: HashSet<BigDecimal> = texts.iter().map(|text| model(text).normalized()).collect();
            let from = |texts: &[String]| -> BTreeSet<Number> {
                texts.iter().map(|text| text.parse().unwrap()).collect()
            };
            prop_assert_eq!(from(&texts), from(&spelt));
            prop_assert_eq!(from(&texts).len(), values.len());
            let all: Vec<String> = texts.iter().chain(&spelt).map(|text| format!("\"{text}\"")).collect();
            let json = format!(r#"{{"pk":{{"S":"001"}},"n":{{"N":"1"}},"set":{{"NS":[{}]}}}}"#, all.join(","));
            prop_assert_eq!(read::<HeldBig>(&json).unwrap().set.len(), values.len());
        }
    }

    #[test]
    fn scale_is_not_kept() {
        let parse = |text: &str| text.parse::<Number>().unwrap();
        assert_eq!(parse("1.10"), parse("1.1"));
        let held = |text: &str| Held {
            id: 1,
            n: text.parse().unwrap(),
            set: [text.parse().unwrap()].into(),
            sorted: BTreeSet::new(),
        };
        assert_eq!(
            held("1.10").to_item().unwrap(),
            held("1.1").to_item().unwrap()
        );
    }
}

mod ttl {
    use super::*;

    crate::declare! {
        entity Held(table = "held", key(pk = "{id}")) { #[dynamo(skip)] id: u8, #[dynamo(ttl)] at: Option<i64> }
    }

    proptest! {
        #![proptest_config(config())]

        /// Whole seconds are read in any spelling. A fraction that another program stored is cut off.
        #[test]
        fn a_ttl_is_read_by_value(text in spelling(), seconds in given::i64(), tens in 0usize..6) {
            let value = model(&text);
            let json = |text: &str| format!(r#"{{"pk":{{"S":"001"}},"at":{{"N":"{text}"}}}}"#);
            if let Ok(held) = read::<Held>(&json(&text)) {
                let whole = value.with_scale_round(0, bigdecimal::RoundingMode::Down);
                prop_assert_eq!(BigDecimal::from(held.at.unwrap()), whole, "{}", text);
            } else {
                let most = BigDecimal::from(i64::MAX);
                prop_assert!(!is_kept(&value) || value.abs() >= most, "{}", text);
            }
            let moved = format!("{}e{tens}", model(&seconds.to_string()) / BigDecimal::from(10u64.pow(tens as u32)));
            prop_assert_eq!(read::<Held>(&json(&moved)).unwrap().at, Some(seconds), "{}", moved);
            let held = Held { id: 1, at: Some(seconds) };
            prop_assert_eq!(Held::from_item(held.to_item()?)?, held);
        }
    }
}

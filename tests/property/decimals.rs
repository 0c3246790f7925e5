//! Numbers with a fraction in key texts: one value has one text, which is that of other programs, and the texts of one
//! width sort like the numbers.

use bigdecimal::BigDecimal;
use dynamo_entity::Number;
use dynamo_entity::prelude::*;
use proptest::prelude::*;
use rust_decimal::Decimal;

use crate::{config, config_of_half};

/// Entities whose key has a number of this type, in each form.
macro_rules! prices {
    ($($module:ident: $number:ty;)*) => {$(
        mod $module {
            use super::*;

            prices!(Plain, $number, "plain", "{price}");
            prices!(Padded, $number, "padded", "{price:09}");
            prices!(Cents, $number, "cents", "{price:09.2}");
            prices!(Loose, $number, "loose", "{price:.2}");
        }
    )*};
    ($entity:ident, $number:ty, $table:literal, $pk:literal) => {
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = $table, key(pk = $pk))]
        #[allow(dead_code)]
        pub(super) struct $entity {
            pub(super) price: $number,
        }

        #[allow(dead_code)]
        impl $entity {
            /// The text of the key, or the error of the number.
            pub(super) fn text(price: impl Into<$number>) -> Result<String> {
                let item = $entity::key(price.into()).to_item()?;
                let text = item.get("pk").and_then(|pk| pk.as_text());
                Ok(text.expect("a text").to_owned())
            }

            /// The number of a row with this key, if the row can be read.
            pub(super) fn read(price: impl Into<$number>, text: &str) -> Result<$number> {
                let mut row = $entity { price: price.into() }.to_item()?;
                row.insert("pk", text);
                let of_row = $entity::from_item(row)?.price;
                let key: Item = [("pk", text)].into_iter().collect();
                assert_eq!($entity::key_from_item(key)?.price, of_row);
                Ok(of_row)
            }
        }
    };
}

prices! {
    double: f64;
    single: f32;
    number: Number;
    decimal: Decimal;
    big: BigDecimal;
}

fn number(text: &str) -> Number {
    text.parse().expect("a number")
}

/// The lines of this kind that other programs wrote.
fn measured(kind: &str) -> Vec<(&'static str, &'static str)> {
    let lines = include_str!("../golden/key_numbers.txt").lines();
    let lines = lines.filter_map(|line| line.strip_prefix(kind)?.trim().split_once(' '));
    lines.collect()
}

#[test]
fn floats_are_written_as_java_script_does() {
    let lines = measured("float ");
    assert!(lines.len() > 150);
    for (bits, text) in lines {
        let float = f64::from_bits(u64::from_str_radix(bits, 16).expect("bits"));
        assert_eq!(double::Plain::text(float).as_deref().ok(), Some(text));
        assert_eq!(double::Plain::read(float, text).ok(), Some(float));
    }
}

#[test]
fn decimals_are_written_as_python_and_java_do() {
    let lines = measured("decimal ");
    assert!(lines.len() > 90);
    for (stored, text) in lines {
        let given = number(stored);
        assert_eq!(
            number::Plain::text(given.clone()).as_deref().ok(),
            Some(text)
        );
        assert_eq!(number::Plain::read(given.clone(), text).ok(), Some(given));
        let given: BigDecimal = stored.parse().expect("a decimal");
        assert_eq!(big::Plain::text(given.clone()).as_deref().ok(), Some(text));
        assert_eq!(big::Plain::read(given.clone(), text).ok(), Some(given));
        // This type has 28 digits.
        if let Ok(given) = Decimal::from_str_exact(stored) {
            assert_eq!(decimal::Plain::text(given).as_deref().ok(), Some(text));
            assert_eq!(decimal::Plain::read(given, text).ok(), Some(given));
        }
    }
}

#[test]
fn zeros_at_the_end_of_a_decimal_are_no_part_of_its_value() {
    let price: Decimal = "12.50".parse().expect("a decimal");
    assert_eq!(decimal::Plain::text(price).as_deref().ok(), Some("12.5"));
    let price: BigDecimal = "1250e-2".parse().expect("a decimal");
    assert_eq!(big::Plain::text(price).as_deref().ok(), Some("12.5"));
}

#[test]
fn numbers_without_a_text_are_errors() {
    for float in [
        -0.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MAX,
        5e-324,
    ] {
        for error in [
            double::Plain::text(float).unwrap_err(),
            double::Padded::text(float).unwrap_err(),
            double::Cents::text(float).unwrap_err(),
            double::Loose::text(float).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::InvalidKey, "{float}");
            assert_eq!(error.attribute(), Some("price"), "{float}");
        }
    }
    assert!(single::Plain::text(-0.0_f32).is_err());
    let error = double::Plain::text(-0.0).unwrap_err().to_string();
    assert!(error.contains("write `value + 0.0`"), "{error}");
    for text in [
        "-0",
        "NaN",
        "inf",
        "Infinity",
        "-Infinity",
        "",
        "-",
        ".",
        "e5",
    ] {
        assert!(double::Plain::read(0.0, text).is_err(), "{text}");
        assert!(number::Plain::read(number("0"), text).is_err(), "{text}");
    }
}

#[test]
fn forms_of_one_number() {
    for (price, plain, padded, cents, loose) in [
        (0.0, "0", "000000000", "000000.00", "0.00"),
        (12.5, "12.5", "0000012.5", "000012.50", "12.50"),
        (7.0, "7", "000000007", "000007.00", "7.00"),
        (0.05, "0.05", "000000.05", "000000.05", "0.05"),
        (
            999_999.99,
            "999999.99",
            "999999.99",
            "999999.99",
            "999999.99",
        ),
    ] {
        assert_eq!(double::Plain::text(price).as_deref().ok(), Some(plain));
        assert_eq!(double::Padded::text(price).as_deref().ok(), Some(padded));
        assert_eq!(double::Cents::text(price).as_deref().ok(), Some(cents));
        assert_eq!(double::Loose::text(price).as_deref().ok(), Some(loose));
    }
    assert_eq!(double::Loose::text(-12.5).as_deref().ok(), Some("-12.50"));
    for (price, reason) in [
        (
            1_000_000.0,
            "a number of 10 characters, and its padding has 9",
        ),
        (-12.5, "a negative number in a padded key"),
        (0.1 + 0.2, "a number of 17 decimals, and the key has 2"),
    ] {
        let error = double::Cents::text(price).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidKey);
        assert!(error.to_string().contains(reason), "{error}");
    }
    let error = double::Padded::text(-1.0).unwrap_err().to_string();
    assert!(
        error.contains("a negative number in a padded key"),
        "{error}"
    );
    assert_eq!(
        double::Padded::text(1e-7).as_deref().ok(),
        Some("000001e-7")
    );
}

/// `toFixed` writes digits of the binary value that the shortest text does not have.
#[test]
fn floats_without_exact_decimals_are_errors() {
    for float in [1e15 + 0.3, 1e21] {
        let error = double::Loose::text(float).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{float}");
        assert!(error.to_string().contains("exact decimals"), "{error}");
        assert!(double::Plain::text(float).is_ok());
    }
    // `toFixed` of this one is 1152921504606846976.00, and String is 1152921504606847000.
    assert!(double::Loose::text(2_f64.powi(60)).is_err());
    // `toFixed(10)` is 1234567.8899999999, and `toFixed(14)` is 99.98999999999999.
    for (float, text) in [
        (1_234_567.89, "1234567.8900000001"),
        (99.99, "99.98999999999999"),
    ] {
        let mut keys = vec![ManyDecimals::key(float, 0.5).to_item().unwrap_err()];
        keys.push(ManyDecimals::key(0.5, float).to_item().unwrap_err());
        for error in keys {
            assert_eq!(error.kind(), ErrorKind::InvalidKey, "{text}");
        }
    }
    assert!(ManyDecimals::key(12.5, 7.0).to_item().is_ok());
    assert_eq!(
        double::Loose::text(1e20).as_deref().ok(),
        Some("100000000000000000000.00")
    );
    assert_eq!(single::Loose::text(0.1_f32).as_deref().ok(), Some("0.10"));
    // A decimal has all of its digits.
    let exact = number("1000000000000000.2");
    assert_eq!(
        number::Loose::text(exact).as_deref().ok(),
        Some("1000000000000000.20")
    );
}

#[derive(Debug, DynamoEntity)]
#[dynamo(
    table = "many_decimals",
    key(pk = "{loose:.14}", sk = "{padded:025.14}")
)]
#[allow(dead_code)]
struct ManyDecimals {
    loose: f64,
    padded: f64,
}

/// A text that a person writes is the number of the key, or an error.
#[test]
fn texts_that_a_float_would_round_are_errors() -> Result<()> {
    let singles = single::Plain::schema();
    let doubles = double::Plain::schema();
    let (singles, doubles) = (singles.dynamic("Plain")?, doubles.dynamic("Plain")?);
    for text in ["1234567.89", "16777217", "0.1234567891"] {
        let error = singles.key([text]).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{text}");
        assert!(doubles.key([text]).is_ok(), "{text}");
    }
    for text in ["12.3400000000000000001", "9007199254740993", "1e400"] {
        let error = doubles.key([text]).expect_err(text);
        assert_eq!(error.kind(), ErrorKind::InvalidKey, "{text}");
    }
    for text in ["0", "0.0", "0e5"] {
        assert_eq!(doubles.key([text])?, double::Plain::key(0.0).to_item()?);
    }
    for text in ["12.5", "012.50", "1250e-2", "+12.5"] {
        assert_eq!(doubles.key([text])?, double::Plain::key(12.5).to_item()?);
        assert_eq!(
            singles.key([text])?,
            single::Plain::key(12.5_f32).to_item()?
        );
    }
    Ok(())
}

/// Types of a user that have the names of times.
mod named_like_times {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, PartialEq, DynamoValue)]
    pub(super) struct DateTime(f64);

    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "moments", key(pk = "{shop}", sk = "{at}"))]
    #[allow(dead_code)]
    pub(super) struct Moment {
        shop: String,
        at: DateTime,
    }
}

#[test]
fn a_number_that_is_named_like_a_time_has_no_ranges() -> Result<()> {
    let schema = named_like_times::Moment::schema();
    let query = schema.dynamic("Moment")?.in_partition(["a"])?;
    let error = query.between("at", "1"..).unwrap_err().to_string();
    assert!(error.contains("do not sort by the values"), "{error}");
    Ok(())
}

/// Finite numbers that DynamoDB stores: any bits, and the amounts of money among them.
fn float() -> impl Strategy<Value = f64> {
    let any = prop_oneof![
        any::<f64>(),
        (any::<i64>(), -12..12_i32).prop_map(|(digits, tens)| digits as f64 * 10_f64.powi(tens)),
        (0_i64..10_000_000, 0..4_i32).prop_map(|(digits, tens)| digits as f64 / 10_f64.powi(tens)),
        prop::sample::select(vec![
            0.0,
            1e21,
            9.99e20,
            1e-6,
            1e-7,
            0.1 + 0.2,
            9_007_199_254_740_993.0,
            1e125,
            1e-130,
        ]),
    ];
    any.prop_filter("DynamoDB stores it", |float| {
        let size = float.abs();
        float.to_bits() != (-0.0_f64).to_bits()
            && (size == 0.0 || (1e-130..=9.99e125).contains(&size))
    })
}

/// Other texts of the same number.
fn others(float: f64, text: &str) -> Vec<String> {
    vec![
        format!("{float:e}"),
        format!("{float:E}"),
        format!("{float}"),
        format!("{float:.1}"),
        format!("+{text}"),
        format!("0{text}"),
        format!("{text}0"),
        format!("{text}.0"),
        format!("{text}e0"),
        format!(" {text}"),
        text.to_uppercase(),
        text.replace("e+", "e"),
        text.replace("0.", "."),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_float_has_one_text(float in float()) {
        let text = double::Plain::text(float).expect("a text");
        prop_assert_eq!(text.parse(), Ok(float));
        prop_assert_eq!(double::Plain::read(float, &text).ok(), Some(float));
        // Rust writes no exponents, and otherwise the same shortest digits.
        if (1e-6..1e15).contains(&float.abs()) {
            prop_assert_eq!(&text, &float.to_string());
        }
        for other in others(float, &text) {
            if other == text {
                continue;
            }
            // A text of another number is another key; one of this number in other letters is none.
            match double::Plain::read(float, &other) {
                Ok(read) => prop_assert_ne!(read, float, "{}", other),
                Err(error) => prop_assert_eq!(error.kind(), ErrorKind::KeyMismatch),
            }
        }
        let single = float as f32;
        if single.is_finite() && single != 0.0 && single.abs() > 1e-30 {
            let text = single::Plain::text(single).expect("a text");
            prop_assert_eq!(text.parse(), Ok(single));
            prop_assert_eq!(single::Plain::read(single, &text).ok(), Some(single));
        }
    }

    #[test]
    fn a_padded_number_is_its_text_after_zeros(float in float()) {
        let text = double::Plain::text(float).expect("a text");
        let padded = double::Padded::text(float);
        if float < 0.0 || text.len() > 9 {
            prop_assert_eq!(padded.unwrap_err().kind(), ErrorKind::InvalidKey);
        } else {
            let padded = padded.expect("it fits");
            prop_assert_eq!(&padded, &format!("{text:0>9}"));
            prop_assert_eq!(double::Padded::read(float, &padded).ok(), Some(float));
        }
    }
}

/// The decimal number of these digits, with the point before the last `decimals` of them.
fn decimal_text(digits: i64, decimals: usize) -> String {
    let sign = if digits < 0 { "-" } else { "" };
    let digits = format!("{:0>width$}", digits.unsigned_abs(), width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    match decimals {
        0 => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    }
}

proptest! {
    #![proptest_config(config_of_half())]

    /// The model has no floats: the number is its digits and the place of the point.
    #[test]
    fn fixed_texts_sort_like_the_numbers(
        mut all in proptest::collection::vec((prop_oneof![-200..2_000_i64, 0..99_999_999_i64, any::<i32>().prop_map(i64::from)], 0..4_usize), 2..20)
    ) {
        let mut fitting = Vec::new();
        for (digits, decimals) in all.drain(..) {
            let text = decimal_text(digits, decimals);
            let thousandths = digits * 10_i64.pow(3 - decimals as u32);
            let fits = thousandths >= 0 && thousandths % 10 == 0 && thousandths < 1_000_000_000;
            let made = [
                double::Cents::text(text.parse::<f64>().expect("a float") + 0.0),
                number::Cents::text(number(&text)),
                decimal::Cents::text(text.parse::<Decimal>().expect("a decimal").normalize()),
                big::Cents::text(text.parse::<BigDecimal>().expect("a decimal")),
            ];
            let expected = format!("{:0>9}", decimal_text(thousandths / 10, 2));
            for made in made {
                match made {
                    Ok(made) => prop_assert!(fits && made == expected, "{} {}", text, made),
                    Err(error) => {
                        prop_assert!(!fits, "{} {}", text, error);
                        prop_assert_eq!(error.kind(), ErrorKind::InvalidKey);
                    }
                }
            }
            if fits {
                let read = number::Cents::read(number(&text), &expected);
                prop_assert_eq!(read.ok(), Some(number(&text)));
                fitting.push((thousandths, expected));
            }
        }
        for (left, left_text) in &fitting {
            for (right, right_text) in &fitting {
                prop_assert_eq!(left.cmp(right), left_text.cmp(right_text));
            }
        }
    }

    #[test]
    fn a_row_whose_number_has_more_decimals_is_no_row_of_the_key(digits in 0..9_999_999_i64) {
        let (price, rounded) = (number(&decimal_text(digits, 3)), format!("{:0>9}", decimal_text(digits / 10, 2)));
        // Another program has rounded it.
        prop_assert_eq!(number::Cents::read(price, &rounded).is_ok(), digits % 10 == 0);
    }
}

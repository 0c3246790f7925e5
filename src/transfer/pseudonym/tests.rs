//! Pseudonyms have the form of their values, and differ where those do.

use std::collections::BTreeSet;

use super::*;

fn pseudonyms() -> Pseudonyms {
    Pseudonyms::new(b"0123456789abcdef").unwrap()
}

fn text(value: &str) -> String {
    pseudonyms().text(value)
}

#[test]
fn numbers_of_one_form_are_permuted() {
    let names = pseudonyms();
    for count in [1, 2, 3, 10, 90, 255, 256, 257, 5000] {
        let all: BTreeSet<u128> = (0..count).map(|at| names.permute("x", count, at)).collect();
        assert_eq!(all.len() as u128, count);
        assert_eq!(all.last(), Some(&(count - 1)));
    }
    let order = |secret: &[u8]| -> Vec<u128> {
        let names = Pseudonyms::new(secret).unwrap();
        (0..90).map(|at| names.permute("x", 90, at)).collect()
    };
    let one = order(b"0123456789abcdef");
    assert_ne!(one, order(b"0123456789abcdeF"), "each secret has its own");
    assert!(fixed_points(one.iter().copied().zip(0..)) < 10, "{one:?}");
    let large = (1_u128 << 126) - 1;
    let other = names.permute("x", large, 7);
    assert!(other < large && other != 7);
}

/// How many values are their own pseudonyms. A random permutation has one on average, and the identity only such.
fn fixed_points<T: PartialEq>(values: impl Iterator<Item = (T, T)>) -> usize {
    values.filter(|(value, other)| value == other).count()
}

#[test]
fn texts_keep_their_form() {
    let name = text("Ann Lee-Øst 7b");
    assert_ne!(name, "Ann Lee-Øst 7b");
    let capitals: Vec<char> = name.chars().filter(|char| char.is_uppercase()).collect();
    assert_eq!(capitals.len(), 3, "{name}");
    assert_eq!(name.matches(' ').count(), 2, "{name}");
    assert!(name.contains('-') && name.chars().filter(char::is_ascii_alphabetic).count() >= 16);
    assert!(text("ann.lee+x@mail.co.uk").ends_with("@example.com"));
    let phone = text("+49 170 5550123");
    assert_eq!((phone.len(), phone.find(' ')), (15, Some(3)), "{phone}");
    assert_ne!(phone, "+49 170 5550123");
    let country = text("DE");
    assert!(
        country != "DE"
            && country.len() == 2
            && country.bytes().all(|byte| byte.is_ascii_uppercase()),
        "{country}"
    );
    assert_eq!(text(""), "");
    for nothing in ["...", "  ", "—", "🦀"] {
        assert!(text(nothing).len() >= 16, "{nothing}");
    }
    let uuid = "6fa459ea-ee8a-4ca4-894e-db77e160355e";
    let other = text(uuid);
    assert!(
        is_like(uuid, &other) && other != uuid && other.as_bytes()[14] == b'4',
        "{other}"
    );
    assert!(
        text(&uuid.to_uppercase())
            .chars()
            .all(|char| !char.is_lowercase())
    );
    let long = "Lorem ipsum ".repeat(9000);
    assert_eq!(text(&long).len(), long.len());
}

fn is_like(one: &str, other: &str) -> bool {
    let form = |text: &str| -> Vec<bool> { text.chars().map(char::is_alphanumeric).collect() };
    form(one) == form(other)
}

#[test]
fn dates_and_times_stay_valid() {
    for time in [
        "2024-02-29",
        "1999-12-31T23:59:59Z",
        "2024-02-29T00:00:00.000000001Z",
        "2024-02-29 01:02:03.456+02:00",
        "2024-02-29T01:02",
    ] {
        let other = text(time);
        assert!(is_like(time, &other), "{other}");
        assert_eq!(other[..5], time[..5], "{other}");
        assert_ne!(other, time);
    }
    let days: BTreeSet<String> = (1..=29)
        .map(|day| text(&format!("2024-02-{day:02}")))
        .collect();
    assert_eq!(days.len(), 29);
    let is_valid = |date: &String| {
        let months = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let month: usize = date[5..7].parse().unwrap();
        let day: u16 = date[8..].parse().unwrap();
        (1..=months[month - 1]).contains(&day)
    };
    assert!(days.iter().all(is_valid), "{days:?}");
    for other in ["2024-02-30", "2024-02-29 Ann", "23:59:61"] {
        assert_ne!(text(other), other);
    }
}

#[test]
fn numbers_keep_their_digits_and_their_range() {
    let names = pseudonyms();
    let model = |name| Some(TypeModel::Known { name });
    let number = |text: &str, ty| {
        let other = names.number(&text.parse().unwrap(), ty);
        other.as_str().to_owned()
    };
    let bytes: Vec<u8> = (0..=255_u8)
        .map(|at| number(&at.to_string(), model("u8")).parse().unwrap())
        .collect();
    assert_eq!(
        bytes.iter().collect::<BTreeSet<_>>().len(),
        256,
        "each byte has one of its own"
    );
    assert!(
        fixed_points(bytes.iter().copied().zip(0..=255)) < 30,
        "{bytes:?}"
    );
    let signed: Vec<i8> = (-127..=127_i8)
        .map(|at| number(&at.to_string(), model("i8")).parse().unwrap())
        .collect();
    assert_eq!(signed.iter().collect::<BTreeSet<_>>().len(), 255);
    assert!(
        fixed_points(signed.iter().copied().zip(-127..=127)) < 30,
        "{signed:?}"
    );
    let large = number(&u64::MAX.to_string(), model("u64"));
    assert_ne!(large.parse::<u64>().unwrap(), u64::MAX);
    number(&i64::MIN.to_string(), None);
    for exact in [
        "12.5",
        "-0.0125",
        "1.25e-70",
        "1e100",
        "99999999999999999999999999999999999999",
    ] {
        let other = number(exact, None);
        let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
        let own: Number = exact.parse().unwrap();
        assert_eq!(digits(&other), digits(own.as_str()), "{exact}: {other}");
        assert!(other.starts_with('-') == exact.starts_with('-'));
    }
}

#[test]
fn values_keep_their_types() {
    let names = pseudonyms();
    let map = Item::from_iter([("a", Value::from("Ann")), ("b", Value::Null)]);
    let Value::L(list) = names.value(&Value::L(vec![Value::M(map), Value::B(vec![1, 2])]), None)
    else {
        panic!("a list");
    };
    let Value::M(map) = &list[0] else {
        panic!("a map")
    };
    assert_eq!(map.get("b"), Some(&Value::Null));
    assert_eq!(map.get("a").and_then(Value::as_text), Some(&*text("Ann")));
    assert!(matches!(&list[1], Value::B(bytes) if bytes.len() == 2));
    let one = names.value(&Value::Bool(true), None);
    assert_ne!(one, names.value(&Value::Bool(false), None));
    // A boolean stays as it is with one half of all secrets.
    let flipped = (0..64_u8).filter(|at| {
        let names = Pseudonyms::new(&[*at; 16]).unwrap();
        names.value(&Value::Bool(true), None) == Value::Bool(false)
    });
    assert!((10..54).contains(&flipped.count()));
    let sets: Vec<u128> = (0..64)
        .map(|at| u128::from(names.bytes(&[at])[0]))
        .collect();
    assert_eq!(sets.iter().collect::<BTreeSet<_>>().len(), 64);
    let other = Pseudonyms::new(b"0123456789abcdeF").unwrap();
    assert_ne!(other.text("Ann"), names.text("Ann"));
    assert_ne!(other.fingerprint(), names.fingerprint());
}

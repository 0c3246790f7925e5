//! Random data in which edge cases are frequent.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dynamo_entity::{Item, Number, Timestamp, Value};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// The first and the last second: 0000-01-01T00:00:00Z and 9999-12-31T23:59:59Z.
pub const FIRST_SECOND: i64 = -62_167_219_200;
pub const LAST_SECOND: i64 = 253_402_300_799;

/// Characters that could break an order or an escape.
const EDGES: [char; 24] = [
    '\0',
    '\u{1}',
    '\n',
    '\u{1f}',
    ' ',
    '!',
    '"',
    '#',
    '$',
    '%',
    '&',
    '-',
    '0',
    '1',
    'a',
    'b',
    '\\',
    '\u{7f}',
    '\u{80}',
    '\u{7ff}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '\u{10000}',
];

pub fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        6 => select(&EDGES[..]),
        2 => (0u8..128).prop_map(char::from),
        1 => any::<char>(),
    ]
}

/// Text of any characters. It is short, so that one text is often a prefix of another.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => text_of(1..5),
        1 => text_of(1..20),
        1 => select(&["1", "10", "1#", "1$", "1%", "%23", "#", "a", "a#b", "a%23b"][..])
            .prop_map(str::to_owned),
    ]
}

/// Text in several cases, with letters whose other case is longer, shorter, or depends on what is beside them.
pub fn cased_text() -> impl Strategy<Value = String> {
    const LETTERS: [char; 22] = [
        'a', 'A', 'b', 'B', 'i', 'I', 'İ', 'ı', 'ß', 'ẞ', 'Σ', 'σ', 'ς', 'Α', 'ǅ', 'ﬁ', 'ŉ', 'K',
        '#', '.', ' ', '_',
    ];
    let character = prop_oneof![8 => select(&LETTERS[..]), 1 => any::<char>()];
    vec(character, 1..5).prop_map(|chars| chars.into_iter().collect())
}

/// Text that may be empty.
pub fn any_text() -> impl Strategy<Value = String> {
    text_of(0..12)
}

pub fn text_of(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    vec(character(), length).prop_map(|chars| chars.into_iter().collect())
}

pub fn bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..12)
}

/// Random integers: any value of the type, values at its edges, and powers of ten.
macro_rules! integers {
    ($($int:ident)*) => {$(
        pub fn $int() -> impl Strategy<Value = $int> {
            let power = (0u32..39, -1i8..=1, any::<bool>()).prop_map(|(power, step, negative)| {
                let power = (10 as $int).checked_pow(power).unwrap_or($int::MAX);
                let near = match step {
                    -1 => power - 1,
                    0 => power,
                    _ => power.saturating_add(1),
                };
                if negative { (0 as $int).saturating_sub(near) } else { near }
            });
            prop_oneof![
                3 => any::<$int>(),
                1 => select(vec![
                    $int::MIN, $int::MIN + 1, (0 as $int).saturating_sub(1), 0, 1, 9, 10,
                    $int::MAX - 1, $int::MAX,
                ]),
                2 => power,
            ]
        }
    )*};
}

integers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

/// Seconds of all years that four digits can write.
pub fn seconds() -> impl Strategy<Value = i64> {
    seconds_to(LAST_SECOND)
}

pub fn seconds_to(last: i64) -> impl Strategy<Value = i64> {
    prop_oneof![
        3 => FIRST_SECOND..=last,
        1 => -100_000i64..100_000,
        1 => FIRST_SECOND..FIRST_SECOND + 100_000,
        1 => last - 100_000..=last,
        // All of these lie in a few seconds, so that often only the fraction decides an order.
        2 => 1_704_067_195i64..1_704_067_205,
    ]
}

pub fn nanos() -> impl Strategy<Value = u32> {
    prop_oneof![
        2 => 0u32..1_000_000_000,
        2 => select(&[0, 1, 999, 1_000_000, 999_999, 999_999_999, 999_000_000, 500_000_000][..]),
    ]
}

pub fn timestamp() -> impl Strategy<Value = Timestamp> {
    (seconds(), nanos(), 0u8..8).prop_map(|(seconds, nanos, leap)| {
        // A leap second follows second 59 of its minute.
        let leap = leap == 0 && seconds.rem_euclid(60) == 59;
        Timestamp::from_unix(seconds, nanos + if leap { 1_000_000_000 } else { 0 }).unwrap()
    })
}

pub fn system_time() -> impl Strategy<Value = SystemTime> {
    (seconds(), nanos()).prop_map(|(seconds, nanos)| {
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let whole = if seconds < 0 {
            UNIX_EPOCH - whole
        } else {
            UNIX_EPOCH + whole
        };
        whole + Duration::from_nanos(nanos.into())
    })
}

pub fn chrono_utc() -> impl Strategy<Value = chrono::DateTime<chrono::Utc>> {
    timestamp().prop_map(|at| chrono::DateTime::from_timestamp(at.seconds(), at.nanos()).unwrap())
}

pub fn chrono_civil() -> impl Strategy<Value = chrono::NaiveDateTime> {
    chrono_utc().prop_map(|at| at.naive_utc())
}

pub fn chrono_date() -> impl Strategy<Value = chrono::NaiveDate> {
    chrono_utc().prop_map(|at| at.date_naive())
}

/// A time with any offset. Only the point in time is stored, not the offset.
pub fn time_offset() -> impl Strategy<Value = time::OffsetDateTime> {
    (seconds(), nanos(), -1439i32..1439).prop_map(|(seconds, nanos, minutes)| {
        let utc = time::OffsetDateTime::from_unix_timestamp(seconds)
            .unwrap()
            .replace_nanosecond(nanos)
            .unwrap();
        let offset = time::UtcOffset::from_whole_seconds(minutes * 60).unwrap();
        utc.checked_to_offset(offset).unwrap_or(utc)
    })
}

pub fn time_utc() -> impl Strategy<Value = time::UtcDateTime> {
    (seconds(), nanos()).prop_map(|(seconds, nanos)| {
        time::UtcDateTime::from_unix_timestamp(seconds)
            .unwrap()
            .replace_nanosecond(nanos)
            .unwrap()
    })
}

pub fn time_civil() -> impl Strategy<Value = time::PrimitiveDateTime> {
    time_utc().prop_map(|at| time::PrimitiveDateTime::new(at.date(), at.time()))
}

pub fn time_date() -> impl Strategy<Value = time::Date> {
    time_utc().prop_map(|at| at.date())
}

pub fn jiff_timestamp() -> impl Strategy<Value = jiff::Timestamp> {
    (seconds_to(jiff::Timestamp::MAX.as_second()), nanos()).prop_map(|(seconds, nanos)| {
        jiff::Timestamp::from_nanosecond(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
            .unwrap()
    })
}

pub fn jiff_civil() -> impl Strategy<Value = jiff::civil::DateTime> {
    jiff_timestamp().prop_map(|at| at.to_zoned(jiff::tz::TimeZone::UTC).datetime())
}

pub fn jiff_date() -> impl Strategy<Value = jiff::civil::Date> {
    jiff_civil().prop_map(|at| at.date())
}

pub fn uuid() -> impl Strategy<Value = uuid::Uuid> {
    u128().prop_map(uuid::Uuid::from_u128)
}

pub fn ulid() -> impl Strategy<Value = ulid::Ulid> {
    u128().prop_map(ulid::Ulid)
}

/// The text of a number that DynamoDB can store: 1 to 38 digits, the first of them at 1e-130 to 1e125.
pub fn number_text() -> impl Strategy<Value = String> {
    let digits = vec(0u8..10, 1..=38);
    let exponent = prop_oneof![3 => -10i64..20, 1 => -130i64..=125];
    (digits, exponent, any::<bool>(), any::<bool>()).prop_map(
        |(digits, exponent, negative, capital)| {
            let text: String = digits
                .iter()
                .map(|digit| char::from(b'0' + digit))
                .collect();
            let text = text.trim_start_matches('0');
            let (first, rest) = text.split_at_checked(1).unwrap_or(("0", ""));
            let sign = if negative { "-" } else { "" };
            let e = if capital { 'E' } else { 'e' };
            format!("{sign}{first}.{rest}{e}{exponent}")
        },
    )
}

pub fn number() -> impl Strategy<Value = Number> {
    number_text().prop_map(|text| text.parse().unwrap())
}

pub fn decimal() -> impl Strategy<Value = rust_decimal::Decimal> {
    (any::<[u32; 3]>(), any::<bool>(), 0u32..=28, 0u8..4).prop_map(
        |([low, mid, high], negative, scale, size)| {
            let (mid, high) = match size {
                0 => (0, 0),
                1 => (mid, 0),
                _ => (mid, high),
            };
            rust_decimal::Decimal::from_parts(low, mid, high, negative, scale)
        },
    )
}

/// Any value that DynamoDB can store, except a list or a map.
pub fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => any_text().prop_map(Value::S),
        2 => (-1000i64..1000).prop_map(Value::from),
        2 => number().prop_map(Value::N),
        1 => bytes().prop_map(Value::B),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
        1 => btree_set(any_text(), 1..4).prop_map(Value::Ss),
        1 => btree_set(number(), 1..4).prop_map(Value::Ns),
        1 => btree_set(bytes(), 1..4).prop_map(Value::Bs),
    ]
}

/// Any value, with a few levels of lists and maps.
pub fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::L),
            vec((text(), inner), 0..3).prop_map(|entries| Value::M(entries.into_iter().collect())),
        ]
    })
}

pub fn item() -> impl Strategy<Value = Item> {
    vec((text(), value()), 0..4).prop_map(|entries| entries.into_iter().collect())
}

/// The value, wrapped in one list or map for each of the levels.
pub fn nested(value: Value, levels: &[bool]) -> Value {
    levels.iter().fold(value, |value, is_list| match is_list {
        true => Value::L(vec![value]),
        false => Value::M([("m", value)].into_iter().collect()),
    })
}

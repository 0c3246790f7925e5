//! Laws K1 to K6: different parts give different keys, keys sort like their parts, and keys read back as
//! their parts.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use dynamo_entity::__private::EntityContract;
use dynamo_entity::key::{
    JavaScriptTime, Lowercase, Millis, PynamoTime, PythonTime, Rfc3339Seconds, Seconds, Uppercase,
    Year, YearMonth,
};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::{KeyDef, KeySource, Piece, Width};
use dynamo_entity::{Number, Timestamp};
use proptest::prelude::*;
use proptest::sample::select;

use crate::{config, config_of_half, config_of_shape, given};

/// The text that a key attribute of the item holds.
fn text(item: &Item, attribute: &str) -> String {
    item.get(attribute)
        .and_then(|value| value.as_text())
        .unwrap()
        .to_owned()
}

/// Whether each piece of the text has the width that the template declares.
fn follows(key: &KeyDef, text: &str) -> bool {
    let KeySource::Template(pieces) = key.source else {
        return false;
    };
    let mut rest = text;
    for piece in pieces {
        let width = match *piece {
            Piece::Literal(literal) if rest.starts_with(literal) => literal.len(),
            Piece::Literal(_) => return false,
            Piece::Shard(_) => rest.len(),
            Piece::Part { width, .. } => match width {
                Width::Fixed(width) | Width::Digits(width) => width,
                Width::Signed(width) => width + usize::from(rest.starts_with('-')),
                Width::Variable | Width::Decimal => rest.find('#').unwrap_or(rest.len()),
            },
        };
        match rest.get(width..) {
            Some(behind) => rest = behind,
            None => return false,
        }
    }
    rest.is_empty()
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, DynamoValue)]
struct UserId(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DynamoValue)]
struct Serial(i32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, DynamoValue)]
enum Status {
    Paid,
    #[dynamo(rename = "a#b")]
    Odd,
    #[dynamo(rename = "a")]
    Short,
    #[dynamo(rename = "a b")]
    Spaced,
    Sent,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Paid => "Paid",
            Status::Odd => "a#b",
            Status::Short => "a",
            Status::Spaced => "a b",
            Status::Sent => "Sent",
        }
    }
}

/// Statuses are ordered by their stored names, because keys sort by those.
impl Ord for Status {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Status {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Declared in another order than that of the numbers, which are what counts; `derive(Ord)` goes by them too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DynamoValue)]
#[dynamo(order)]
enum Priority {
    High = 300,
    Low = 2,
    Least = 0,
    Normal = 10,
    Most = 65535,
}

/// A newtype has the order of what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, DynamoValue)]
struct Urgency(Priority);

fn priority() -> impl Strategy<Value = Priority> {
    select(
        &[
            Priority::High,
            Priority::Low,
            Priority::Least,
            Priority::Normal,
            Priority::Most,
        ][..],
    )
}

fn user_id() -> impl Strategy<Value = UserId> {
    given::text().prop_map(UserId)
}

fn serial() -> impl Strategy<Value = Serial> {
    given::i32().prop_map(Serial)
}

fn status() -> impl Strategy<Value = Status> {
    select(
        &[
            Status::Paid,
            Status::Odd,
            Status::Short,
            Status::Spaced,
            Status::Sent,
        ][..],
    )
}

/// Times of other programs, without a smaller fraction than they have.
fn floored<T: std::fmt::Debug>(floor: fn(DateTime<Utc>) -> Option<T>) -> impl Strategy<Value = T> {
    given::chrono_utc().prop_filter_map("in range", floor)
}

fn below(limit: i64) -> impl Strategy<Value = i32> {
    (0..limit, any::<bool>()).prop_map(|(magnitude, negative)| {
        let magnitude = i32::try_from(magnitude).unwrap();
        if negative { -magnitude } else { magnitude }
    })
}

/// Templates that lose nothing: K1, K2, K3, K6, and the widths that the overlap check relies on. The second
/// key shares some parts with the first one, so that later parts decide the order.
macro_rules! whole {
    ($name:ident: $template:tt, $($field:ident: $ty:ty = $strategy:expr),+) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "stored", key(pk = $template))]
            struct Stored { $($field: $ty,)+ count: u8 }

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "skipped", key(pk = "same", sk = $template))]
            struct Skipped { $(#[dynamo(skip)] $field: $ty,)+ count: u8 }

            fn entity() -> impl Strategy<Value = Stored> {
                ($($strategy,)+ any::<u8>()).prop_map(|($($field,)+ count)| Stored { $($field,)+ count })
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn laws(left in entity(), right in entity(), shared in any::<[bool; 4]>()) {
                    let mut shared = shared.into_iter();
                    let right = Stored {
                        $($field: {
                            if shared.next() == Some(true) { left.$field.clone() } else { right.$field }
                        },)+
                        count: right.count,
                    };
                    let key = Stored::key($(&left.$field),+);
                    let first = text(&key.to_item()?, "pk");
                    let second = text(&right.key().to_item()?, "pk");
                    let typed = ($(&left.$field,)+).cmp(&($(&right.$field,)+));
                    prop_assert_eq!(first.as_bytes().cmp(second.as_bytes()), typed, "K1, K2: {} {}", first, second);

                    prop_assert_eq!(key.to_item()?.len(), 1, "K6");
                    prop_assert_eq!(&left.key(), &key, "K6");
                    let read = Stored::key_from_item(key.to_item()?)?;
                    $(prop_assert_eq!(&read.$field, &left.$field, "K3");)+

                    match left.to_item() {
                        Ok(item) => {
                            prop_assert_eq!(&text(&item, "pk"), &first, "K6");
                            prop_assert_eq!(&Stored::from_item(item)?, &left, "K3");
                        }
                        // A key can hold 128 bits, but a number has at most 38 digits.
                        Err(error) => prop_assert_eq!(error.kind(), ErrorKind::InvalidValue),
                    }
                    let skipped = Skipped { $($field: left.$field.clone(),)+ count: left.count };
                    let item = skipped.to_item()?;
                    prop_assert_eq!(item.len(), 3, "a skipped field has no attribute");
                    prop_assert_eq!(&text(&item, "sk"), &first, "K6");
                    prop_assert_eq!(&Skipped::from_item(item)?, &skipped, "K3");

                    prop_assert!(follows(&Stored::ENTITY.pk, &first), "K7: {}", first);
                }
            }
        }
    };
}

whole!(text_alone: "{a}", a: String = given::text());
whole!(text_twice: "T#{a}#{b}", a: String = given::text(), b: String = given::text());
whole!(text_between: "T#{a}#X#{b}#Y", a: Arc<str> = given::text().prop_map(Arc::from), b: Box<str> = given::text().prop_map(Box::from));
whole!(characters: "{a}#{b}", a: char = given::character(), b: char = given::character());
whole!(newtypes: "N#{a}#{b}", a: UserId = user_id(), b: Serial = serial());
whole!(names: "{a}#{b}#{c}", a: bool = any::<bool>(), b: Status = status(), c: Status = status());
whole!(ranks: "{a}{b:06}#{c}#{d}", a: Priority = priority(), b: Priority = priority(), c: Urgency = priority().prop_map(Urgency), d: String = given::text());
whole!(unsigned_small: "{a}{b}#{c}", a: u8 = given::u8(), b: u16 = given::u16(), c: u32 = given::u32());
whole!(unsigned_wide: "{a}{b}{c}", a: u64 = given::u64(), b: usize = given::usize(), c: u128 = given::u128());
whole!(signed_small: "{a}#{b}#{c}", a: i8 = given::i8(), b: i16 = given::i16(), c: i32 = given::i32());
whole!(signed_wide: "{a}#{b}#{c}", a: i64 = given::i64(), b: isize = given::isize(), c: i128 = given::i128());
whole!(padded: "{a:04}{b:039}#{c:07}#{d:07}", a: u16 = 0u16..10_000, b: u128 = given::u128(), c: i32 = below(10_000_000), d: Serial = below(10_000_000).prop_map(Serial));
whole!(ids: "{a}{b}", a: uuid::Uuid = given::uuid(), b: ulid::Ulid = given::ulid());
whole!(moments: "{a}{b}", a: Timestamp = given::timestamp(), b: SystemTime = given::system_time());
whole!(chrono_types: "{a}{b}#{c}", a: NaiveDate = given::chrono_date(), b: NaiveDateTime = given::chrono_civil(), c: DateTime<Utc> = given::chrono_utc());
whole!(time_types: "{a}{b}#{c}{d}", a: time::Date = given::time_date(), b: time::PrimitiveDateTime = given::time_civil(), c: time::OffsetDateTime = given::time_offset(), d: time::UtcDateTime = given::time_utc());
whole!(jiff_types: "{a}{b}#{c}", a: jiff::civil::Date = given::jiff_date(), b: jiff::civil::DateTime = given::jiff_civil(), c: jiff::Timestamp = given::jiff_timestamp());
whole!(java_script_times: "{a}{b}#{c}", a: JavaScriptTime<DateTime<Utc>> = floored(JavaScriptTime::floor), b: Rfc3339Seconds<DateTime<Utc>> = floored(Rfc3339Seconds::floor), c: String = given::text());
whole!(python_times: "{a}#{b}#{c}", a: PythonTime<DateTime<Utc>> = floored(PythonTime::floor), b: PynamoTime<DateTime<Utc>> = floored(PynamoTime::floor), c: String = given::text());
whole!(signed_before_text: "{a:07}-{b}x{c}", a: i32 = below(10_000_000), b: i64 = given::i64(), c: String = given::text());
whole!(mixed: "M#{a}#{b}#{c:03}#{d}", a: UserId = user_id(), b: DateTime<Utc> = given::chrono_utc(), c: i16 = -999i16..=999, d: String = given::text());
whole!(mixed_again: "{a}#{b}#{c}#{d}", a: i64 = given::i64(), b: String = given::text(), c: Status = status(), d: uuid::Uuid = given::uuid());

/// Formats that cut their value: the key holds the cut value, sorts like it and reads back as it.
macro_rules! lossy {
    ($name:ident: $template:tt, $field:ty = $whole:expr, $part:ty, $cut:expr) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "cut", key(pk = $template))]
            struct Stored {
                at: $field,
                more: String,
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn laws(left in $whole, right in $whole, near in 0u8..3, more in given::text(), other in given::text()) {
                    let right = if near == 0 { left.clone() } else { right };
                    let cut: fn(&$field) -> $part = $cut;
                    let (part, second) = (cut(&left), cut(&right));
                    let key = Stored::key(part.clone(), &more);
                    let first = text(&key.to_item()?, "pk");
                    let next = text(&Stored::key(second.clone(), &other).to_item()?, "pk");
                    prop_assert_eq!(
                        first.as_bytes().cmp(next.as_bytes()),
                        (&part, &more).cmp(&(&second, &other)),
                        "K1, K2: {} {}", first, next
                    );
                    let read = Stored::key_from_item(key.to_item()?)?;
                    prop_assert_eq!(&read.at, &part, "K3");
                    prop_assert_eq!(&read.more, &more, "K3");

                    let entity = Stored { at: left, more };
                    prop_assert_eq!(entity.key(), key, "K6");
                    let item = entity.to_item()?;
                    prop_assert_eq!(&text(&item, "pk"), &first, "K6");
                    prop_assert_eq!(Stored::from_item(item)?, entity, "the attribute holds the whole value");
                    prop_assert!(follows(&Stored::ENTITY.pk, &first), "K7: {}", first);
                }
            }
        }
    };
}

/// Times whose counts from 1970 have the width that counts have.
fn counted() -> impl Strategy<Value = Timestamp> {
    let second = prop_oneof![
        2 => 0i64..=9_999_999_999,
        1 => 0i64..3,
        1 => 9_999_999_997i64..=9_999_999_999,
        1 => 999_999_997i64..1_000_000_003,
        2 => 1_704_067_195i64..1_704_067_205,
    ];
    (second, given::nanos())
        .prop_map(|(second, nanos)| Timestamp::from_unix(second, nanos).unwrap())
}

fn chrono_of(at: Timestamp) -> DateTime<Utc> {
    DateTime::from_timestamp(at.seconds(), at.nanos()).unwrap()
}

fn year(year: i64) -> Year {
    Year::new(u16::try_from(year).unwrap()).unwrap()
}

fn month(year: i64, month: u8) -> YearMonth {
    YearMonth::new(u16::try_from(year).unwrap(), month).unwrap()
}

lossy!(seconds_chrono: "{at:s}#{more}", DateTime<Utc> = given::chrono_utc(), Seconds<DateTime<Utc>>, |at| Seconds::floor(*at).unwrap());
lossy!(seconds_time: "{at:s}#{more}", time::OffsetDateTime = given::time_offset(), Seconds<time::OffsetDateTime>, |at| Seconds::floor(*at).unwrap());
lossy!(seconds_jiff: "{at:s}#{more}", jiff::Timestamp = given::jiff_timestamp(), Seconds<jiff::Timestamp>, |at| Seconds::floor(*at).unwrap());
lossy!(millis_own: "{at:ms}#{more}", Timestamp = given::timestamp(), Millis<Timestamp>, |at| Millis::floor(*at).unwrap());
lossy!(millis_system: "{at:ms}#{more}", SystemTime = given::system_time(), Millis<SystemTime>, |at| Millis::floor(*at).unwrap());
lossy!(millis_time: "{at:ms}#{more}", time::UtcDateTime = given::time_utc(), Millis<time::UtcDateTime>, |at| Millis::floor(*at).unwrap());
lossy!(epoch_chrono: "{at:epoch}#{more}", DateTime<Utc> = counted().prop_map(chrono_of), Seconds<DateTime<Utc>>, |at| Seconds::floor(*at).unwrap());
lossy!(epoch_jiff: "{at:epoch}{more}", jiff::Timestamp = counted().prop_map(|at| jiff::Timestamp::new(at.seconds(), at.nanos() as i32).unwrap()), Seconds<jiff::Timestamp>, |at| Seconds::floor(*at).unwrap());
lossy!(epoch_millis_own: "{at:epoch_ms}#{more}", Timestamp = counted(), Millis<Timestamp>, |at| Millis::floor(*at).unwrap());
lossy!(epoch_millis_chrono: "{at:epoch_ms}{more}", DateTime<Utc> = counted().prop_map(chrono_of), Millis<DateTime<Utc>>, |at| Millis::floor(*at).unwrap());
lossy!(lower_seconds: "{at:s:lower}#{more}", jiff::Timestamp = given::jiff_timestamp(), Seconds<jiff::Timestamp>, |at| Seconds::floor(*at).unwrap());
lossy!(lower_millis: "{at:ms:lower}{more}", DateTime<Utc> = given::chrono_utc(), Millis<DateTime<Utc>>, |at| Millis::floor(*at).unwrap());
lossy!(date_chrono: "{at:date}#{more}", DateTime<Utc> = given::chrono_utc(), NaiveDate, |at| at.date_naive());
lossy!(date_chrono_civil: "{at:date}#{more}", NaiveDateTime = given::chrono_civil(), NaiveDate, |at| at.date());
lossy!(date_time: "{at:date}#{more}", time::OffsetDateTime = given::time_offset(), time::Date, |at| at.to_offset(time::UtcOffset::UTC).date());
lossy!(date_jiff: "{at:date}#{more}", jiff::Timestamp = given::jiff_timestamp(), jiff::civil::Date, |at| at.to_zoned(jiff::tz::TimeZone::UTC).date());
lossy!(year_chrono: "{at:year}#{more}", DateTime<Utc> = given::chrono_utc(), Year, |at| year(chrono::Datelike::year(at).into()));
lossy!(year_time: "{at:year}#{more}", time::Date = given::time_date(), Year, |at| year(at.year().into()));
lossy!(year_jiff: "{at:year}{more}", jiff::civil::Date = given::jiff_date(), Year, |at| year(at.year().into()));
lossy!(month_chrono: "{at:month}#{more}", DateTime<Utc> = given::chrono_utc(), YearMonth, |at| month(chrono::Datelike::year(at).into(), chrono::Datelike::month(at) as u8));
lossy!(month_time: "{at:month}#{more}", time::Date = given::time_date(), YearMonth, |at| month(at.year().into(), at.month().into()));
lossy!(month_jiff: "{at:month}#{more}", jiff::Timestamp = given::jiff_timestamp(), YearMonth, |at| {
    let date = at.to_zoned(jiff::tz::TimeZone::UTC).date();
    month(date.year().into(), date.month() as u8)
});

lossy!(lower_text: "{at:lower}#{more}", String = given::cased_text(), Lowercase<String>, Lowercase::of);
lossy!(lower_boxed: "{at:lower}#{more}", Box<str> = given::cased_text().prop_map(String::into_boxed_str), Lowercase<Box<str>>, Lowercase::of);
lossy!(upper_shared: "{at:upper}#{more}", Arc<str> = given::cased_text().prop_map(Arc::<str>::from), Uppercase<Arc<str>>, Uppercase::of);
lossy!(upper_newtype: "{at:upper}#{more}", UserId = given::cased_text().prop_map(UserId), Uppercase<UserId>, Uppercase::of);

/// Law K4: below `P#` are exactly the rows whose first part is that of `P`, whatever else the table holds.
mod prefixes {
    use super::*;

    macro_rules! prefix {
        ($name:ident: $ty:ty = $strategy:expr) => {
            mod $name {
                use super::*;

                #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                #[dynamo(table = "alone", key(pk = "same", sk = "P#{a}"))]
                struct Alone { #[dynamo(skip)] a: $ty }

                #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                #[dynamo(table = "longer", key(pk = "same", sk = "P#{a}#{b}"))]
                struct Longer { #[dynamo(skip)] a: $ty, #[dynamo(skip)] b: String }

                #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                #[dynamo(table = "longest", key(pk = "same", sk = "P#{a}#LINE#{n}"))]
                struct Longest { #[dynamo(skip)] a: $ty, #[dynamo(skip)] n: u16 }

                fn key<E: DynamoEntity>(entity: &E) -> Result<String> {
                    Ok(text(&entity.key().to_item()?, "sk"))
                }

                proptest! {
                    #![proptest_config(config_of_half())]

                    #[test]
                    fn law(sought in $strategy, other in $strategy, same in any::<bool>(), b in given::text(), n in any::<u16>()) {
                        let other = if same { sought.clone() } else { other };
                        let prefix = key(&Alone { a: sought.clone() })?;
                        let (from, to) = (format!("{prefix}#"), format!("{prefix}$"));
                        let is_same = sought == other;

                        for under in [
                            key(&Longer { a: other.clone(), b })?,
                            key(&Longest { a: other.clone(), n })?,
                        ] {
                            prop_assert_eq!(from <= under && under < to, is_same, "{} {}", from, under);
                            prop_assert_eq!(under.starts_with(&from), is_same, "{} {}", from, under);
                            // The range from `P` up to `P$` holds the item of the prefix and all items below it.
                            prop_assert_eq!(prefix <= under && under < to, is_same, "{} {}", prefix, under);
                        }
                        let alone = key(&Alone { a: other })?;
                        prop_assert!(!alone.starts_with(&from), "`P` is not under `P#`: {} {}", alone, from);
                        prop_assert_eq!(prefix <= alone && alone < to, is_same, "{} {}", prefix, alone);
                    }
                }
            }
        };
    }

    prefix!(of_text: String = given::text());
    prefix!(of_names: Status = status());
    prefix!(of_numbers: i64 = given::i64());
    prefix!(of_times: DateTime<Utc> = given::chrono_utc());
}

/// Keys as other libraries write them: K1, K3, K4, K6. A delimiter inside a part is refused.
mod verbatim {
    use super::*;

    macro_rules! verbatim {
        ($name:ident: $style:meta, $delimiter:literal, $pk:tt, $sk:tt) => {
            verbatim!($name: $style, |a| a.contains($delimiter), $pk, $sk);
        };
        ($name:ident: $style:meta, |$a:ident| $refused:expr, $pk:tt, $sk:tt) => {
            mod $name {
                use super::*;

                #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                #[dynamo(table = "theirs", $style, key(pk = $pk, sk = $sk))]
                struct Theirs {
                    #[dynamo(skip)]
                    a: String,
                    #[dynamo(skip)]
                    n: i32,
                    #[dynamo(skip)]
                    z: u8,
                    #[dynamo(skip)]
                    b: String,
                }

                fn entity() -> impl Strategy<Value = Theirs> {
                    (given::text(), given::i32(), given::u8(), given::text())
                        .prop_map(|(a, n, z, b)| Theirs { a, n, z, b })
                }

                proptest! {
                    #![proptest_config(config_of_half())]

                    #[test]
                    fn laws(left in entity(), right in entity(), same in any::<[bool; 2]>()) {
                        let mut right = right;
                        if same[0] { right.a = left.a.clone(); }
                        if same[1] { (right.n, right.z) = (left.n, left.z); }
                        // This part is not the last one and has no fixed width.
                        let $a = &*left.a;
                        let refused: bool = $refused;
                        match left.to_item() {
                            Err(error) => {
                                prop_assert!(refused, "{}", error);
                                prop_assert_eq!(error.kind(), ErrorKind::InvalidKey);
                                prop_assert_eq!(error.entity(), Some("Theirs"));
                                prop_assert!(error.key_attribute().is_some() && error.attribute().is_some());
                                prop_assert!(left.key().to_item().is_err());
                            }
                            Ok(item) => {
                                prop_assert!(!refused, "K1");
                                prop_assert_eq!(&left.key().to_item()?, &item, "K6");
                                prop_assert_eq!(&Theirs::from_item(item.clone())?, &left, "K3");
                                prop_assert_eq!(Theirs::key_from_item(item.clone())?, left.key(), "K3");
                                let pk = text(&item, "pk");
                                prop_assert!(pk.contains(&left.a), "as it is");
                                let Ok(other) = right.to_item() else { return Ok(()); };
                                prop_assert_eq!(item == other, left == right, "K1");
                                prop_assert_eq!(pk == text(&other, "pk"), (&left.a, left.n) == (&right.a, right.n), "K1");
                                let prefix = pk.strip_suffix(&left.n.to_string()).unwrap();
                                prop_assert_eq!(text(&other, "pk").starts_with(prefix), left.a == right.a, "K4");
                            }
                        }
                    }
                }
            }
        };
    }

    verbatim!(by_hash: verbatim, "#", "T#{a}#{n}", "{z:03}#{b}");
    verbatim!(by_colon: verbatim(delimiter = ":"), ":", "T:{a}:{n}", "{z:03}:{b}");
    verbatim!(by_bar: verbatim(delimiter = "|"), "|", "{a}|{n}", "X|{z}|{b}");
    verbatim!(by_template: verbatim, "@", "T#{a}@{n}", "{z:03}:{b}");
    verbatim!(by_several: verbatim, |a| a.contains("::") || a.ends_with(':'), "{a}::{n}", "X{z}x{b}");
    verbatim!(by_space: verbatim(delimiter = "|"), " ", "{a} - {n}", "{z}/{b}");
}

/// Law K5: a part that does not fit is refused before any request, with the names of entity, key and part.
mod refusals {
    use super::*;
    use dynamo_entity::Error;

    fn names(error: &Error, key: &str, attribute: Option<&str>) -> bool {
        error.kind() == ErrorKind::InvalidKey
            && error.entity() == Some("Stored")
            && error.key_attribute() == Some(key)
            && error.attribute() == attribute
    }

    mod sizes {
        use super::*;

        crate::declare! {
            entity Stored(table = "sizes", key(pk = "P#{a}", sk = "S#{b}#{n}")) { a: String, b: String, n: u8 }
        }

        /// Text that takes `size` bytes in a key; `escaped` of its characters have to be escaped.
        fn of_size(size: usize, escaped: usize) -> String {
            let escaped = escaped.min(size / 3);
            format!("{}{}", "#".repeat(escaped), "x".repeat(size - 3 * escaped))
        }

        proptest! {
            #![proptest_config(config())]

            #[test]
            fn law(pk in 2044usize..2052, sk in 1020usize..1028, escaped in 0usize..700) {
                let entity = Stored { a: of_size(pk - 2, escaped), b: of_size(sk - 6, escaped / 2), n: 7 };
                for result in [entity.to_item(), entity.key().to_item()] {
                    match result {
                        Ok(item) => {
                            prop_assert!(pk <= 2048 && sk <= 1024, "{} {}", pk, sk);
                            prop_assert_eq!((text(&item, "pk").len(), text(&item, "sk").len()), (pk, sk));
                        }
                        Err(error) if pk > 2048 => prop_assert!(names(&error, "pk", None), "{:?}", error),
                        Err(error) => prop_assert!(sk > 1024 && names(&error, "sk", None), "{:?}", error),
                    }
                }
            }
        }
    }

    mod bare_sizes {
        use super::*;

        crate::declare! { entity Stored(table = "bare", key(pk = a, sk = b)) { a: String, b: Vec<u8> } }

        proptest! {
            #![proptest_config(config())]

            #[test]
            fn law(pk in prop_oneof![Just(0usize), 1usize..5, 2045usize..2052], sk in prop_oneof![Just(0usize), 1usize..5, 1021usize..1028]) {
                let entity = Stored { a: "x".repeat(pk), b: vec![7; sk] };
                for result in [entity.to_item(), entity.key().to_item()] {
                    match result {
                        Ok(item) => {
                            prop_assert!((1..=2048).contains(&pk) && (1..=1024).contains(&sk));
                            prop_assert_eq!(item.size(), 2 + pk + sk);
                        }
                        Err(error) if pk == 0 || pk > 2048 => prop_assert!(names(&error, "a", Some("a")), "{:?}", error),
                        Err(error) => prop_assert!((sk == 0 || sk > 1024) && names(&error, "b", Some("b")), "{:?}", error),
                    }
                }
            }
        }
    }

    mod paddings {
        use super::*;

        crate::declare! {
            entity Stored(table = "paddings", key(pk = "{a:03}", sk = "{b:05}#{c:018}")) { a: u32, b: i64, c: i128 }
        }

        proptest! {
            #![proptest_config(config())]

            #[test]
            fn law(a in given::u32(), b in given::i64(), c in given::i128(), small in any::<[bool; 3]>()) {
                let a = if small[0] { a % 1100 } else { a };
                let b = if small[1] { b % 110_000 } else { b };
                let c = if small[2] { c % 1_100_000_000_000_000_000 } else { c };
                let fits = [a < 1_000, b.unsigned_abs() < 100_000, c.unsigned_abs() < 10u128.pow(18)];
                match Stored::key(a, b, c).to_item() {
                    Ok(_) => prop_assert_eq!(fits, [true; 3]),
                    Err(error) => {
                        let (key, part) = match fits {
                            [false, ..] => ("pk", "a"),
                            [_, false, _] => ("sk", "b"),
                            _ => ("sk", "c"),
                        };
                        prop_assert!(fits != [true; 3] && names(&error, key, Some(part)), "{:?}", error);
                    }
                }
            }
        }
    }

    mod counts {
        use super::*;

        crate::declare! {
            entity Stored(table = "counts", key(pk = "{at:epoch}", sk = "{seen:epoch_ms}"))
                { at: Timestamp, seen: Timestamp }
        }

        fn edge() -> impl Strategy<Value = Timestamp> {
            let second = prop_oneof![given::seconds(), -3i64..3, 9_999_999_997i64..10_000_000_003];
            (second, given::nanos(), any::<bool>()).prop_map(|(second, nanos, leap)| {
                let leap = leap && second.rem_euclid(60) == 59;
                let nanos = nanos + if leap { 1_000_000_000 } else { 0 };
                Timestamp::from_unix(second, nanos).unwrap()
            })
        }

        fn fits(at: Timestamp) -> bool {
            (0..10_000_000_000).contains(&at.seconds()) && at.nanos() < 1_000_000_000
        }

        /// The key as other programs write it, in texts of one width.
        fn foreign(at: Timestamp, seen: Timestamp) -> (String, String) {
            let millis = seen.seconds() * 1000 + i64::from(seen.nanos() / 1_000_000);
            (format!("{:010}", at.seconds()), format!("{millis:013}"))
        }

        proptest! {
            #![proptest_config(config_of_half())]

            #[test]
            fn law(at in edge(), seen in edge()) {
                let entity = Stored { at, seen };
                match entity.key().to_item() {
                    Ok(item) => {
                        prop_assert!(fits(at) && fits(seen));
                        prop_assert_eq!((text(&item, "pk"), text(&item, "sk")), foreign(at, seen));
                        prop_assert_eq!(Stored::key_from_item(item)?, entity.key());
                    }
                    Err(error) => {
                        let (key, part) = if fits(at) { ("sk", "seen") } else { ("pk", "at") };
                        prop_assert!(!(fits(at) && fits(seen)) && names(&error, key, Some(part)), "{:?}", error);
                    }
                }
            }

            #[test]
            fn other_texts_are_refused(text in "[0-9 +-]{9,14}") {
                let [pk, sk] = [&*text, "1704067200000"];
                let item: Item = [("pk", pk), ("sk", sk)].into_iter().collect();
                let fits = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit());
                prop_assert_eq!(Stored::key_from_item(item).is_ok(), fits, "{}", text);
            }
        }
    }

    mod years {
        use super::*;

        macro_rules! years {
            ($name:ident: $ty:ty, $part:tt = $strategy:expr) => {
                mod $name {
                    use super::*;

                    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                    #[dynamo(table = "years", key(pk = "{n}", sk = $part))]
                    struct Stored {
                        n: u8,
                        at: $ty,
                    }

                    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                    #[dynamo(table = "bare_years", key(pk = at))]
                    struct Bare {
                        at: $ty,
                    }

                    proptest! {
                        #![proptest_config(config_of_shape())]

                        #[test]
                        fn law((year, at) in $strategy) {
                            let fits = (0..=9999i64).contains(&year);
                            let entity = Stored { n: 1, at: at.clone() };
                            match entity.key().to_item() {
                                Ok(_) => prop_assert!(fits, "{}", year),
                                Err(error) => prop_assert!(!fits && names(&error, "sk", Some("at")), "{:?}", error),
                            }
                            prop_assert_eq!(entity.to_item().is_ok(), fits, "no other field is rounded in silence");
                            prop_assert_eq!(Bare { at }.key().to_item().is_ok(), fits);
                        }
                    }
                }
            };
        }

        fn second() -> impl Strategy<Value = i64> {
            prop_oneof![
                -377_705_116_800i64..=253_402_300_799,
                given::FIRST_SECOND - 3..given::FIRST_SECOND + 3,
                given::LAST_SECOND - 3..=given::LAST_SECOND,
            ]
        }

        fn chrono_any() -> impl Strategy<Value = (i64, DateTime<Utc>)> {
            let far = -8_334_601_228_800i64..=8_210_266_876_799;
            let near = given::LAST_SECOND - 3..given::LAST_SECOND + 3;
            prop_oneof![second(), far, near].prop_map(|second| {
                let at = DateTime::from_timestamp(second, 5).unwrap();
                (chrono::Datelike::year(&at).into(), at)
            })
        }

        fn time_any() -> impl Strategy<Value = (i64, time::UtcDateTime)> {
            second().prop_map(|second| {
                let at = time::UtcDateTime::from_unix_timestamp(second).unwrap();
                (at.year().into(), at)
            })
        }

        fn jiff_any() -> impl Strategy<Value = (i64, jiff::civil::Date)> {
            (-9999i16..=9999, 1i8..=12, 1i8..=28)
                .prop_map(|(year, month, day)| (year.into(), jiff::civil::date(year, month, day)))
        }

        /// Near the first and the last date, an offset may move a time into a year that the type cannot hold
        /// in UTC.
        fn offset_any() -> impl Strategy<Value = (i64, time::OffsetDateTime)> {
            let edge = prop_oneof![
                Just(time::Date::MIN),
                Just(time::Date::MAX),
                given::time_date()
            ];
            (edge, 0u8..24, -23i8..=23).prop_map(|(date, hour, hours)| {
                let offset = time::UtcOffset::from_hms(hours, 0, 0).unwrap();
                let at = date.with_hms(hour, 0, 0).unwrap().assume_offset(offset);
                let day = Timestamp::from_unix(at.unix_timestamp(), 0)
                    .unwrap()
                    .seconds()
                    .div_euclid(86_400);
                let days =
                    given::FIRST_SECOND.div_euclid(86_400)..=given::LAST_SECOND.div_euclid(86_400);
                (if days.contains(&day) { 0 } else { -1 }, at)
            })
        }

        years!(offset_whole: time::OffsetDateTime, "{at}" = offset_any());
        years!(offset_date: time::OffsetDateTime, "{at:date}" = offset_any());
        years!(offset_millis: time::OffsetDateTime, "{at:ms}" = offset_any());
        years!(chrono_whole: DateTime<Utc>, "{at}" = chrono_any());
        years!(chrono_seconds: DateTime<Utc>, "{at:s}" = chrono_any());
        years!(chrono_month: DateTime<Utc>, "{at:month}" = chrono_any());
        years!(chrono_year: DateTime<Utc>, "{at:year}" = chrono_any());
        years!(chrono_date: NaiveDate, "{at}" = chrono_any().prop_map(|(year, at)| (year, at.date_naive())));
        years!(time_millis: time::UtcDateTime, "{at:ms}" = time_any());
        years!(time_date: time::UtcDateTime, "{at:date}" = time_any());
        years!(jiff_date: jiff::civil::Date, "{at}" = jiff_any());
        years!(jiff_month: jiff::civil::Date, "{at:month}" = jiff_any());
    }

    #[test]
    fn empty_text_is_no_part() {
        crate::declare! { entity Stored(table = "empty", key(pk = "P#{a}", sk = "S#{b}")) { a: UserId, b: String } }
        let error = Stored::key(UserId(String::new()), "b")
            .to_item()
            .unwrap_err();
        assert!(names(&error, "pk", Some("a")), "{error:?}");
        let error = Stored::key(UserId("a".into()), "").to_item().unwrap_err();
        assert!(names(&error, "sk", Some("b")), "{error:?}");
    }
}

/// Bare keys: the key is the field's own attribute, in its native type.
mod bare {
    use super::*;
    use rust_decimal::Decimal;

    macro_rules! bare {
        ($name:ident: $pk:ty = $first:expr, $sk:ty = $second:expr) => {
            mod $name {
                use super::*;

                #[derive(Debug, Clone, PartialEq, DynamoEntity)]
                #[dynamo(table = "bare", key(pk = a, sk = b))]
                struct Stored {
                    a: $pk,
                    b: $sk,
                    c: u8,
                }

                proptest! {
                    #![proptest_config(config_of_shape())]

                    #[test]
                    fn laws(a in $first, b in $second, other in $first, c in any::<u8>()) {
                        let entity = Stored { a, b, c };
                        let item = entity.to_item()?;
                        let key = Stored::key(&entity.a, &entity.b);
                        let keys = key.to_item()?;
                        prop_assert_eq!((keys.get("a"), keys.get("b")), (item.get("a"), item.get("b")), "K6");
                        prop_assert_eq!(keys.len(), 2);
                        prop_assert_eq!(&Stored::key_from_item(item.clone())?, &key, "K3");
                        prop_assert_eq!(&Stored::from_item(item)?, &entity, "K3");
                        let same = entity.a == other;
                        prop_assert_eq!(Stored::key(other, &entity.b) == key, same, "K1");
                    }
                }
            }
        };
    }

    bare!(text_number: String = given::text(), i64 = given::i64());
    bare!(newtypes: UserId = user_id(), Serial = serial());
    bare!(names: Status = status(), u64 = given::u64());
    bare!(bytes: Vec<u8> = prop::collection::vec(any::<u8>(), 1..9), [u8; 3] = any::<[u8; 3]>());
    bare!(numbers: Number = given::number(), Decimal = given::decimal());
    bare!(ids: uuid::Uuid = given::uuid(), ulid::Ulid = given::ulid());
    bare!(times: DateTime<Utc> = given::chrono_utc(), time::Date = given::time_date());
    bare!(civil: jiff::civil::DateTime = given::jiff_civil(), Timestamp = given::timestamp());
}

proptest! {
    #![proptest_config(config())]

    /// A year is its text, and no other text is a year; it follows the year before it.
    #[test]
    fn a_year_is_its_text(number in 0..=9999_i64, text in "[0-9+ ]{1,5}") {
        let some = year(number);
        prop_assert_eq!(some.to_string().parse::<Year>().unwrap(), some);
        prop_assert_eq!(some.next().and_then(Year::previous).is_some(), number < 9999);
        prop_assert_eq!(some.previous().map(|before| before.get() + 1), (number > 0).then_some(some.get()));
        let first: Option<Timestamp> = some.first_day();
        prop_assert_eq!(first.map(Year::from), Some(some));
        prop_assert_eq!(first, some.first_month().first_day());
        if let Ok(read) = text.parse::<Year>() {
            prop_assert_eq!(read.to_string(), text);
        }
    }

    /// A month is its text, and no other text is a month.
    #[test]
    fn a_month_is_its_text(year in 0..=9999_i64, number in 1..=12_u8, text in "[0-9+ ]{1,5}-[0-9+ ]{1,3}") {
        let some = month(year, number);
        prop_assert_eq!(some.to_string().parse::<YearMonth>().unwrap(), some);
        if let Ok(read) = text.parse::<YearMonth>() {
            prop_assert_eq!(read.to_string(), text);
        }
    }
}

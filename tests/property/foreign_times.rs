//! Times of other programs that are key attributes by themselves: numbers since 1970, and text as JavaScript writes it.

use chrono::{DateTime, Utc};
use dynamo_entity::key::{
    EpochMillis, EpochSeconds, JavaScriptTime, PynamoTime, PythonTime, Rfc3339Seconds,
};
use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Query, Value};
use proptest::prelude::*;

use crate::queries::{WORDS, Word, asked, near};
use crate::{config_of_shape, given};

/// A table and an index that are sorted by such a time.
macro_rules! foreign_time {
    ($name:ident: $time:ident, $nanos:literal, |$at:ident| $written:expr) => {
        mod $name {
            use super::*;

            type Time = $time<DateTime<Utc>>;

            crate::declare! {
                entity Row(table = "rows", key(pk = id, sk = at), gsi(by_seen, pk = id, sk = seen))
                    { id: u32, at: Time, seen: Option<Time> }
            }

            fn times() -> impl Strategy<Value = Time> {
                given::chrono_utc().prop_filter_map("in range", Time::floor)
            }

            fn written(time: &Time) -> Value {
                let $at = time.get();
                $written
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn laws((at, low, high) in near(times), seen in proptest::option::of(times())) {
                    let row = Row { id: 1, at, seen };
                    let item = row.to_item()?;
                    prop_assert_eq!(item.get("at"), Some(&written(&at)), "as the others write it");
                    prop_assert_eq!(item.get("seen").cloned(), seen.as_ref().map(written));
                    prop_assert_eq!(Row::from_item(item.clone())?, row.clone(), "K3");
                    prop_assert_eq!(Row::key_from_item(item)?, Row::key(1u32, at), "K3, K6");
                    prop_assert_eq!(Row::key(1u32, low) == Row::key(1u32, high), low == high, "K1");
                    prop_assert_eq!(at.cmp(&low), at.get().cmp(low.get()), "they compare as times do");
                    for word in WORDS {
                        let q: Query<Row> = asked!(Row::in_partition(1u32).at(), word, low, high);
                        prop_assert_eq!(q.matches(&row)?, word.holds(&at, &low, &high), "{:?}", word);
                        let q: Query<Row> = asked!(Row::by_seen(1u32).seen(), word, low, high);
                        let wanted = seen.is_some_and(|seen| word.holds(&seen, &low, &high));
                        prop_assert_eq!(q.matches(&row)?, wanted, "by the index, {:?}", word);
                    }
                }

                #[test]
                fn a_time_is_cut(time in given::chrono_utc(), other in given::chrono_utc()) {
                    if let (Some(cut), Some(of_other)) = (Time::floor(time), Time::floor(other)) {
                        prop_assert!(time.cmp(&other) == cut.cmp(&of_other) || cut == of_other, "the order stays");
                    }
                    if let Some(cut) = Time::floor(time) {
                        let rest = time.signed_duration_since(*cut.get()).num_nanoseconds().unwrap();
                        let is_leap = time.timestamp_subsec_nanos() >= 1_000_000_000;
                        prop_assert!(rest >= 0 && (is_leap || rest < $nanos), "{rest}");
                        prop_assert_eq!(Time::floor(*cut.get()), Some(cut));
                    }
                }
            }
        }
    };
}

fn number(number: i64) -> Value {
    Value::N(Number::from(number))
}

foreign_time!(seconds: EpochSeconds, 1_000_000_000, |at| number(at.timestamp()));
foreign_time!(millis: EpochMillis, 1_000_000, |at| number(at.timestamp_millis()));
foreign_time!(text: JavaScriptTime, 1_000_000, |at| Value::S(
    at.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
));
foreign_time!(seconds_text: Rfc3339Seconds, 1_000_000_000, |at| Value::S(
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
));
foreign_time!(python: PythonTime, 1_000, |at| Value::S(
    match at.timestamp_subsec_micros() {
        0 => at.format("%Y-%m-%dT%H:%M:%S+00:00").to_string(),
        _ => at.format("%Y-%m-%dT%H:%M:%S%.6f+00:00").to_string(),
    }
));
foreign_time!(pynamo: PynamoTime, 1_000, |at| Value::S(
    at.format("%Y-%m-%dT%H:%M:%S%.6f+0000").to_string()
));

/// A fraction would be lost when the key is written again.
#[test]
fn a_fraction_is_refused() {
    #[derive(Debug, DynamoEntity)]
    #[dynamo(table = "rows", key(pk = id, sk = at))]
    struct Row {
        id: u32,
        at: EpochSeconds<DateTime<Utc>>,
        seen: Option<EpochMillis<DateTime<Utc>>>,
    }
    for (stored, kind) in [
        ("1.5", ErrorKind::KeyMismatch),
        ("1e30", ErrorKind::KeyMismatch),
    ] {
        let stored = Value::N(stored.parse().unwrap());
        let item: Item = [("id", number(1)), ("at", stored)].into_iter().collect();
        let error = Row::from_item(item).unwrap_err();
        assert_eq!(
            (error.kind(), error.attribute()),
            (kind, Some("at")),
            "{error}"
        );
    }
    let same = [("id", number(1)), ("at", Value::N("15e2".parse().unwrap()))];
    let row = Row::from_item(same.into_iter().collect::<Item>()).unwrap();
    assert_eq!(row.at.get().timestamp(), 1500, "a number is its value");
    let seen = Value::N("1.5".parse().unwrap());
    let item = [("id", number(1)), ("at", number(7)), ("seen", seen)];
    let error = Row::from_item(item.into_iter().collect::<Item>()).unwrap_err();
    assert_eq!(
        (error.kind(), error.attribute()),
        (ErrorKind::Decode, Some("seen"))
    );
}

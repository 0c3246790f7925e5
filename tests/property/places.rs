//! A None that has a place in an index: it sorts there, a range of values never finds it, and a query can ask for it.

use std::cmp::Ordering;

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::Query;
use dynamo_entity::key::{Millis, Seconds, Year, YearMonth};
use dynamo_entity::prelude::*;
use proptest::prelude::*;

use crate::queries::{WORDS, Word, asked, near, on_the_engine, sample};
use crate::{config_of_shape, given};

/// How two parts compare: a None before all values or behind them, and empty text is as little as None.
fn compared<T: Ord>(left: &Option<T>, right: &Option<T>, none_is_last: bool) -> Ordering {
    let order = left.is_some().cmp(&right.is_some());
    let order = if none_is_last { order.reverse() } else { order };
    order.then_with(|| left.cmp(right))
}

/// An index over two parts, the first of which may be None.
macro_rules! place {
    ($name:ident: $sk:tt, last = $last:literal, $part:ty = $strategy:expr) => {
        place!($name: $sk, last = $last, $part = $strategy, $part, |part| part.clone());
    };
    // What the key holds of a value is made of it by `$cut`.
    ($name:ident: $sk:tt, last = $last:literal, $field:ty = $strategy:expr, $part:ty, $cut:expr) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "rows", key(pk = "P#{id}"))]
            #[dynamo(gsi(sorted, pk = "ALL", sk = $sk))]
            pub struct Row {
                pub id: u32,
                pub due: Option<$field>,
                pub size: Option<u16>,
            }

            fn optional() -> impl Strategy<Value = Option<$field>> {
                proptest::option::weighted(0.7, $strategy)
            }

            fn cut(value: &$field) -> $part {
                let cut: fn(&$field) -> $part = $cut;
                cut(value)
            }

            fn held(row: &Row) -> Option<$part> {
                row.due.as_ref().map(cut)
            }

            fn key(row: &Row) -> String {
                let item = row.to_item().unwrap();
                item.get("sorted_sk").and_then(|sk| sk.as_text()).unwrap().to_owned()
            }

            /// As the index sorts rows; the second part has its None in the first place.
            fn order(left: &Row, right: &Row) -> Ordering {
                compared(&held(left), &held(right), $last)
                    .then_with(|| compared(&left.size, &right.size, false))
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn on_paper(
                    (due, size) in (optional(), any::<Option<u16>>()),
                    (other_due, other_size) in (optional(), any::<Option<u16>>()),
                    (value, low, high) in near(|| $strategy),
                    is_near in any::<bool>(),
                ) {
                    let row = Row { id: 1, due: due.map(|due| if is_near { value.clone() } else { due }), size };
                    let (low, high) = (cut(&low), cut(&high));
                    let other = Row { id: 2, due: other_due, size: other_size };
                    prop_assert_eq!(key(&row).as_bytes().cmp(key(&other).as_bytes()), order(&row, &other));
                    for word in WORDS {
                        let q: Query<Row> = asked!(Row::sorted().due(), word, low.clone(), high.clone());
                        let wanted = held(&row).is_some_and(|due| word.holds(&due, &low, &high));
                        prop_assert_eq!(q.matches(&row)?, wanted, "{:?}", word);
                        let none = Row::sorted().due().missing();
                        let q: Query<Row> = asked!(none.size(), word, 7, 300);
                        let wanted = row.due.is_none() && row.size.is_some_and(|size| word.holds(&size, &7, &300));
                        prop_assert_eq!(q.matches(&row)?, wanted, "behind None {:?}", word);
                    }
                    let none: Query<Row> = Row::sorted().due().missing().into();
                    prop_assert_eq!(none.matches(&row)?, row.due.is_none());
                    let both: Query<Row> = Row::sorted().due().missing().size().missing().into();
                    prop_assert_eq!(both.matches(&row)?, row.due.is_none() && row.size.is_none());
                    let all: Query<Row> = Row::sorted().into();
                    prop_assert!(all.matches(&row)?, "a None does not leave the index");
                }
            }

            #[test]
            fn in_an_index() {
                on_the_engine(|db, runner| {
                    let rows = proptest::collection::vec((optional(), any::<Option<u16>>()), 1..14);
                    let rows = sample(rows, runner);
                    let changes = sample(proptest::collection::vec(optional(), 14), runner);
                    let (_, low, high) = sample(near(|| $strategy), runner);
                    let (low, high) = (cut(&low), cut(&high));
                    async move {
                        db.create_tables([Row::schema()]).await?;
                        let mut stored = Vec::new();
                        for (id, ((due, size), change)) in (0u32..).zip(rows.into_iter().zip(changes)) {
                            let row = Row { id, due, size }.put().send(&db).await?;
                            // Each way of changing the part keeps the key of the index.
                            stored.push(match id % 5 {
                                0 => row,
                                1 => row.update().apply(|r| r.due().set_or_remove(change)).send(&db).await?,
                                2 => Row::key(id).modify(|r| r.due = change.clone()).send(&db).await?,
                                3 => Row::key(id).upsert().apply(|r| (r.due().set_or_remove(change.clone()), r.size().remove())).send(&db).await?,
                                _ => {
                                    let known = Row::key(id).update().apply(|r| r.due().set_or_remove(change.clone()));
                                    known.when(|r| size.map_or_else(|| r.size().missing(), |size| r.size().eq(size))).send(&db).await?
                                }
                            });
                        }
                        stored.sort_by(order);
                        let dues = |rows: Vec<Row>| rows.into_iter().map(|row| (held(&row), row.size)).collect::<Vec<_>>();
                        let of = |wanted: &dyn Fn(&Row) -> bool| dues(stored.iter().filter(|row| wanted(row)).cloned().collect());
                        assert_eq!(dues(Row::sorted().all(&db).await?), of(&|_| true));
                        assert_eq!(dues(Row::sorted().due().missing().all(&db).await?), of(&|row| row.due.is_none()));
                        for word in WORDS {
                            let q: Query<Row> = asked!(Row::sorted().due(), word, low.clone(), high.clone());
                            let mut wanted = of(&|row| held(row).is_some_and(|due| word.holds(&due, &low, &high)));
                            assert_eq!(dues(q.clone().all(&db).await?), wanted, "{word:?}");
                            wanted.reverse();
                            assert_eq!(dues(q.descending().page_size(2).all(&db).await?), wanted, "{word:?}");
                        }
                        for row in &stored {
                            row.delete().send(&db).await?;
                        }
                        Ok(())
                    }
                });
            }
        }
    };
}

place!(numbers_last: "{due:last}#{size:first}", last = true, i32 = given::i32());
place!(numbers_first: "A#{due:first}#{size:first}#E", last = false, i32 = given::i32());
place!(text_last: "{due:last}#{size:first}", last = true, String = given::text());
place!(text_first: "T#{due:first}#{size:first}", last = false, String = given::text());
place!(padded_last: "{due:012:last}#{size:05:first}", last = true, i32 = given::i32());
place!(seconds_last: "{due:s:last}#{size:first}", last = true, DateTime<Utc> = given::chrono_utc(), Seconds<DateTime<Utc>>, |at| Seconds::floor(*at).unwrap());
place!(millis_first: "{due:ms:first}#{size:first}", last = false, DateTime<Utc> = given::chrono_utc(), Millis<DateTime<Utc>>, |at| Millis::floor(*at).unwrap());
place!(date_last: "A#{due:date:last}#{size:first}#E", last = true, DateTime<Utc> = given::chrono_utc(), NaiveDate, DateTime::date_naive);
place!(date_first: "{due:date:first}#{size:first}", last = false, NaiveDate = given::chrono_date(), NaiveDate, |date| *date);
place!(month_last: "{due:month:last}#{size:first}", last = true, DateTime<Utc> = given::chrono_utc(), YearMonth, |at| YearMonth::from(*at));
place!(year_first: "{due:year:first}#{size:first}", last = false, DateTime<Utc> = given::chrono_utc(), Year, |at| Year::from(*at));
place!(epoch_last: "{due:epoch:last}#{size:first}", last = true, DateTime<Utc> = counted(), Seconds<DateTime<Utc>>, |at| Seconds::floor(*at).unwrap());
place!(epoch_ms_first: "A#{due:epoch_ms:first}#{size:first}", last = false, DateTime<Utc> = counted(), Millis<DateTime<Utc>>, |at| Millis::floor(*at).unwrap());

/// Times whose counts from 1970 have the width that counts have.
fn counted() -> impl Strategy<Value = DateTime<Utc>> {
    let second = prop_oneof![0i64..=9_999_999_999, 1_704_067_195i64..1_704_067_205];
    (second, given::nanos())
        .prop_map(|(second, nanos)| DateTime::from_timestamp(second, nanos).unwrap())
}

//! Ranges of several parts of a sort key at once: as Rust compares tuples of their values.

use chrono::{DateTime, NaiveDate, Utc};
use dynamo_entity::Query;
use dynamo_entity::key::Seconds;
use dynamo_entity::prelude::*;
use proptest::prelude::*;

use crate::queries::{WORDS, Word, on_the_engine, ranged, sample};
use crate::{config_of_shape, given};

/// Values that are equal often, so that the later parts decide.
fn few<T: Clone + std::fmt::Debug + 'static>(
    values: impl Strategy<Value = T>,
    usual: [T; 3],
) -> impl Strategy<Value = T> {
    prop_oneof![2 => proptest::sample::select(usual.to_vec()), 1 => values]
}

/// A key of three parts, the last of which may stand before more text.
macro_rules! tuple {
    ($name:ident: [$($table:tt)*] $sk:tt, $a:ty = $few_a:expr, $b:ty = $few_b:expr, $c:ty = $few_c:expr) => {
        tuple!($name: [$($table)*] $sk, $a = $few_a, $b = $few_b, $c = $few_c, $b, |b| b.clone());
    };
    // What the key holds of the second part is made of it by `$cut`.
    ($name:ident: [$($table:tt)*] $sk:tt, $a:ty = $few_a:expr, $b:ty = $few_b:expr, $c:ty = $few_c:expr, $held:ty, $cut:expr) => {
        mod $name {
            use super::*;

            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "rows", $($table)* key(pk = id, sk = $sk))]
            pub struct Row {
                pub id: u32,
                pub a: $a,
                pub b: $b,
                pub c: $c,
            }

            type Values = ($a, $held, $c);

            fn cut(value: &$b) -> $held {
                let cut: fn(&$b) -> $held = $cut;
                cut(value)
            }

            fn values() -> impl Strategy<Value = ($a, $b, $c)> {
                ($few_a, $few_b, $few_c)
            }

            fn bounds() -> impl Strategy<Value = Values> {
                values().prop_map(|(a, b, c)| (a, cut(&b), c))
            }

            fn of(row: &Row) -> Values {
                (row.a.clone(), cut(&row.b), row.c.clone())
            }

            proptest! {
                #![proptest_config(config_of_shape())]

                #[test]
                fn on_paper((a, b, c) in values(), low in bounds(), high in bounds(), same in 0u8..5) {
                    let row = Row { id: 1, a, b, c };
                    let held = of(&row);
                    let low = if same == 0 { held.clone() } else { low };
                    let high = if same == 1 { held.clone() } else { high };
                    for word in WORDS.into_iter().filter(|word| *word != Word::Eq) {
                        let all = Row::in_partition(1u32).a().and(|r| r.b()).and(|r| r.c());
                        let q: Query<Row> = ranged!(all, word, low.clone(), high.clone());
                        prop_assert_eq!(q.matches(&row)?, word.holds(&held, &low, &high), "{:?}", word);

                        let (low, high) = ((low.0.clone(), low.1.clone()), (high.0.clone(), high.1.clone()));
                        let first = Row::in_partition(1u32).a().and(|r| r.b());
                        let q: Query<Row> = ranged!(first, word, low.clone(), high.clone());
                        let of_first = (held.0.clone(), held.1.clone());
                        prop_assert_eq!(q.matches(&row)?, word.holds(&of_first, &low, &high), "first two, {:?}", word);
                    }
                    for word in WORDS.into_iter().filter(|word| *word != Word::Eq) {
                        let (low, high) = ((low.1.clone(), low.2.clone()), (high.1.clone(), high.2.clone()));
                        let last = Row::in_partition(1u32).a().eq(row.a.clone()).b().and(|r| r.c());
                        let q: Query<Row> = ranged!(last, word, low.clone(), high.clone());
                        let of_last = (held.1.clone(), held.2.clone());
                        prop_assert_eq!(q.matches(&row)?, word.holds(&of_last, &low, &high), "last two, {:?}", word);
                    }
                    let open: Option<std::ops::Range<Values>> = None;
                    let all = Row::in_partition(1u32).a().and(|r| r.b()).and(|r| r.c()).between(open);
                    prop_assert!(all.matches(&row)?);
                }
            }

            #[test]
            fn on_an_engine() {
                on_the_engine(|db, runner| {
                    let rows = sample(proptest::collection::vec(values(), 1..14), runner);
                    let (low, high) = (sample(bounds(), runner), sample(bounds(), runner));
                    async move {
                        db.create_tables([Row::schema()]).await?;
                        for (a, b, c) in rows {
                            Row { id: 1, a, b, c }.put().send(&db).await?;
                        }
                        let stored = Row::in_partition(1u32).all(&db).await?;
                        for word in WORDS.into_iter().filter(|word| *word != Word::Eq) {
                            let all = Row::in_partition(1u32).a().and(|r| r.b()).and(|r| r.c());
                            let q: Query<Row> = ranged!(all, word, low.clone(), high.clone());
                            let wanted = stored.iter().filter(|row| word.holds(&of(row), &low, &high));
                            let mut wanted: Vec<Row> = wanted.cloned().collect();
                            assert_eq!(q.clone().all(&db).await?, wanted, "{word:?}");
                            wanted.reverse();
                            assert_eq!(q.descending().page_size(2).all(&db).await?, wanted, "{word:?}");
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

fn texts() -> impl Strategy<Value = String> {
    few(given::text(), ["a", "a#", "ab"].map(String::from))
}

fn numbers() -> impl Strategy<Value = i16> {
    few(given::i16(), [-1, 0, 7])
}

fn times() -> impl Strategy<Value = DateTime<Utc>> {
    let noon = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let later = DateTime::from_timestamp(1_700_000_000, 999_999_999).unwrap();
    few(given::chrono_utc(), [noon, later, DateTime::UNIX_EPOCH])
}

fn dates() -> impl Strategy<Value = NaiveDate> {
    let day = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
    few(
        given::chrono_date(),
        [day, day.succ_opt().unwrap(), day.pred_opt().unwrap()],
    )
}

tuple!(texts_first: [] "{a}#{b}#{c}", String = texts(), i16 = numbers(), String = texts());
tuple!(numbers_first: [] "N#{a}#{b}#{c}", i16 = numbers(), String = texts(), u32 = few(given::u32(), [0, 9, 10]));
tuple!(with_an_end: [] "{a}#{b}#{c}#END", String = texts(), String = texts(), i16 = numbers());
tuple!(padded: [] "{a:06}#{b:06}#{c:06}", i16 = numbers(), i16 = numbers(), i16 = numbers());
tuple!(dates_and_texts: [] "{a}#{b}#{c}", NaiveDate = dates(), String = texts(), String = texts());
tuple!(seconds_between: [] "{a}#{b:s}#{c}", i16 = numbers(), DateTime<Utc> = times(), String = texts(), Seconds<DateTime<Utc>>, |at| Seconds::floor(*at).unwrap());
tuple!(of_others: [verbatim(delimiter = ":"),] "$x:{a:08}:{b:08}:{c}", u32 = few(given::u32(), [0, 9, 10]).prop_map(|n| n % 100_000_000), u16 = few(given::u16(), [0, 9, 10]), String = texts());

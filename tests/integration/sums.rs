//! `add` and `sub` at the limits of every type: the sum is exact, or the write is refused and its error has
//! the item.

use dynamo_entity::Number;
use dynamo_entity::expr::Change;
use dynamo_entity::prelude::*;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rust_decimal::{Decimal, dec};

use crate::support::db::{Db, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    integers_stay_in_their_range(Sum),
    wide_integers_stay_within_38_digits(Sum),
    decimals_stay_in_their_range(Sum),
    numbers_are_exact(Sum),
    a_missing_number_is_zero_or_the_default(Sum),
    what_cannot_be_stored_is_refused_before,
];

crate::declare! {
    entity Sum(table = "sums", key(pk = id))
        { id: String, a: Option<i8>, b: Option<i16>, c: Option<i32>, d: Option<i64>, e: Option<isize>, f: Option<u8>,
          g: Option<u16>, h: Option<u32>, i: Option<u64>, j: Option<usize>, k: Option<i128>, l: Option<u128>,
          price: Option<Decimal>, exact: Option<Number>, ratio: Option<f64>, #[dynamo(default = 250)] lives: u8,
          #[dynamo(default = -100)] debt: i8 }
}

type Paths = <Sum as DynamoEntity>::Paths;

/// Stores a row with this one number.
async fn plant(db: &Db, name: &str, number: impl ToString) {
    db.plant::<Sum>(raw([("id", s("s")), (name, n(number))]))
        .await;
}

async fn changed(db: &Db, change: impl FnOnce(Paths) -> Change<Sum>) -> Result<Sum> {
    Sum::key("s").update().apply(change).send(db).await
}

/// Adds and subtracts every pair of values near the limits. The model counts in 128 bits and returns nothing
/// if the sum does not fit the type.
macro_rules! check_ends {
    ($db:ident, $field:ident: $int:ty, $least:expr, $most:expr) => {{
        let (least, most): ($int, $int) = ($least, $most);
        let mut ends = vec![least, least + 1, least / 2, 0, 1, 2, most / 2, most - 1, most];
        ends.dedup();
        for (stored, delta, minus) in pairs(&ends) {
            plant(&$db, stringify!($field), stored).await;
            let found = changed(&$db, |s| match minus {
                true => s.$field().sub(delta),
                false => s.$field().add(delta),
            });
            let sum = match minus {
                true => stored.checked_sub(delta),
                false => stored.checked_add(delta),
            };
            let expected = sum.filter(|sum| (least..=most).contains(sum));
            let what = format!("{stored} and {delta}, minus: {minus}, {}", stringify!($int));
            match found.await {
                Ok(new) => assert_eq!(new.$field, expected, "{what}"),
                Err(refused) => {
                    assert_eq!(expected, None, "{what}: {refused:?}");
                    assert_eq!(refused.kind(), ErrorKind::Conflict, "{what}: {refused:?}");
                    let current = refused.current::<Sum>()?.ok_or("no item")?;
                    assert_eq!(current.$field, Some(stored), "{what}");
                }
            }
        }
    }};
    ($db:ident, $field:ident: $int:ty) => {
        check_ends!($db, $field: $int, <$int>::MIN, <$int>::MAX)
    };
}

fn pairs<T: Copy>(ends: &[T]) -> Vec<(T, T, bool)> {
    let both = |left: T| {
        ends.iter()
            .flat_map(move |&right| [(left, right, false), (left, right, true)])
    };
    ends.iter().flat_map(|&left| both(left)).collect()
}

async fn integers_stay_in_their_range(db: Db) -> Outcome {
    check_ends!(db, a: i8);
    check_ends!(db, b: i16);
    check_ends!(db, c: i32);
    check_ends!(db, d: i64);
    check_ends!(db, e: isize);
    check_ends!(db, f: u8);
    check_ends!(db, g: u16);
    check_ends!(db, h: u32);
    check_ends!(db, i: u64);
    check_ends!(db, j: usize);
    Ok(())
}

async fn wide_integers_stay_within_38_digits(db: Db) -> Outcome {
    let most = 10_i128.pow(38) - 1;
    check_ends!(db, k: i128, -most, most);
    check_ends!(db, l: u128, 0, most.unsigned_abs());
    Ok(())
}

async fn decimals_stay_in_their_range(db: Db) -> Outcome {
    let half = dec!(3961408125713216879677197516.5);
    let ends = [
        Decimal::MIN,
        half,
        -half,
        dec!(-0.1),
        dec!(0),
        dec!(0.0000000000000000000000000001),
        dec!(7.50),
        Decimal::MAX,
    ];
    for (stored, delta, minus) in pairs(&ends.map(|end| end.normalize())) {
        plant(&db, "price", stored).await;
        let found = changed(&db, |s| {
            if minus {
                s.price().sub(delta)
            } else {
                s.price().add(delta)
            }
        });
        let expected = exact_sum(stored, if minus { -delta } else { delta });
        let what = format!("{stored} and {delta}, minus: {minus}");
        match found.await {
            Ok(new) => assert_eq!(new.price, expected, "{what}"),
            Err(error) => {
                assert_eq!(expected, None, "{what}: {error:?}");
                // Too many digits after the point are refused by the service, or when the sum is read.
                let is_long = [ErrorKind::Decode, ErrorKind::Rejected].contains(&error.kind());
                let leaves = if minus {
                    stored.checked_sub(delta)
                } else {
                    stored.checked_add(delta)
                };
                assert!(
                    error.is_conflict() || is_long && leaves.is_some(),
                    "{what}: {error:?}"
                );
                assert_eq!(
                    error.kind() != ErrorKind::Rejected,
                    error.current_item()?.is_some()
                );
            }
        }
    }
    Ok(())
}

/// The exact sum, or nothing if it has too many digits for the type.
fn exact_sum(left: Decimal, right: Decimal) -> Option<Decimal> {
    let scale = left.scale().max(right.scale());
    let whole = |number: Decimal| {
        let shift = 10_i128.checked_pow(scale - number.scale())?;
        number.mantissa().checked_mul(shift)
    };
    let sum = whole(left)?.checked_add(whole(right)?)?;
    Decimal::try_from_i128_with_scale(sum, scale).ok()
}

async fn numbers_are_exact(db: Db) -> Outcome {
    let mut runner = TestRunner::new(crate::random(200));
    let mantissas = -(10_i128.pow(37))..10_i128.pow(37);
    let given = (mantissas.clone(), mantissas, 0_i32..60, any::<bool>());
    for _ in 0..runner.config().cases {
        let (stored, delta, scale, minus) = given.new_tree(&mut runner).expect("numbers").current();
        let number = |mantissa: i128| format!("{mantissa}e-{scale}").parse::<Number>();
        let (left, right) = (number(stored)?, number(delta)?);
        plant(&db, "exact", &left).await;
        let found = changed(&db, |s| {
            if minus {
                s.exact().sub(&right)
            } else {
                s.exact().add(&right)
            }
        })
        .await?;
        let sum = number(if minus {
            stored - delta
        } else {
            stored + delta
        })?;
        assert_eq!(found.exact, Some(sum), "{left} and {right}, minus: {minus}");
    }
    Ok(())
}

async fn a_missing_number_is_zero_or_the_default(db: Db) -> Outcome {
    let empty = raw([("id", s("s"))]);
    db.plant::<Sum>(empty.clone()).await;
    let new = Sum::key("s")
        .update()
        .apply(|s| {
            (
                s.a().add(-128),
                s.f().add(255),
                s.ratio().sub(0.5),
                s.lives().add(5),
                s.debt().sub(28),
            )
        })
        .send(&db)
        .await?;
    assert_eq!(
        (new.a, new.f, new.ratio),
        (Some(-128), Some(255), Some(-0.5))
    );
    assert_eq!((new.lives, new.debt), (255, -128));

    db.plant::<Sum>(empty).await;
    let beyond: [fn(Paths) -> Change<Sum>; 4] = [
        |s| s.f().sub(1),
        |s| s.l().sub(1),
        |s| s.lives().add(6),
        |s| s.debt().sub(29),
    ];
    for change in beyond {
        let refused = changed(&db, change).await.unwrap_err();
        assert!(refused.is_conflict(), "{refused:?}");
        assert!(refused.current::<Sum>()?.is_some());
    }
    Ok(())
}

async fn what_cannot_be_stored_is_refused_before(db: Db) -> Outcome {
    // There is no table, so these refusals happen before anything is sent.
    let faulty: [fn(Paths) -> Change<Sum>; 6] = [
        |s| s.l().add(u128::MAX),
        |s| s.l().sub(10_u128.pow(38)),
        |s| s.k().add(i128::MIN),
        |s| s.k().sub(i128::MIN),
        |s| s.ratio().add(f64::NAN),
        |s| s.ratio().sub(f64::NEG_INFINITY),
    ];
    for change in faulty {
        let refused = changed(&db, change).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidValue, "{refused:?}");
        assert!(refused.attribute().is_some(), "{refused:?}");
    }
    Ok(())
}

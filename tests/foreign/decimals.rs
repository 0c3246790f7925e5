//! Keys with numbers that have a fraction, over the rows of other programs: each row comes back as it is stored, or is
//! rejected, and a range returns exactly the rows whose numbers are in it.

use std::ops::Bound;

use dynamo_entity::prelude::*;
use rust_decimal::Decimal;

use crate::support::db::{Db, Raw, n, raw, s};
use crate::support::suite::Outcome;
use crate::tests;

tests![
    as_java_script_writes_them(Offer),
    other_spellings_are_rejected(Offer),
    ranges_of_verbatim_keys,
    ranges_of_own_keys,
    an_index_with_a_position_for_none(Bid),
    unique_numbers(Rate),
];

/// As ElectroDB writes it, with `padding: { length: 6, char: "0" }` for the price, and OneTable by `${price:6:0}`.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(
    table = "offers",
    verbatim,
    key(pk = "$shop#shop_{shop}", sk = "$offer_1#price_{price:06}#rate_{rate}")
)]
#[dynamo(gsi(by_rate, pk = "rate_{rate}|shop_{shop}", sk = "{price:.2}"))]
struct Offer {
    shop: String,
    price: f64,
    rate: f64,
}

/// Numbers, and the texts that JavaScript writes for them: padded to six characters, and as they are.
const PRICES: [(f64, &str, &str); 7] = [
    (0.0, "000000", "0.00"),
    (12.5, "0012.5", "12.50"),
    (7.0, "000007", "7.00"),
    (0.05, "000.05", "0.05"),
    (999.99, "999.99", "999.99"),
    (123456.0, "123456", "123456.00"),
    (10.1, "0010.1", "10.10"),
];
const RATES: [(f64, &str); 8] = [
    (0.1 + 0.2, "0.30000000000000004"),
    (1e21, "1e+21"),
    (-1e-7, "-1e-7"),
    (123456789012345680000.0, "123456789012345680000"),
    (9007199254740994.0, "9007199254740994"),
    (-12.5, "-12.5"),
    (7.0, "7"),
    (0.0, "0"),
];

fn offer(price: (f64, &str, &str), rate: (f64, &str)) -> Raw {
    raw([
        ("pk", s("$shop#shop_a")),
        (
            "sk",
            s(&format!("$offer_1#price_{}#rate_{}", price.1, rate.1)),
        ),
        ("by_rate_pk", s(&format!("rate_{}|shop_a", rate.1))),
        ("by_rate_sk", s(price.2)),
        ("shop", s("a")),
        ("price", n(price.0)),
        ("rate", n(rate.0)),
    ])
}

async fn as_java_script_writes_them(db: Db) -> Outcome {
    for price in PRICES {
        for rate in RATES {
            db.plant::<Offer>(offer(price, rate)).await;
        }
    }
    let total = (PRICES.len() * RATES.len()) as i32;
    let mut all = Offer::in_partition("a").all(&db).await?;
    assert_eq!(all.len() as i32, total, "K1, K3");
    all.sort_by(|a, b| {
        (a.price, a.rate)
            .partial_cmp(&(b.price, b.rate))
            .expect("numbers")
    });
    let mut model: Vec<(f64, f64)> = (PRICES.iter())
        .flat_map(|price| RATES.iter().map(|rate| (price.0, rate.0)))
        .collect();
    model.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    let read: Vec<(f64, f64)> = all.iter().map(|row| (row.price, row.rate)).collect();
    assert_eq!(read, model);
    for price in PRICES {
        let rows = Offer::in_partition("a")
            .price()
            .eq(price.0)
            .all(&db)
            .await?;
        assert_eq!(rows.len(), RATES.len(), "{price:?}");
        for rate in RATES {
            let key = Offer::key("a", price.0, rate.0);
            let found = key.get().send(&db).await?.ok_or("another key")?;
            assert_eq!(found.to_item()?, Item::from(offer(price, rate)), "K8");
            found.put().send(&db).await?;
            let of_rate = Offer::by_rate(rate.0, "a").price().eq(price.0);
            assert_eq!(of_rate.all(&db).await?, [found]);
        }
    }
    assert_eq!(db.count::<<Offer as DynamoEntity>::Table>().await, total);
    for price in PRICES {
        for rate in RATES {
            Offer::key("a", price.0, rate.0).delete().send(&db).await?;
        }
    }
    assert_eq!(db.count::<<Offer as DynamoEntity>::Table>().await, 0);
    Ok(())
}

/// No row is lost by one that is spelled in another way.
async fn other_spellings_are_rejected(db: Db) -> Outcome {
    let (half, seven) = ((12.5, "0012.5", "12.50"), (7.0, "7"));
    db.plant::<Offer>(offer(half, seven)).await;
    let others = [
        // Without padding, with other padding, and as `toFixed(2)` writes it.
        offer((12.5, "12.5", "12.50"), seven),
        offer((12.5, "00012.5", "12.50"), seven),
        offer((12.5, "012.50", "12.50"), seven),
        offer((12.5, "  12.5", "12.50"), seven),
        // Padding does not shorten a longer text, and has no place for a sign.
        offer((1234567.25, "1234567.25", "1234567.25"), seven),
        offer((-12.5, "0-12.5", "-12.50"), seven),
        // Floats of Python, and an exponent that JavaScript does not write.
        offer(half, (7.0, "7.0")),
        offer(half, (1e-5, "1e-05")),
        offer(half, (1e-7, "1E-7")),
        offer(half, (1e21, "1e21")),
        offer(half, (0.0, "-0")),
        // The key of another number.
        offer(half, (0.3, "0.30000000000000004")),
    ];
    let count = others.len();
    for other in others {
        db.plant::<Offer>(other).await;
    }
    let rows = Offer::in_partition("a").lenient().all(&db).await?;
    let errors: Vec<&Error> = rows.iter().filter_map(|row| row.as_ref().err()).collect();
    assert_eq!((rows.len(), errors.len()), (count + 1, count));
    assert!(
        errors
            .iter()
            .all(|error| error.is_key_mismatch() && error.key_attribute() == Some("sk"))
    );
    Ok(())
}

/// A range over these amounts, given in cents, is compared with a filter of all of them.
macro_rules! ranges {
    ($test:ident: [$($style:tt)*]) => {
        async fn $test(db: Db) -> Outcome {
            #[derive(Debug, Clone, PartialEq, DynamoEntity)]
            #[dynamo(table = "prices", $($style)* key(pk = "{shop}", sk = "PRICE#{price:09.2}#{id}"))]
            #[dynamo(gsi(by_cost, pk = "{shop}", sk = "{cost:08.3}"))]
            struct Price {
                shop: String,
                price: Decimal,
                id: String,
                cost: Option<f64>,
            }

            db.create_tables([Price::schema()]).await?;
            let mut random = fastrand::Rng::with_seed(7);
            let mut amounts: Vec<i64> = vec![0, 1, 9, 10, 99, 100, 101, 999, 1000, 99_999_999];
            amounts.extend((0..30).map(|at| random.i64(0..10_i64.pow(1 + at % 8))));
            amounts.sort_unstable();
            amounts.dedup();
            for (at, cents) in amounts.iter().enumerate() {
                let cost = (at % 3 > 0).then_some(*cents as f64 / 100_000.0).filter(|_| cents % 100 == 0 && *cents < 999_999_900);
                let sk = format!("PRICE#{:06}.{:02}#x", cents / 100, cents % 100);
                let row = Price { shop: "a".into(), price: Decimal::new(*cents, 2), id: "x".into(), cost };
                assert_eq!(row.to_item()?.get("sk").and_then(|sk| sk.as_text()), Some(&*sk));
                let stored = row.to_item()?.get("by_cost_sk").and_then(|sk| sk.as_text().map(str::to_owned));
                assert_eq!(stored, cost.map(|_| format!("{:04}.{:03}", cents / 100_000, cents / 100 % 1000)));
                // The attribute of another program, with the zeros that it has.
                let mut planted: Raw = row.to_item()?.into();
                planted.insert("price".into(), n(Decimal::new(*cents, 2)));
                db.plant::<Price>(planted).await;
            }
            let cents = |rows: Vec<Price>| -> Vec<i64> {
                rows.iter().map(|row| (row.price * Decimal::from(100)).try_into().expect("cents")).collect()
            };
            let of = |is_in: &dyn Fn(i64) -> bool| -> Vec<i64> { amounts.iter().copied().filter(|cents| is_in(*cents)).collect() };
            let all = || Price::in_partition("a").price();
            let mut bounds = amounts.clone();
            bounds.extend([2, 11, 98, 102, 5_000, 99_999_998]);
            for bound in bounds {
                let price = Decimal::new(bound, 2);
                assert_eq!(cents(all().lt(price).all(&db).await?), of(&|cents| cents < bound), "< {bound}");
                assert_eq!(cents(all().le(price).all(&db).await?), of(&|cents| cents <= bound), "<= {bound}");
                assert_eq!(cents(all().gt(price).all(&db).await?), of(&|cents| cents > bound), "> {bound}");
                assert_eq!(cents(all().ge(price).all(&db).await?), of(&|cents| cents >= bound), ">= {bound}");
                assert_eq!(cents(all().eq(price).all(&db).await?), of(&|cents| cents == bound), "== {bound}");
                let other = random.i64(0..99_999_999);
                let range = (Bound::Excluded(price), Bound::Included(Decimal::new(other, 2)));
                assert_eq!(cents(all().between(range).all(&db).await?), of(&|cents| cents > bound && cents <= other));
                let with_id = all().and(|row| row.id()).gt((price, "x"));
                assert_eq!(cents(with_id.all(&db).await?), of(&|cents| cents > bound), "(>, x) {bound}");
            }
            let costs = Price::by_cost("a").cost().between(0.001..=0.01).all(&db).await?;
            let wanted = Price::in_partition("a").all(&db).await?;
            let wanted: Vec<Price> = wanted.into_iter().filter(|row| row.cost.is_some_and(|cost| (0.001..=0.01).contains(&cost))).collect();
            assert_eq!(costs, wanted);
            for wrong in [Decimal::new(12_345, 3), Decimal::new(-1, 2), Decimal::from(1_000_000)] {
                let error = all().ge(wrong).all(&db).await.unwrap_err();
                assert_eq!((error.kind(), error.attribute()), (ErrorKind::InvalidKey, Some("price")), "{wrong}");
            }
            Ok(())
        }
    };
}

ranges!(ranges_of_verbatim_keys: [verbatim,]);
ranges!(ranges_of_own_keys: []);

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "bids", key(pk = "B#{price}#{id}"))]
#[dynamo(gsi(by_limit, pk = "L", sk = "{maximum:07.2:last}#{id}"))]
struct Bid {
    id: u32,
    price: Decimal,
    maximum: Option<f64>,
}

async fn an_index_with_a_position_for_none(db: Db) -> Outcome {
    let bid = |id, maximum: Option<f64>| Bid {
        id,
        price: Decimal::new(-125, 2),
        maximum,
    };
    for (id, limit) in [(1, Some(100.25)), (2, None), (3, Some(9.5)), (4, Some(0.0))] {
        bid(id, limit).create().send(&db).await?;
    }
    let ids = |rows: Vec<Bid>| rows.iter().map(|row| row.id).collect::<Vec<_>>();
    assert_eq!(ids(Bid::by_limit().all(&db).await?), [4, 3, 1, 2]);
    assert_eq!(
        ids(Bid::by_limit().maximum().ge(9.5).all(&db).await?),
        [3, 1]
    );
    assert_eq!(
        ids(Bid::by_limit().maximum().missing().all(&db).await?),
        [2]
    );
    let found = Bid::key(Decimal::new(-12_500, 4), 1u32)
        .get()
        .send(&db)
        .await?;
    assert_eq!(found, Some(bid(1, Some(100.25))));
    Ok(())
}

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rates", key(pk = "R#{id}"), unique(by_rate, rate))]
struct Rate {
    id: u32,
    rate: f64,
}

async fn unique_numbers(db: Db) -> Outcome {
    for (id, rate) in [(1, 0.3), (2, 0.1 + 0.2), (3, 0.0), (4, -0.3), (5, 1e21)] {
        Rate { id, rate }.create().send(&db).await?;
        let found = Rate::by_rate(rate).send(&db).await?;
        assert_eq!(found.map(|row| row.id), Some(id));
    }
    let again = Rate { id: 6, rate: 0.3 }.create().send(&db).await;
    assert!(again.unwrap_err().is_unique_violation());
    // The value of an item is unique as it is stored, and DynamoDB has one zero.
    let zero = Rate { id: 6, rate: -0.0 }.create().send(&db).await;
    assert!(zero.unwrap_err().is_unique_violation());
    let zero = Rate::by_rate(-0.0).send(&db).await;
    assert_eq!(zero.unwrap_err().kind(), ErrorKind::InvalidKey);
    Ok(())
}

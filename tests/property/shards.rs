//! Law M3: the shard depends only on the primary key, stands at the end of the partition key and is removed
//! on reading.

#![allow(
    clippy::duplicated_attributes,
    reason = "two indexes may have one number of shards"
)]

use dynamo_entity::Number;
use dynamo_entity::key::KeyHash;
use dynamo_entity::prelude::*;
use proptest::prelude::*;

use crate::{config_of_half, given};

crate::declare! {
    /// An entity with shards in its table and in its indexes.
    entity Spread(table = "spread", key(pk = "T#{tenant}", sk = "{name}#{number}", shards = 7),
        gsi(by_level, pk = "L#{level}", sk = "{name}", shards = 10, read_shards = 20),
        gsi(by_all, pk = "ALL", shards = 3))
        { #[dynamo(skip)] tenant: String, name: String, #[dynamo(skip)] number: u32, level: Option<i8> }
    /// The same entity without shards.
    entity Whole(table = "whole", key(pk = "T#{tenant}", sk = "{name}#{number}"),
        gsi(by_level, pk = "L#{level}", sk = "{name}"))
        { #[dynamo(skip)] tenant: String, name: String, #[dynamo(skip)] number: u32, level: Option<i8> }
}

fn spread() -> impl Strategy<Value = Spread> {
    let parts = (
        given::text(),
        given::text(),
        any::<u32>(),
        any::<Option<i8>>(),
    );
    parts.prop_map(|(tenant, name, number, level)| Spread {
        tenant,
        name,
        number,
        level,
    })
}

fn whole(spread: &Spread) -> Whole {
    Whole {
        tenant: spread.tenant.clone(),
        name: spread.name.clone(),
        number: spread.number,
        level: spread.level,
    }
}

fn text<'i>(item: &'i Item, attribute: &str) -> Option<&'i str> {
    item.get(attribute)?.as_text()
}

/// Bare keys of all types, and a key without a sort key.
macro_rules! bare {
    ($($name:ident: $pk:ty $(, $sk:ident: $ty:ty)?;)*) => {$(
        #[derive(Debug, Clone, PartialEq, DynamoEntity)]
        #[dynamo(table = "bare", key(pk = pk $(, sk = $sk)?))]
        #[dynamo(gsi(by_all, pk = "ALL", shards = 1000))]
        struct $name { pk: $pk $(, $sk: $ty)? }
    )*};
}

bare! {
    Texts: String, sk: String;
    Numbers: Number, sk: i64;
    Bytes: Vec<u8>, sk: Vec<u8>;
    Alone: String;
}

fn shard_of(entity: &impl DynamoEntity) -> Result<String> {
    let item = entity.to_item()?;
    let text = text(&item, "by_all_pk").unwrap_or_default();
    Ok(text.strip_prefix("ALL#").unwrap_or_default().to_owned())
}

proptest! {
    #![proptest_config(config_of_half())]

    #[test]
    fn a_sharded_key_is_the_plain_key_plus_its_shard(left in spread(), right in spread()) {
        let (item, twin) = (left.to_item()?, whole(&left).to_item()?);
        let (pk, sk) = (text(&twin, "pk").unwrap(), text(&twin, "sk").unwrap());
        let hash = KeyHash::of(pk.as_bytes(), Some(sk.as_bytes()));
        let sharded = |base: &str, shards| format!("{base}#{}", hash.shard(shards));

        let expected = sharded(pk, 7);
        prop_assert_eq!(text(&item, "pk"), Some(&*expected), "K6");
        prop_assert_eq!(text(&item, "sk"), Some(sk), "K6");
        let level = text(&twin, "by_level_pk").map(|base| sharded(base, 10));
        prop_assert_eq!(text(&item, "by_level_pk"), level.as_deref());
        prop_assert_eq!(text(&item, "by_level_sk"), text(&twin, "by_level_sk"));
        prop_assert_eq!(text(&item, "by_all_pk"), Some(&*sharded("ALL", 3)));

        let key = Spread::key(&left.tenant, &left.name, left.number);
        prop_assert_eq!(&left.key(), &key, "K6");
        let written = key.to_item()?;
        prop_assert_eq!(text(&written, "pk"), Some(&*expected), "K6");
        let read = Spread::key_from_item(key.to_item()?)?;
        prop_assert_eq!((&read.tenant, &read.name, read.number), (&left.tenant, &left.name, left.number), "K3");
        prop_assert_eq!(&Spread::from_item(item)?, &left, "K3");

        let same = (&left.tenant, &left.name, left.number) == (&right.tenant, &right.name, right.number);
        prop_assert_eq!(left.key() == right.key(), same, "K1");
    }

    /// An item in another shard was stored with another number of shards, so it is refused.
    #[test]
    fn another_shard_is_refused(entity in spread(), shard in 0u16..100) {
        let mut item = entity.to_item()?;
        let pk = text(&item, "pk").unwrap().to_owned();
        let base = pk.rsplit_once('#').unwrap().0;
        let moved = format!("{base}#{shard}");
        item.insert("pk", moved.clone());
        let is_same = moved == pk;
        for read in [
            Spread::from_item(item.clone()).map(drop),
            Spread::key_from_item(item.clone()).map(drop),
        ] {
            prop_assert_eq!(read.is_ok(), is_same, "{} {}", moved, pk);
            if let Err(error) = read {
                prop_assert_eq!((error.kind(), error.key_attribute()), (ErrorKind::KeyMismatch, Some("pk")));
            }
        }
    }

    #[test]
    fn text_is_hashed_as_its_bytes(pk in given::text(), sk in given::text()) {
        let hash = KeyHash::of(pk.as_bytes(), Some(sk.as_bytes()));
        prop_assert_eq!(shard_of(&Texts { pk: pk.clone(), sk })?, hash.shard(1000).to_string());
        let alone = KeyHash::of(pk.as_bytes(), None);
        prop_assert_eq!(shard_of(&Alone { pk })?, alone.shard(1000).to_string());
    }

    #[test]
    fn numbers_are_hashed_as_their_digits(pk in given::number(), sk in any::<i64>()) {
        let hash = KeyHash::of(pk.as_str().as_bytes(), Some(sk.to_string().as_bytes()));
        prop_assert_eq!(shard_of(&Numbers { pk, sk })?, hash.shard(1000).to_string());
    }

    #[test]
    fn binary_is_hashed_as_it_is(pk in prop::collection::vec(any::<u8>(), 1..60), sk in prop::collection::vec(any::<u8>(), 1..60)) {
        let hash = KeyHash::of(&pk, Some(&sk));
        prop_assert_eq!(shard_of(&Bytes { pk, sk })?, hash.shard(1000).to_string());
    }
}

/// These numbers must never change, because stored items lie in these shards.
#[test]
fn shard_numbers_never_change() {
    for (pk, sk, hash, of_10) in [
        (
            "USER#ann",
            Some("ORDER#00000007"),
            0x5438_5738_d9be_982a_u64,
            4u16,
        ),
        ("USER#ann", None, 0x5a4b_e2a7_3eb5_e187, 1),
        ("4711", Some("-5"), 0xe34b_39bf_46f2_9b5c, 4),
        ("ü", Some("a%23b"), 0xdac9_24e3_bf25_d558, 6),
    ] {
        let found = KeyHash::of(pk.as_bytes(), sk.map(str::as_bytes));
        assert_eq!(
            (found.number(), found.shard(10)),
            (hash, of_10),
            "{pk} {sk:?}"
        );
    }
    assert_eq!(
        KeyHash::of(b"a", Some(b"b")).number(),
        KeyHash::of(b"a\0b", None).number()
    );
    assert_eq!(KeyHash::of(b"a", None).shard(1), 0);
}

/// Consecutive keys of a thousand users fill ten shards evenly, within six standard deviations.
#[test]
fn shards_fill_evenly() -> Result<()> {
    let mut filled = [0u32; 10];
    for number in 0..10_000 {
        let entity = Spread {
            tenant: format!("user-{}", number / 10),
            name: "order".into(),
            number,
            level: Some(1),
        };
        let item = entity.to_item()?;
        let (_, shard) = text(&item, "by_level_pk")
            .unwrap()
            .rsplit_once('#')
            .unwrap();
        filled[shard.parse::<usize>().unwrap()] += 1;
    }
    assert!(
        filled.iter().all(|count| (820..=1180).contains(count)),
        "{filled:?}"
    );
    Ok(())
}

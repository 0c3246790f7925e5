//! Vectors come back bit by bit, and what is no vector is rejected.

use dynamo_entity::prelude::*;
use dynamo_entity::{Number, Value};
use proptest::prelude::*;

use crate::config;

const LENGTH: usize = 5;

#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "vectors", key(pk = id))]
struct Holder {
    id: u32,
    at: Vector<LENGTH>,
    other: Option<Vector<1>>,
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn vectors_come_back(bits: [u32; LENGTH], other: Option<u32>) {
        let numbers = bits.map(f32::from_bits);
        let vector = Vector::try_from(numbers);
        if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
            let told = vector.unwrap_err().to_string();
            prop_assert!(told.contains(&format!("number {at} of the vector")), "{}", told);
            return Ok(());
        }
        let vector = vector?;
        let other = other.map(f32::from_bits).filter(|number| number.is_finite());
        let holder = Holder { id: 1, at: vector.clone(), other: other.map(|number| Vector::try_from([number])).transpose()? };
        let item = holder.to_item()?;
        let read = Holder::from_item(item)?;
        prop_assert_eq!(&read, &holder);
        for (read, written) in read.at.iter().zip(&numbers) {
            // One zero is stored, without a sign.
            let is_same = read.to_bits() == written.to_bits() || *read == 0.0 && *written == 0.0;
            prop_assert!(is_same, "{} {}", read, written);
        }
        prop_assert_eq!(Vector::<LENGTH>::try_from(numbers.to_vec())?, vector);
    }

    #[test]
    fn other_lengths_are_rejected(length in 0..12_usize) {
        let numbers = vec![0.5_f32; length];
        prop_assert_eq!(Vector::<LENGTH>::try_from(numbers.clone()).is_ok(), length == LENGTH);
        let half: Number = "0.5".parse()?;
        let list: Vec<Value> = numbers.iter().map(|_| half.clone().into()).collect();
        let mut item = Item::new();
        item.insert("id", 1_u32);
        item.insert("at", list);
        let read = Holder::from_item(item);
        prop_assert_eq!(read.is_ok(), length == LENGTH);
        if let Err(error) = read {
            let told = error.to_string();
            prop_assert!(told.contains("a vector of 5 numbers") && told.contains(&format!("{length} numbers")), "{}", told);
        }
    }
}

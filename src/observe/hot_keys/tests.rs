//! The hottest of many partitions, in the memory that it may take.

use std::collections::HashMap;

use super::*;

static PATTERN: Pattern = Pattern::alone("Order", "get");

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    /// From 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A partition by its number, as requests name it.
fn json(number: usize) -> String {
    format!("{{\"S\":\"CUSTOMER#{number:08}\"}}")
}

/// A million accesses of 100,000 partitions, of which the nth is accessed one nth as often as the first.
#[test]
fn the_hottest_of_a_million_is_found_in_64_kilobytes() {
    const ALL: u64 = 1_000_000;
    let mut shares = Vec::with_capacity(100_000);
    let mut sum = 0.0;
    for rank in 1..=100_000 {
        sum += 1.0 / f64::from(rank);
        shares.push(sum);
    }
    let (mut dice, mut exact) = (Dice(0x9e37_79b9_7f4a_7c15), HashMap::<usize, u64>::new());
    let accesses: Vec<usize> = (0..ALL)
        .map(|_| {
            let at = dice.next() * sum;
            shares.partition_point(|share| *share < at)
        })
        .collect();
    for access in &accesses {
        *exact.entry(*access).or_default() += 1;
    }
    let mut counts = None;
    let used = allocation_counter::measure(|| {
        let mut sketch = HotCounts::new(PARTITIONS);
        for access in &accesses {
            let json = json(*access);
            sketch.count_key(&PATTERN, &PartitionKey::of("orders", json.as_bytes()));
        }
        counts = Some(sketch);
    });
    assert!(
        used.bytes_current <= 64 * 1024,
        "{} bytes",
        used.bytes_current
    );
    let top = counts.unwrap().hottest_partitions(10, |_| true);
    assert_eq!(&*top[0].partition, "CUSTOMER#00000000");
    for hot in &top {
        let number: usize = hot.partition[9..].parse().unwrap();
        let exact = exact[&number];
        assert!(
            hot.at_least <= exact && exact <= hot.at_most,
            "{hot:?} {exact}"
        );
        assert!(hot.at_most - hot.at_least <= ALL / PARTITIONS as u64);
    }
    // The first ten are far enough apart to be told.
    let numbers: Vec<_> = top
        .iter()
        .map(|hot| hot.partition[9..].to_owned())
        .collect();
    assert!(
        numbers[..5]
            .iter()
            .all(|number| number < &"00000010".to_owned()),
        "{numbers:?}"
    );
}

#[test]
fn long_keys_are_cut_and_told_apart() {
    let mut counts = HotCounts::new(4);
    let long = |end: char| format!("{{\"S\":\"{}{end}\"}}", "ä".repeat(500));
    for end in ['a', 'b', 'b'] {
        counts.count_key(&PATTERN, &PartitionKey::of("orders", long(end).as_bytes()));
    }
    let top = counts.hottest_partitions(9, |_| true);
    assert_eq!(
        top.iter().map(|hot| hot.at_most).collect::<Vec<_>>(),
        [2, 1]
    );
    assert_eq!(&*top[0].partition, "ä".repeat(48));
    assert!(!format!("{top:?}").contains('ä'));
}

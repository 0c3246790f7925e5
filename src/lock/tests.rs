//! Laws of the lock file, for random models.

mod merge;
mod random;

use fastrand::Rng;

use super::blocks::sum;
use super::compare::changes;
use super::text::{read, text};
use crate::random_cases;
use crate::schema::TableSchema;
use merge::merged;
use random::RandomModel;

fn read_back(model: &[TableSchema], seed: u64) -> Vec<TableSchema> {
    let text = text(model);
    read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"))
}

#[test]
fn every_model_is_read_back() {
    for seed in 0..random_cases(1_000) {
        let model = RandomModel(Rng::with_seed(seed)).model();
        assert_eq!(
            read_back(&model, seed),
            model,
            "seed {seed}\n{}",
            text(&model)
        );
    }
}

/// A checkout of Windows, an editor that takes the last end of line off, and blocks in another order.
#[test]
fn what_says_the_same_is_read_alike() {
    for seed in 0..random_cases(300) {
        let model = RandomModel(Rng::with_seed(seed)).model();
        let text = text(&model);
        let read =
            |text: &str| read(text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(read(&text.replace('\n', "\r\n")), model);
        assert_eq!(read(text.trim_end()), model);
        let (head, blocks) = text.split_once("\n\n").unwrap();
        let mut blocks: Vec<&str> = blocks
            .strip_suffix("end\n")
            .unwrap()
            .split_terminator("\n\n")
            .collect();
        blocks.reverse();
        assert_eq!(
            read(&format!("{head}\n\n{}\n\nend\n", blocks.join("\n\n"))),
            model
        );
    }
}

/// Two models have a change between them if they are not equal, and else none.
#[test]
fn equal_models_alone_have_no_change() {
    for seed in 0..random_cases(8_000) {
        let mut random = RandomModel(Rng::with_seed(seed));
        let old = random.model();
        assert_eq!(changes(&old, &old), [], "seed {seed}");
        let new = random.changed(&old);
        let found = changes(&old, &new);
        assert_eq!(
            found.is_empty(),
            old == new,
            "seed {seed}\n{}\n{}",
            text(&old),
            text(&new)
        );
        assert_eq!(changes(&new, &old).is_empty(), old == new, "seed {seed}");
        for change in found {
            assert!(
                !change.what().is_empty() && !change.steps().is_empty(),
                "{change}"
            );
        }
    }
}

/// A line that is lost, doubled, moved or changed by one character is an error, or shows as a change.
#[test]
fn every_line_counts() {
    for seed in 0..random_cases(100) {
        let mut random = RandomModel(Rng::with_seed(seed));
        let model = random.model();
        let text = text(&model);
        let lines: Vec<&str> = text.lines().collect();
        for at in
            (0..lines.len()).filter(|at| !lines[*at].is_empty() && !lines[*at].starts_with('#'))
        {
            for changed in random.broken(&lines, at) {
                let Ok(found) = read(&changed.join("\n")) else {
                    continue;
                };
                let says_the_same = changed
                    .iter()
                    .filter(|line| !line.is_empty())
                    .eq(lines.iter().filter(|line| !line.is_empty()));
                assert!(
                    says_the_same || !changes(&found, &model).is_empty(),
                    "seed {seed}, line {}: {:?}\n{text}",
                    at + 1,
                    changed.join("\n")
                );
            }
        }
    }
}

/// A sum can be forged, or be that of another version. Even so one fact has one place and one spelling.
#[test]
fn facts_are_spelt_in_one_way() {
    let mut refused = 0;
    for seed in 0..random_cases(300) {
        let mut random = RandomModel(Rng::with_seed(seed));
        let model = random.model();
        let text = text(&model);
        let mut blocks = text.split("\n\n").skip(1).filter(|block| block.len() > 5);
        let Some(block) = blocks.next() else {
            continue;
        };
        let is_fact = |line: &&str| !line.starts_with("  entity ") && !line.starts_with("  sum ");
        let facts: Vec<&str> = block.lines().filter(is_fact).collect();
        let listed: Vec<&str> = block
            .lines()
            .filter(|line| line.starts_with("  entity "))
            .collect();
        for at in 1..facts.len() {
            let (mut doubled, mut moved, mut spaced) =
                (facts.clone(), facts.clone(), facts.clone());
            doubled.insert(at, facts[at]);
            moved.swap(at, facts.len() - 1);
            let wide = format!("{} ", facts[at]);
            spaced[at] = &wide;
            for forged in [doubled, moved, spaced]
                .iter()
                .filter(|forged| **forged != facts)
            {
                let (header, rest) = forged.split_first().unwrap();
                let lines = [header].into_iter().chain(&listed).chain(rest);
                let lines: Vec<&str> = lines.copied().collect();
                let sum = sum(forged.iter().copied());
                let forged = format!("{}\n  sum {sum}", lines.join("\n"));
                let found = read(&text.replacen(block, &forged, 1));
                refused += u32::from(found.is_err());
                assert_ne!(found.ok(), Some(model.clone()), "seed {seed}\n{forged}");
            }
        }
    }
    assert!(refused > random_cases(1_000), "{refused}");
}

/// Two branches change a model, and a tool that knows lines alone merges their files: what comes out holds the changes of
/// both, or is rejected, by the tool or by the library.
#[test]
fn merges_are_right_or_refused() {
    let (mut clean, mut refused) = (0, 0);
    for seed in 0..random_cases(1_500) {
        let mut random = RandomModel(Rng::with_seed(seed));
        let base = random.model();
        let (ours, theirs) = (random.changed(&base), random.changed(&base));
        let Some(lines) = merged(&text(&base), &text(&ours), &text(&theirs)) else {
            refused += 1;
            continue;
        };
        match read(&lines) {
            Ok(found) => {
                clean += 1;
                let expected = merge::of_models(&base, &ours, &theirs);
                assert_eq!(Some(found), expected, "seed {seed}\n{lines}");
            }
            Err(_) => refused += 1,
        }
    }
    assert!(
        clean > random_cases(300) && refused > random_cases(30),
        "{clean} clean, {refused} refused"
    );
}

/// Changes to entities that exist, each branch another one, do not meet.
#[test]
fn branches_that_change_different_entities_merge() {
    let mut count = 0;
    for seed in 0..random_cases(1_000) {
        let mut random = RandomModel(Rng::with_seed(seed));
        let base = random.model();
        let names: Vec<(String, String)> = base
            .iter()
            .flat_map(|table| {
                let entities = table.entities.iter();
                entities.map(|entity| (table.name.clone(), entity.stored_name.clone()))
            })
            .collect();
        let [first, second, ..] = &names[..] else {
            continue;
        };
        let mut change = |(table, name): &(String, String)| {
            let mut changed = base.clone();
            let mut tables = changed.iter_mut().filter(|found| found.name == *table);
            let mut entities = tables.next().unwrap().entities.iter_mut();
            let entity = entities.find(|entity| entity.stored_name == *name).unwrap();
            *entity = random.entity_named(name.clone());
            changed
        };
        let (ours, theirs) = (change(first), change(second));
        let lines = merged(&text(&base), &text(&ours), &text(&theirs));
        let lines = lines.unwrap_or_else(|| {
            panic!(
                "seed {seed}: {first:?} and {second:?} meet\n{}",
                text(&base)
            )
        });
        assert_eq!(
            read(&lines).ok(),
            merge::of_models(&base, &ours, &theirs),
            "seed {seed}\n{lines}"
        );
        count += 1;
    }
    assert!(count > random_cases(300), "{count}");
}

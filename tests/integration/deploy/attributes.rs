//! Key attributes whose types change: the order of a plan beside all orders that DynamoDB accepts.

use std::collections::{BTreeMap, BTreeSet};

use dynamo_entity::deploy::{ChangeKind, Deletion, TableChange, TablePlan};
use dynamo_entity::prelude::*;
use dynamo_entity::schema::TableSchema;
use fastrand::Rng;

use super::{FORGETS_SHARED_ATTRIBUTES, apply, assert_no_writes, count};
use crate::support::db::Db;
use crate::support::engine::Kind;
use crate::support::suite::Outcome;

/// A table with these global indexes, each on one attribute or two, and maybe a local one.
fn table(indexes: &[Index], local: Option<(&str, &str)>) -> TableSchema {
    let global: Vec<String> = indexes.iter().map(Index::json).collect();
    let local = local.map(|(name, ty)| {
        format!(
            r#""local_indexes":[{{"name":"lsi-0","pk":[{{"name":"pk","type":"S"}}],"sk":[{{"name":"{name}","type":"{ty}"}}],"projection":"all"}}],"#
        )
    });
    let text = format!(
        r#"{{"format":1,"name":"typed","pk":{{"name":"pk","type":"S"}},"sk":{{"name":"sk","type":"S"}},"keys":"escaped","global_indexes":[{}],{}"settings":{{}}}}"#,
        global.join(","),
        local.unwrap_or_default()
    );
    TableSchema::from_json(&text).expect("a schema")
}

/// A global index with the types of its key attributes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Index {
    name: String,
    keys: Vec<(String, &'static str)>,
}

impl Index {
    fn new(name: &str, keys: &[(&str, &'static str)]) -> Self {
        let keys = keys.iter().map(|(name, ty)| ((*name).to_owned(), *ty));
        Index {
            name: name.to_owned(),
            keys: keys.collect(),
        }
    }

    fn json(&self) -> String {
        let key = |at: usize| {
            self.keys
                .get(at)
                .map(|(name, ty)| format!(r#"[{{"name":"{name}","type":"{ty}"}}]"#))
        };
        let sk = key(1).map(|sk| format!(r#""sk":{sk},"#));
        format!(
            r#"{{"name":"{}","pk":{},{}"projection":"all"}}"#,
            self.name,
            key(0).unwrap_or_default(),
            sk.unwrap_or_default()
        )
    }
}

/// DynamoDB's rule, as it is documented: all keys of a table and of its indexes are defined once, each with one type.
fn accepts<'i>(fixed: &[(String, &'static str)], indexes: impl Iterator<Item = &'i Index>) -> bool {
    let mut types: BTreeMap<&str, &str> = BTreeMap::new();
    let keys = fixed.iter().chain(indexes.flat_map(|index| &index.keys));
    let mut all = keys.map(|(name, ty)| *types.entry(name).or_insert(ty) == *ty);
    all.all(|is_same| is_same)
}

/// One action of `UpdateTable`.
#[derive(Debug, Clone, PartialEq)]
enum Action {
    Add(Index),
    Remove(String),
}

/// A table before and after, with what never changes.
struct Typed {
    fixed: Vec<(String, &'static str)>,
    local: Option<(String, &'static str)>,
    before: Vec<Index>,
    after: Vec<Index>,
}

impl Typed {
    fn random(seed: u64) -> Typed {
        let mut rng = Rng::with_seed(seed);
        let types = ["S", "N", "B"];
        let shares = !FORGETS_SHARED_ATTRIBUTES.contains(&Kind::here());
        let mut free: Vec<String> = (0..5).map(|at| format!("a{at}")).collect();
        rng.shuffle(&mut free);
        let mut known: BTreeMap<String, &'static str> = BTreeMap::new();
        let mut before = Vec::new();
        for at in 0..rng.usize(1..4) {
            let mut keys = Vec::new();
            for _ in 0..rng.usize(1..3) {
                // The server forgets attributes that several indexes had.
                let name = match shares {
                    true => free[rng.usize(..free.len())].clone(),
                    false => free.pop().expect("there are enough"),
                };
                if keys.iter().any(|(other, _)| *other == name) {
                    continue;
                }
                let ty = *known
                    .entry(name.clone())
                    .or_insert_with(|| types[rng.usize(..3)]);
                keys.push((name, ty));
            }
            let name = format!("old-{at}");
            before.push(Index { name, keys });
            if free.len() < 2 {
                break;
            }
        }
        let local = (rng.u8(..4) == 0).then(|| ("a9".to_owned(), types[rng.usize(..3)]));
        let mut after: Vec<Index> = Vec::new();
        let mut types_after: BTreeMap<String, &'static str> = BTreeMap::new();
        for index in &before {
            if rng.u8(..3) == 0 {
                types_after.extend(index.keys.iter().cloned());
                after.push(index.clone());
            }
        }
        for at in 0..rng.usize(..4) {
            let mut keys: Vec<(String, &'static str)> = Vec::new();
            for _ in 0..rng.usize(1..3) {
                let number = [0, 1, 2, 3, 4, 9][rng.usize(..6)];
                let name = format!("a{number}");
                if keys.iter().any(|(other, _)| *other == name) {
                    continue;
                }
                let ty = *types_after
                    .entry(name.clone())
                    .or_insert_with(|| types[rng.usize(..3)]);
                keys.push((name, ty));
            }
            let name = format!("new-{at}");
            after.push(Index { name, keys });
        }
        rng.shuffle(&mut after);
        let mut fixed = vec![("pk".to_owned(), "S"), ("sk".to_owned(), "S")];
        fixed.extend(local.clone());
        Typed {
            fixed,
            local,
            before,
            after,
        }
    }

    fn before(&self) -> TableSchema {
        let local = self.local.as_ref().map(|(name, ty)| (name.as_str(), *ty));
        table(&self.before, local)
    }

    /// The local index is somebody else's.
    fn after(&self) -> TableSchema {
        table(&self.after, None)
    }

    fn added(&self) -> Vec<Index> {
        let is_new = |index: &&Index| !self.before.contains(index);
        self.after.iter().filter(is_new).cloned().collect()
    }

    fn removed(&self) -> Vec<Index> {
        let is_gone = |index: &&Index| !self.after.contains(index);
        self.before.iter().filter(is_gone).cloned().collect()
    }

    /// Whether the service takes each of these, one after the other.
    fn takes(&self, actions: &[Action]) -> bool {
        let mut now: BTreeSet<Index> = self.before.iter().cloned().collect();
        actions.iter().all(|action| {
            match action {
                Action::Add(index) => drop(now.insert(index.clone())),
                Action::Remove(name) => now.retain(|index| index.name != *name),
            }
            accepts(&self.fixed, now.iter())
        })
    }

    /// The fewest removals that an accepted order has before its last addition; None if no order is accepted.
    fn fewest_removals_first(&self) -> Option<usize> {
        let added = self.added().into_iter().map(Action::Add);
        let removed = self.removed().into_iter();
        let removed = removed.map(|index| Action::Remove(index.name));
        let actions: Vec<Action> = added.chain(removed).collect();
        let mut fewest = None;
        orders(&actions, &mut Vec::new(), &mut |order| {
            if self.takes(order) {
                let first = removals_first(order);
                fewest = Some(fewest.map_or(first, |known: usize| known.min(first)));
            }
        });
        fewest
    }
}

fn removals_first(order: &[Action]) -> usize {
    let last = order
        .iter()
        .rposition(|action| matches!(action, Action::Add(_)));
    let before = order.get(..last.unwrap_or_default()).unwrap_or_default();
    let removals = before
        .iter()
        .filter(|action| matches!(action, Action::Remove(_)));
    removals.count()
}

/// All orders of these actions.
fn orders(left: &[Action], taken: &mut Vec<Action>, seen: &mut impl FnMut(&[Action])) {
    if left.is_empty() {
        seen(taken);
    }
    for (at, action) in left.iter().enumerate() {
        let mut rest = left.to_vec();
        rest.remove(at);
        taken.push(action.clone());
        orders(&rest, taken, seen);
        taken.pop();
    }
}

/// The changes of indexes in a plan, in its order.
fn actions(plan: &TablePlan, after: &[Index]) -> Vec<Action> {
    let steps = plan.steps().filter_map(|step| match &step.change {
        TableChange::AddIndex(name) => {
            let added = after.iter().find(|index| index.name == *name);
            Some(Action::Add(added.expect("a declared index").clone()))
        }
        TableChange::RemoveIndex(name) => Some(Action::Remove(name.clone())),
        _ => None,
    });
    steps.collect()
}

/// Asks the service for the types of key attributes without the library.
async fn assert_types(db: &Db, after: &[Index]) -> Outcome {
    let name = format!("{}-typed", db.prefix());
    let table = db.client().describe_table().table_name(&name);
    let table = table.send().await?.table.ok_or("no table")?;
    let there: BTreeMap<&str, &str> = table
        .attribute_definitions()
        .iter()
        .map(|known| (known.attribute_name(), known.attribute_type().as_str()))
        .collect();
    for index in after {
        for (name, ty) in &index.keys {
            assert_eq!(there.get(name.as_str()), Some(ty), "{index:?}: {there:?}");
        }
    }
    let indexes = table.global_secondary_indexes().iter();
    let indexes: BTreeSet<&str> = indexes.filter_map(|index| index.index_name()).collect();
    let wanted: BTreeSet<&str> = after.iter().map(|index| index.name.as_str()).collect();
    assert!(indexes.is_superset(&wanted), "{indexes:?} {wanted:?}");
    Ok(())
}

async fn delete(db: &Db) -> Outcome {
    let name = format!("{}-typed", db.prefix());
    db.client().delete_table().table_name(&name).send().await?;
    Ok(())
}

pub(super) async fn types_of_key_attributes_may_change(db: Db) -> Outcome {
    for seed in 0..count(1000) {
        become_other(&db, &Typed::random(seed))
            .await
            .map_err(|error| format!("seed {seed}: {error}"))?;
    }
    Ok(())
}

async fn become_other(db: &Db, typed: &Typed) -> Outcome {
    db.create_tables([typed.before()]).await?;
    let plan = db.plan([typed.after()]).await?;
    let fewest = typed.fewest_removals_first();
    let is_possible = !plan.steps().any(|step| step.kind == ChangeKind::Replace);
    assert_eq!(is_possible, fewest.is_some(), "{plan}");
    let (watched, http) = db.faulty([]);
    let Some(fewest) = fewest else {
        let refused = apply(&watched, &plan).await.expect_err("no order is taken");
        assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
        assert_no_writes(&http, "what cannot be is tried");
        return delete(db).await;
    };
    let planned = actions(&plan, &typed.after);
    assert!(typed.takes(&planned), "{plan}");
    assert_eq!(removals_first(&planned), fewest, "{plan}");
    // Without a loss, either all that is added is accepted, or nothing is begun.
    let added: Vec<Action> = typed.added().into_iter().map(Action::Add).collect();
    let kept = plan.apply(&watched).keeping_the_rest().await;
    match typed.takes(&added) {
        true => {
            kept?;
            assert_types(db, &typed.after).await?;
        }
        false => {
            let refused = kept.expect_err("a loss has to be named");
            assert_eq!(refused.kind(), ErrorKind::SchemaMismatch, "{refused}");
            assert_no_writes(&http, "what is not accepted is tried");
        }
    }
    apply(db, &plan)
        .await
        .map_err(|error| format!("{error}\n{plan}"))?;
    assert_types(db, &typed.after).await?;
    let left = db.plan([typed.after()]).await?;
    assert!(left.is_empty(), "{plan}\nand then\n{left}");
    delete(db).await
}

/// The index that goes is named, and what comes in its place is told.
pub(super) async fn an_index_takes_over_an_attribute_of_another_type(db: Db) -> Outcome {
    let before = table(&[Index::new("one", &[("state", "N")])], None);
    let after = table(&[Index::new("two", &[("state", "S")])], None);
    db.create_tables([before]).await?;
    let plan = db.plan([after.clone()]).await?;
    let changes: Vec<_> = plan.steps().map(|step| step.change.clone()).collect();
    assert_eq!(
        changes,
        [
            TableChange::RemoveIndex("one".into()),
            TableChange::AddIndex("two".into())
        ]
    );
    let one = Deletion::index("typed", "one");
    let steps: Vec<_> = plan.steps().collect();
    assert_eq!(
        (&steps[0].after, &steps[1].after),
        (&vec![], &vec![one.clone()])
    );
    let text = plan.to_string();
    for words in [
        "until the new one is filled",
        "only after: index `one` is removed",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (watched, http) = db.faulty([]);
    let unnamed = plan.apply(&watched).await.expect_err("a loss has no name");
    assert!(unnamed.to_string().contains("Deletion::index"), "{unnamed}");
    let kept = plan.apply(&watched).keeping_the_rest().await;
    let kept = kept.expect_err("it cannot be beside the other").to_string();
    for words in ["`two`", "`state` is S", "`one` has it as N", "another name"] {
        assert!(kept.contains(words), "{words}: {kept}");
    }
    let added = watched.add_indexes([after.clone()]).await;
    let added = added.expect_err("it cannot be added").to_string();
    assert!(added.contains("`one` has it as N"), "{added}");
    assert_no_writes(&http, "a refused plan writes");
    plan.apply(&db).allow(one).await?;
    assert_types(&db, &[Index::new("two", &[("state", "S")])]).await?;
    assert!(db.plan([after]).await?.is_empty());
    Ok(())
}

/// A local index stays as long as its table, whoever made it.
pub(super) async fn an_attribute_of_a_local_index_keeps_its_type(db: Db) -> Outcome {
    let before = table(&[], Some(("state", "N")));
    let after = table(&[Index::new("two", &[("state", "S")])], None);
    db.create_tables([before]).await?;
    let plan = db.plan([after.clone()]).await?;
    let kinds: Vec<_> = plan.steps().map(|step| step.kind).collect();
    assert_eq!(kinds, [ChangeKind::Replace], "{plan}");
    let (watched, http) = db.faulty([]);
    for refused in [
        plan.apply(&watched).await.expect_err("it is never done"),
        watched
            .add_indexes([after.clone()])
            .await
            .expect_err("it is never done"),
        watched
            .create_tables([after])
            .await
            .expect_err("it cannot be added"),
    ] {
        let says = refused.to_string();
        for words in ["local index `lsi-0` has it as N", "another name"] {
            assert!(says.contains(words), "{words}: {says}");
        }
    }
    assert_no_writes(&http, "what cannot be is tried");
    Ok(())
}

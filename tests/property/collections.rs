//! Laws K4 and V3: a collection reads the rows of a partition, each as its entity. A model checks the result.

use std::collections::BTreeMap;

use dynamo_entity::prelude::*;
use dynamo_entity::query::InTable;
use dynamo_entity::{Query, Value};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::given;
use crate::queries::{on_the_engine, sample};

crate::declare! {
    table Wood(name = "wood", pk = "pk", sk = "sk", entities(Root, Leaf, Twig, Stone));
    entity Root(table = Wood, key(pk = "T#{tree}", sk = "ROOT")) { tree: String }
    entity Leaf(table = Wood, key(pk = "T#{tree}", sk = "LEAF#{name}")) { tree: String, name: String }
    /// The sort keys of twigs sort between those of leaves.
    entity Twig(table = Wood, key(pk = "T#{tree}", sk = "LEAF#{name}#{number}"))
        { tree: String, name: String, number: i8 }
    entity Stone(table = Wood, key(pk = "STONE#{name}", sk = "ROOT")) { name: String }
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Wood, partition(tree))]
enum Tree {
    Root(Root),
    Leaf(Leaf),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Wood, partition(tree))]
enum Grown {
    Leaf(Leaf),
    #[dynamo(other)]
    Other(Item),
}

#[derive(Debug, Clone, PartialEq, DynamoCollection)]
#[dynamo(table = Wood)]
enum All {
    Root(Root),
    Leaf(Leaf),
    Twig(Twig),
    Stone(Stone),
}

/// A row that no entity wrote: its type is unknown, or it has none.
fn stranger(tree: &str, name: &str, typed: bool) -> Item {
    let root = Root { tree: tree.into() };
    let mut item = root.to_item().unwrap();
    item.insert("sk", format!("LEAF!{name}"));
    item.remove("_type");
    if typed {
        item.insert("_type", name);
    }
    item
}

fn item() -> impl Strategy<Value = Item> {
    let tree = || prop_oneof![3 => Just("a".to_owned()), 1 => given::text()];
    (0u8..7, tree(), given::text(), any::<i8>()).prop_map(|(kind, tree, name, number)| {
        let item = match kind {
            0 => Root { tree }.to_item(),
            1 | 2 => Leaf { tree, name }.to_item(),
            3 => Twig { tree, name, number }.to_item(),
            4 => Stone { name: tree }.to_item(),
            kind => Ok(stranger(&tree, &name, kind == 5)),
        };
        item.unwrap()
    })
}

type Stored = BTreeMap<(String, String), Item>;

fn text(item: &Item, name: &str) -> String {
    let text = item.get(name).and_then(Value::as_text);
    text.unwrap_or_default().to_owned()
}

/// The items of a partition, in the order of the bytes of the sort key.
fn partition(stored: &Stored, pk: &str) -> Vec<Item> {
    let own = stored.iter().filter(|((own, _), _)| own == pk);
    own.map(|(_, item)| item.clone()).collect()
}

/// What a lenient read returns: an item for each row that decodes, and `None` for each one that does not.
fn shown<C: DynamoCollection>(rows: Vec<Result<C>>) -> Vec<Option<Item>> {
    let item = |row: C| row.to_item().unwrap();
    rows.into_iter().map(|row| row.ok().map(item)).collect()
}

fn wanted(items: &[Item], known: &[&str], left_out: &[&str]) -> Vec<Option<Item>> {
    let ty = |item: &Item| text(item, "_type");
    let rows = items.iter().filter(|item| !left_out.contains(&&*ty(item)));
    rows.map(|item| known.contains(&&*ty(item)).then(|| item.clone()))
        .collect()
}

/// All read verbs return the same rows.
async fn agree<C: DynamoCollection>(
    db: &Dynamo,
    q: Query<C, InTable>,
    rows: &[Option<Item>],
) -> Result<()> {
    assert_eq!(q.clone().count(db).await?, rows.len() as u64);
    assert_eq!(q.clone().all(db).await.is_ok(), !rows.contains(&None));
    let q = q.lenient();
    assert_eq!(shown(q.clone().all(db).await?), rows);
    let mut down = shown(q.clone().descending().page_size(2).all(db).await?);
    down.reverse();
    assert_eq!(down, rows);
    let mut paged = Vec::new();
    let mut cursor = None;
    loop {
        let page = q.clone().limit(2).resume(cursor).page(db).await?;
        let full = paged.len() + 2 <= rows.len();
        assert!(!full || page.rows.len() == 2);
        paged.extend(shown(page.rows));
        assert_eq!(page.next.is_some(), paged.len() < rows.len());
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, rows);
    Ok(())
}

#[test]
fn a_collection_is_what_the_partition_holds() {
    on_the_engine(|db, runner| {
        let items = sample(vec(item(), 1..20), runner);
        let key = |item: &Item| (text(item, "pk"), text(item, "sk"));
        let stored: Stored = items.into_iter().map(|item| (key(&item), item)).collect();
        async move {
            db.create_tables([Wood::schema()]).await?;
            let table = Wood::schema().name;
            for item in stored.values() {
                let put = db.client().put_item().table_name(&table);
                let put = put.set_item(Some(item.clone().into())).send().await;
                put.expect("a planted item");
            }
            let mut trees: Vec<String> = stored.values().map(|item| text(item, "tree")).collect();
            trees.push("a".to_owned());
            trees.retain(|tree| !tree.is_empty());
            trees.dedup();
            for tree in trees {
                let pk = Root { tree: tree.clone() }.to_item()?;
                let rows = partition(&stored, &text(&pk, "pk"));
                let all: Vec<Option<Item>> = rows.iter().cloned().map(Some).collect();
                agree(&db, Grown::in_partition(&tree), &all).await?;
                let rows = wanted(&rows, &["Root", "Leaf"], &["Twig"]);
                agree(&db, Tree::in_partition(&tree), &rows).await?;
            }
            let whole: Vec<Item> = stored.values().cloned().collect();
            let mut rows = wanted(&whole, &["Root", "Leaf", "Twig", "Stone"], &[]);
            let mut found = shown(All::scan().lenient().all(&db).await?);
            let order = |row: &Option<Item>| row.as_ref().map(&key);
            rows.sort_by_key(order);
            found.sort_by_key(order);
            assert_eq!(found, rows);
            for (pk, sk) in stored.keys() {
                let delete = db.client().delete_item().table_name(&table);
                let key: Item = [("pk", pk.as_str()), ("sk", sk)].into_iter().collect();
                let delete = delete.set_key(Some(key.into())).send().await;
                delete.expect("a deleted item");
            }
            Ok(())
        }
    });
}

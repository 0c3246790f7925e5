//! The series: what grows in each.

use std::collections::BTreeMap;
use std::hint::black_box;

use dynamo_entity::__private::{from_json, to_json};
use dynamo_entity::Value;
use dynamo_entity::expr::{Condition, all, any};
use dynamo_entity::prelude::*;
use dynamo_entity::transact::UnitOfWork;

use super::wide::{Wide10, Wide100, Wide400};
use super::{Bench, Ending, FEWER, FIELDS, Measured, SIZES, Series};

/// An item of lists, maps and attributes without fields.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "docs", key(pk = id))]
struct Doc {
    id: u32,
    list: Vec<u32>,
    map: BTreeMap<String, u32>,
    #[dynamo(rest)]
    rest: Item,
}

/// A row of many partitions.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "rows", key(pk = name, sk = number))]
struct Row {
    name: u32,
    number: u32,
}

/// A value that no two items share.
#[derive(Debug, Clone, PartialEq, DynamoEntity)]
#[dynamo(table = "members", key(pk = "M#{id}"), unique(by_email, email))]
struct Member {
    id: u32,
    email: String,
}

fn doc(id: u32) -> Doc {
    Doc {
        id,
        list: Vec::new(),
        map: BTreeMap::new(),
        rest: Item::new(),
    }
}

fn name(at: u32) -> String {
    format!("attribute-{at}")
}

fn value(at: u32) -> Value {
    u64::from(at).into()
}

/// A doc with so many attributes without fields.
fn broad(size: u32) -> Doc {
    let mut broad = doc(size);
    for at in 0..size {
        broad.rest.insert(name(at), u64::from(at));
    }
    broad
}

/// The same after each third attribute has changed, some have gone and others have come.
fn changed(mut doc: Doc) -> Doc {
    for at in (0..doc.id).step_by(3) {
        match at % 2 {
            0 => doc.rest.insert(name(at), 7_u64),
            _ => doc.rest.remove(&name(at)),
        };
        doc.rest.insert(name(at + doc.id), 8_u64);
    }
    doc
}

/// The item of that id, as the server sends it.
pub(super) fn stored(id: u32) -> String {
    let json = to_json(&broad(id)).expect("it fits");
    String::from_utf8(json).expect("JSON")
}

/// A series of a work that needs no preparation.
macro_rules! series {
    ($name:literal, $sizes:ident, $work:expr) => {
        Series {
            name: $name,
            sizes: $sizes,
            work: |_, size| Box::new(move |bench| $work(bench, size)),
        }
    };
}

pub const SERIES: &[Series] = &[
    series!("changes of attributes", SIZES, |bench: &Bench, size| {
        let update = Doc::key(1).update().apply(|doc| {
            let set = |at| doc.rest().entry(name(at)).set(value(at));
            (0..size).map(set).collect::<Vec<_>>()
        });
        update.explain(&bench.db).into()
    }),
    series!("changes of entries", SIZES, |bench: &Bench, size| {
        let update = Doc::key(1).update().apply(|doc| {
            let set = |at| doc.map().entry(name(at)).set(at);
            (0..size).map(set).collect::<Vec<_>>()
        });
        update.explain(&bench.db).into()
    }),
    series!("changes of elements", SIZES, |bench: &Bench, size: u32| {
        let update = Doc::key(1).update().apply(|doc| {
            let set = |at| doc.list().at(at as usize).set(at);
            (0..size).map(set).collect::<Vec<_>>()
        });
        update.explain(&bench.db).into()
    }),
    series!("`all(..)`", SIZES, |bench: &Bench, size| {
        asked(bench, |doc| all((0..size).map(|at| is(doc, at))))
    }),
    series!("`any(..)`", SIZES, |bench: &Bench, size| {
        asked(bench, |doc| any((0..size).map(|at| is(doc, at))))
    }),
    series!("a chain of `&`", SIZES, |bench: &Bench, size| {
        asked(bench, |doc| {
            (1..size).fold(is(doc, 0), |chain, at| chain & is(doc, at))
        })
    }),
    series!("a chain of `|`", SIZES, |bench: &Bench, size| {
        asked(bench, |doc| {
            (1..size).fold(is(doc, 0), |chain, at| is(doc, at) | chain)
        })
    }),
    series!("values of `is_in`", SIZES, |bench: &Bench, size| {
        asked(bench, |doc| {
            doc.rest().entry("a").is_in((0..size).map(value))
        })
    }),
    series!("calls of `when`", SIZES, |bench: &Bench, size| {
        let update = Doc::key(1).update().apply(|doc| doc.list().set(vec![1]));
        let update = (0..size).fold(update, |update, at| update.when(|doc| is(&doc, at)));
        update.explain(&bench.db).into()
    }),
    series!("calls of `when_equals`", SIZES, |bench: &Bench, size| {
        let get = Doc::key(1)
            .to_item()
            .map(|key| Item::in_table("docs").delete(key));
        let get = get.expect("a key");
        let asked = (0..size).fold(get, |asked, at| asked.when_equals(name(at), value(at)));
        asked.explain(&bench.db).into()
    }),
    Series {
        name: "attributes written",
        sizes: SIZES,
        work: |_, size| put(broad(size)),
    },
    Series {
        name: "attributes read",
        sizes: SIZES,
        work: |_, size| read::<Doc>(&broad(size)),
    },
    Series {
        name: "fields written",
        sizes: FIELDS,
        work: |_, size| match size {
            10 => put(Wide10::new(7)),
            100 => put(Wide100::new(7)),
            _ => put(Wide400::new(7)),
        },
    },
    Series {
        name: "fields read",
        sizes: FIELDS,
        work: |_, size| match size {
            10 => read::<Wide10>(&Wide10::new(7)),
            100 => read::<Wide100>(&Wide100::new(7)),
            _ => read::<Wide400>(&Wide400::new(7)),
        },
    },
    Series {
        name: "fields compared by `changes_to`",
        sizes: FIELDS,
        work: |_, size| match size {
            10 => difference(Wide10::new(7), Wide10::new(8)),
            100 => difference(Wide100::new(7), Wide100::new(8)),
            _ => difference(Wide400::new(7), Wide400::new(8)),
        },
    },
    Series {
        name: "list elements written",
        sizes: SIZES,
        work: |_, size| put(listed(size)),
    },
    Series {
        name: "list elements read",
        sizes: SIZES,
        work: |_, size| read::<Doc>(&listed(size)),
    },
    Series {
        name: "map entries written",
        sizes: SIZES,
        work: |_, size| put(mapped(size)),
    },
    Series {
        name: "map entries read",
        sizes: SIZES,
        work: |_, size| read::<Doc>(&mapped(size)),
    },
    Series {
        name: "attributes compared by `changes_to`",
        sizes: SIZES,
        work: |_, size| difference(broad(size), changed(broad(size))),
    },
    series!(
        "attributes changed by `modify`",
        SIZES,
        |bench: &Bench, size| {
            let modify = Doc::key(size).modify(|doc| *doc = changed(doc.clone()));
            bench.runtime.block_on(modify.send(&bench.db)).into()
        }
    ),
    series!("puts of a batch", SIZES, |bench: &Bench, size| {
        let docs: Vec<Doc> = (0..size).map(doc).collect();
        let batch = Batch::new().with_all(docs.iter().map(|doc| doc.put()));
        bench.runtime.block_on(batch.send(&bench.db)).into()
    }),
    series!("keys of `get_many`", SIZES, |bench: &Bench, size| {
        let keys = (0..size).map(|at| Row::key(at, 1));
        let found = bench.runtime.block_on(Row::get_many(keys).send(&bench.db));
        let found = found.expect("an answer");
        assert_eq!(found.iter().flatten().count(), size as usize);
        Ending::Done
    }),
    series!("lanes of a query", FEWER, |bench: &Bench, size: u32| {
        let rows = Row::in_partition(any_of(0..size)).all(&bench.db);
        let rows = bench.runtime.block_on(rows).expect("an answer");
        assert_eq!(rows.len(), 3 * size as usize);
        Ending::Done
    }),
    series!("puts of a transaction", SIZES, |bench: &Bench, size| {
        let docs: Vec<Doc> = (0..size).map(doc).collect();
        let transaction = Transaction::new().with_all(docs.iter().map(|doc| doc.put()));
        transaction.explain(&bench.db).into()
    }),
    series!(
        "unique values of a transaction",
        SIZES,
        |bench: &Bench, size| {
            let member = |id| Member {
                id,
                email: name(id),
            };
            let creates = (0..size).map(|id| member(id).into_create());
            Transaction::new()
                .with_all(creates)
                .explain(&bench.db)
                .into()
        }
    ),
    series!("puts of a unit of work", SIZES, |bench: &Bench, size| {
        let work =
            |unit: UnitOfWork| async move { (0..size).try_for_each(|at| unit.put(&doc(at))) };
        bench.runtime.block_on(transact(&bench.db, work)).into()
    }),
    series!("reads of a unit of work", FEWER, |bench: &Bench, size| {
        let work = |unit: UnitOfWork| async move {
            for at in 0..size {
                black_box(unit.get(Row::key(at, 1)).await?);
            }
            Ok(())
        };
        bench.runtime.block_on(transact(&bench.db, work)).into()
    }),
];

/// A condition on one attribute.
fn is(doc: &<Doc as DynamoEntity>::Paths, at: u32) -> Condition<Doc> {
    doc.rest().entry(name(at)).eq(value(at))
}

fn asked(
    bench: &Bench,
    condition: impl FnOnce(&<Doc as DynamoEntity>::Paths) -> Condition<Doc>,
) -> Ending {
    let delete = Doc::key(1).delete().when(|doc| condition(&doc));
    delete.explain(&bench.db).into()
}

fn listed(size: u32) -> Doc {
    Doc {
        list: (0..size).collect(),
        ..doc(1)
    }
}

fn mapped(size: u32) -> Doc {
    Doc {
        map: (0..size).map(|at| (name(at), at)).collect(),
        ..doc(1)
    }
}

fn put<E: ChangeableEntity + Clone + 'static>(entity: E) -> Measured {
    Box::new(move |bench| entity.put().explain(&bench.db).into())
}

fn read<E: DynamoEntity + 'static>(entity: &E) -> Measured {
    let json = to_json(entity).expect("it fits");
    Box::new(move |_| from_json::<E>(&json).into())
}

fn difference<E: ChangeableEntity + 'static>(seen: E, next: E) -> Measured {
    Box::new(move |bench| seen.changes_to(&next).explain(&bench.db).into())
}

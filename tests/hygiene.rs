//! Generated code compiles anywhere: whatever is in scope, however things are named, and whatever lints are
//! denied.
//!
//! Each module is a place that could break generated code. The tests also run the code: what they write is
//! read back.

#![deny(
    warnings,
    missing_docs,
    clippy::pedantic,
    unused_qualifications,
    unreachable_pub
)]

use std::fmt::Debug;

use dynamo_entity::DynamoEntity;
use dynamo_entity::EntityExt;

/// Writes an entity and its key, and reads both back.
fn round_trip<E: DynamoEntity + PartialEq + Debug>(entity: &E) {
    let item = entity.to_item().unwrap();
    assert_eq!(&E::from_item(item.clone()).unwrap(), entity);
    assert_eq!(E::key_from_item(item).unwrap(), entity.key());
}

/// The prelude is missing, and other things have its names.
mod without_prelude {
    #![no_implicit_prelude]

    pub(super) mod shadow {
        #![no_implicit_prelude]
        #![allow(dead_code, non_camel_case_types)]

        pub(crate) struct Option;
        pub(crate) struct Result;
        pub(crate) struct Some;
        pub(crate) struct None;
        pub(crate) struct Ok;
        pub(crate) struct Err;
        pub(crate) struct Vec;
        pub(crate) struct Box;
        pub(crate) struct Cow;
        pub(crate) struct Item;
        pub(crate) struct Key;
        pub(crate) struct Writer;
        pub(crate) struct Clone;
        pub(crate) struct Default;
        pub(crate) struct Sized;
        pub(crate) struct core;
        pub(crate) struct alloc;
    }

    macro_rules! shadowed {
        ($($name:ident)*) => {$(
            #[allow(unused_macros)]
            macro_rules! $name {
                () => {
                    ::std::compile_error!("a macro of the user's")
                };
            }
        )*};
    }

    shadowed!(concat module_path assert panic stringify format matches);

    #[allow(unused_imports)]
    use self::shadow::*;

    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::dynamo_entity::DynamoValue)]
    pub(super) struct UserId(pub(super) ::std::string::String);

    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::dynamo_entity::DynamoValue)]
    pub(super) enum Outcome {
        Ok,
        Err,
        Some,
        None,
    }

    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::dynamo_entity::DynamoValue)]
    pub(super) enum Payload {
        None,
        Some(::std::string::String),
        Ok(u8, u16),
        Err {
            reason: ::std::option::Option<::std::string::String>,
        },
    }

    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::dynamo_entity::DynamoValue)]
    pub(super) struct Nested {
        pub(super) text: ::std::string::String,
        #[dynamo(default)]
        pub(super) count: u32,
        #[dynamo(rest)]
        pub(super) others: ::dynamo_entity::Item,
    }

    #[derive(::dynamo_entity::DynamoTable)]
    #[dynamo(name = "bare", pk = "pk", sk = "sk", entities(Entity))]
    #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
    pub(super) struct Table;

    #[derive(::std::fmt::Debug, ::std::cmp::PartialEq, ::dynamo_entity::DynamoEntity)]
    #[dynamo(table = Table, key(pk = "U#{id}", sk = "{at:s}#{number:04}", shards = 3))]
    #[dynamo(gsi(by_outcome, on = gsi1, pk = "O#{outcome}", sk = "{at}", shards = 5, when(outcome = Outcome::Ok)))]
    pub(super) struct Entity {
        pub(super) id: UserId,
        pub(super) at: ::std::time::SystemTime,
        #[dynamo(skip)]
        pub(super) number: u32,
        pub(super) outcome: Outcome,
        pub(super) payload: ::std::vec::Vec<Payload>,
        pub(super) nested: ::std::option::Option<Nested>,
        #[dynamo(serde)]
        pub(super) foreign: (u8, bool),
        #[dynamo(format = "epoch_ms")]
        pub(super) seen: ::std::time::SystemTime,
        #[dynamo(version)]
        pub(super) version: ::dynamo_entity::Version,
        #[dynamo(created_at)]
        pub(super) created: ::std::option::Option<::std::time::SystemTime>,
        #[dynamo(updated_at, format = "epoch")]
        pub(super) updated: ::std::option::Option<::std::time::SystemTime>,
        #[dynamo(created_by)]
        pub(super) author: ::std::option::Option<UserId>,
        #[dynamo(updated_by)]
        pub(super) editor: ::std::option::Option<::std::string::String>,
        #[dynamo(ttl)]
        pub(super) expires: ::std::option::Option<u32>,
        #[dynamo(rest)]
        pub(super) rest: ::dynamo_entity::Item,
    }

    #[allow(dead_code, clippy::large_enum_variant)]
    #[derive(::std::fmt::Debug, ::dynamo_entity::DynamoCollection)]
    #[dynamo(table = Table, partition(id))]
    pub(super) enum Some {
        Entity(Entity),
        #[dynamo(other)]
        None(::dynamo_entity::Item),
    }

    #[allow(dead_code)]
    #[derive(::std::fmt::Debug, ::dynamo_entity::DynamoCollection)]
    #[dynamo(table = Table, index = gsi1, partition(outcome))]
    pub(super) enum Ok {
        Entity(Entity),
    }

    #[allow(dead_code)]
    #[derive(::std::fmt::Debug, ::dynamo_entity::DynamoProjection)]
    #[dynamo(entity = Entity)]
    #[expect(dead_code, reason = "no row is read here")]
    pub(super) struct Row {
        pub(super) id: UserId,
        pub(super) number: u32,
        pub(super) outcome: Outcome,
        pub(super) expires: ::std::option::Option<u32>,
    }
}

#[test]
fn generated_code_compiles_without_the_prelude() {
    use std::time::{Duration, SystemTime};
    use without_prelude::{Entity, Nested, Outcome, Payload, UserId};

    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    round_trip(&Entity {
        id: UserId("a#b".into()),
        at,
        number: 7,
        outcome: Outcome::Ok,
        payload: vec![
            Payload::None,
            Payload::Some("x".into()),
            Payload::Ok(1, 2),
            Payload::Err { reason: None },
        ],
        nested: Some(Nested {
            text: "t".into(),
            count: 0,
            others: [("more", 1)].into_iter().collect(),
        }),
        foreign: (1, true),
        seen: at,
        version: 3.into(),
        created: Some(at),
        updated: None,
        author: Some(UserId("ann".into())),
        editor: None,
        expires: Some(5),
        rest: [("extra", "e")].into_iter().collect(),
    });
    let _ = (Outcome::Err, Outcome::Some, Outcome::None);
}

/// Fields have the names of variables and constants in the generated code.
mod names {
    #![allow(non_snake_case)]

    use dynamo_entity::prelude::*;

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(
        table = "names",
        key(
            pk = "{writer}#{reader}#{part_0}#{read_sk}",
            sk = "{name}#{head}#{PK}#{key}"
        )
    )]
    #[dynamo(gsi(complete, pk = "{stamp}#{place}", sk = "{text}"))]
    #[dynamo(gsi(text_pk, pk = rest, sk = value))]
    pub(super) struct Names {
        #[dynamo(skip)]
        pub(super) writer: String,
        pub(super) reader: String,
        pub(super) part_0: u8,
        #[dynamo(skip)]
        pub(super) read_sk: i64,
        pub(super) name: String,
        pub(super) head: String,
        #[dynamo(rename = "P")]
        pub(super) PK: String,
        pub(super) key: String,
        pub(super) stamp: Option<String>,
        pub(super) place: String,
        pub(super) text: Option<u32>,
        pub(super) rest: String,
        pub(super) value: Option<i32>,
        pub(super) first: String,
        pub(super) other: String,
        pub(super) tag: String,
        pub(super) self_: String,
        pub(super) field_name: String,
        pub(super) fault: String,
        pub(super) SK: String,
        pub(super) TYPE: String,
        pub(super) STYLE: String,
        #[dynamo(default)]
        pub(super) Self_: u8,
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "raw", key(pk = r#type, sk = "{match}#{fn}"))]
    #[dynamo(gsi(r#by_loop, pk = "{loop}"))]
    pub(super) struct r#Raw {
        pub(super) r#type: String,
        pub(super) r#match: String,
        #[dynamo(skip)]
        pub(super) r#fn: u8,
        pub(super) r#loop: Option<String>,
    }

    #[derive(Debug, PartialEq, DynamoValue)]
    #[dynamo(tag = "kind")]
    pub(super) enum Shape {
        Struct {
            writer: String,
            reader: String,
            name: String,
            first: String,
            content: String,
            r#type: String,
        },
        Fields(String, u8, u8, u8, u8, u8, u8, u8),
        #[allow(dead_code)]
        r#Raw,
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "shapes", key(pk = id))]
    pub(super) struct Shapes {
        pub(super) id: String,
        pub(super) shapes: Vec<Shape>,
    }
}

#[test]
fn fields_have_any_name() {
    use names::{Names, Raw, Shape, Shapes};

    let text = |text: &str| text.to_owned();
    round_trip(&Names {
        writer: text("writer"),
        reader: text("reader"),
        part_0: 1,
        read_sk: -5,
        name: text("name"),
        head: text("head"),
        PK: text("pk"),
        key: text("key"),
        stamp: Some(text("stamp")),
        place: text("place"),
        text: Some(5),
        rest: text("rest"),
        value: None,
        first: text("first"),
        other: text("other"),
        tag: text("tag"),
        self_: text("self"),
        field_name: text("field"),
        fault: text("fault"),
        SK: text("sk"),
        TYPE: text("type"),
        STYLE: text("style"),
        Self_: 2,
    });
    let raw = Raw {
        r#type: text("t"),
        r#match: text("m"),
        r#fn: 3,
        r#loop: Some(text("l")),
    };
    round_trip(&raw);
    assert_eq!(Raw::key("t", "m", 3).r#type, "t");
    round_trip(&Shapes {
        id: text("id"),
        shapes: vec![
            Shape::Struct {
                writer: text("w"),
                reader: text("r"),
                name: text("n"),
                first: text("f"),
                content: text("c"),
                r#type: text("t"),
            },
            Shape::Fields(text("x"), 1, 2, 3, 4, 5, 6, 7),
        ],
    });
}

/// Expressions in attributes see the user's names and not those of the generated code.
mod expressions {
    use dynamo_entity::prelude::*;

    const FIRST: u8 = 1;
    #[allow(non_upper_case_globals)]
    const __PK: u8 = 3;

    fn first() -> u8 {
        2
    }

    fn name() -> u8 {
        4
    }

    fn reader() -> u8 {
        5
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "expressions", key(pk = id))]
    #[dynamo(gsi(sparse, pk = "S#{id}", when(a = writer())))]
    pub(super) struct Expressions {
        pub(super) id: String,
        #[dynamo(default = FIRST)]
        pub(super) a: u8,
        #[dynamo(default = first())]
        pub(super) b: u8,
        #[dynamo(default = name())]
        pub(super) c: u8,
        #[dynamo(default = reader() + Self::D)]
        pub(super) d: u8,
    }

    fn writer() -> u8 {
        __PK
    }

    impl Expressions {
        const D: u8 = 10;
    }
}

#[test]
fn expressions_mean_what_they_say() {
    let item: dynamo_entity::Item = [("id", "x")].into_iter().collect();
    let read = expressions::Expressions::from_item(item).unwrap();
    assert_eq!((read.a, read.b, read.c, read.d), (1, 2, 4, 15));
    round_trip(&read);
}

/// The library is imported under another name.
mod renamed {
    use dynamo_entity as library;
    use library::prelude::*;

    #[derive(Debug, PartialEq, DynamoValue)]
    #[dynamo(crate = library)]
    pub(super) struct Id(pub(super) String);

    #[derive(DynamoTable)]
    #[dynamo(crate = library, name = "renamed", pk = "pk", entities(Entity))]
    pub(super) struct Table;

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(crate = library, table = Table, key(pk = "{id}"))]
    pub(super) struct Entity {
        #[dynamo(skip)]
        pub(super) id: Id,
    }

    #[derive(Debug, PartialEq, DynamoCollection)]
    #[dynamo(crate = library, table = Table)]
    pub(super) enum All {
        Entity(Entity),
    }
}

#[test]
fn collections_stand_anywhere() {
    use dynamo_entity::prelude::*;

    let id = renamed::Id("x".into());
    let item = renamed::Entity { id }.to_item().unwrap();
    let all = renamed::All::from_item(item.clone()).unwrap();
    assert_eq!(all.to_item().unwrap(), item);
    let item: Item = [("_type", "other")].into_iter().collect();
    let other = without_prelude::Some::from_item(item.clone()).unwrap();
    assert_eq!(other.to_item().unwrap(), item);
    let q = without_prelude::Some::in_partition(without_prelude::UserId("x".into()));
    assert!(format!("{q:?}").contains("Some::in_partition"));
}

/// A public collection holds entities whose key has a part of a private type.
pub mod private_parts {
    use dynamo_entity::prelude::*;

    #[derive(Debug, Clone, PartialEq, DynamoValue)]
    struct Id(u8);

    /// A table for the entity below.
    #[derive(DynamoTable)]
    #[dynamo(name = "private", pk = "pk", sk = "sk", entities(Entity))]
    pub struct Table;

    /// An entity with a private key part.
    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = Table, key(pk = "{id}", sk = "X"))]
    pub struct Entity {
        id: Id,
    }

    /// All rows of a partition.
    #[derive(Debug, PartialEq, DynamoCollection)]
    #[dynamo(table = Table, partition(id))]
    pub enum All {
        /// The only entity of the table.
        Entity(Entity),
    }

    /// A query of one partition.
    pub fn all() -> Query<All> {
        All::in_partition(Id(1)).into()
    }
}

#[test]
fn parts_may_be_private() {
    assert!(format!("{:?}", private_parts::all()).contains("All::in_partition"));
}

#[test]
fn the_library_can_be_renamed() {
    round_trip(&renamed::Entity {
        id: renamed::Id("x".into()),
    });
}

#[test]
fn entities_stand_in_functions() {
    use dynamo_entity::prelude::*;

    #[derive(Debug, PartialEq, DynamoValue)]
    enum Kind {
        A,
    }

    #[derive(DynamoTable)]
    #[dynamo(name = "local", pk = "pk", entities(Local))]
    #[dynamo(gsi(gsi1, pk = "g"))]
    struct Table;

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = Table, key(pk = "{id}"))]
    #[dynamo(gsi(by_kind, on = gsi1, pk = "{kind}"))]
    struct Local {
        id: u8,
        kind: Kind,
    }

    round_trip(&Local {
        id: 1,
        kind: Kind::A,
    });
    assert_eq!(Local::key(1).id, 1);
}

/// The parts of a key and its constructor are as visible as the fields that they stand for.
pub mod visibility {
    use dynamo_entity::prelude::*;

    /// An entity with fields of all visibilities.
    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(
        table = "visible",
        key(pk = "{public}#{of_crate}", sk = "{of_super}#{private}")
    )]
    pub struct Visible {
        /// Visible everywhere.
        pub public: u8,
        /// Visible in this crate.
        pub(crate) of_crate: u8,
        /// Visible in the parent module.
        pub(super) of_super: u8,
        private: u8,
    }

    /// Reads a private part of a key, which is possible in this module.
    #[must_use]
    pub fn private_part(key: &Key<Visible>) -> u8 {
        key.private
    }

    /// An entity to test with.
    #[must_use]
    pub fn visible() -> Visible {
        Visible {
            public: 1,
            of_crate: 2,
            of_super: 3,
            private: 4,
        }
    }
}

#[test]
fn keys_are_as_visible_as_their_fields() {
    let key = visibility::Visible::key(1, 2, 3, 4);
    assert_eq!((key.public, key.of_crate, key.of_super), (1, 2, 3));
    assert_eq!(visibility::private_part(&key), 4);
    round_trip(&visibility::visible());
}

/// Declarations that a macro writes, with types and names from its arguments.
mod macros {
    macro_rules! declare {
        ($entity:ident, $table:ident, $id:ident: $ty:ty, $fallback:expr, $($name:ident: $field:ty),*) => {
            #[derive(Debug, PartialEq, dynamo_entity::DynamoValue)]
            pub(super) struct Inner {
                pub(super) $id: $ty,
                pub(super) list: Vec<$ty>,
            }

            #[derive(dynamo_entity::DynamoTable)]
            #[dynamo(name = "macros", pk = "pk", sk = "sk", entities($entity))]
            #[dynamo(gsi(gsi1, pk = "gsi1pk"))]
            pub(super) struct $table;

            #[derive(Debug, PartialEq, dynamo_entity::DynamoEntity)]
            #[dynamo(table = $table, key(pk = "{id}", sk = "{number:05}"))]
            #[dynamo(gsi(by_number, on = gsi1, pk = "{number}", when(flag = $fallback)))]
            pub(super) struct $entity {
                pub(super) $id: $ty,
                pub(super) number: u16,
                #[dynamo(default = $fallback)]
                pub(super) flag: bool,
                pub(super) inner: Inner,
                $(pub(super) $name: $field,)*
            }
        };
    }

    declare!(Entity, Table, id: String, true, extra: Option<Vec<u8>>, more: std::collections::HashSet<String>);
}

#[test]
fn declarations_come_out_of_macros() {
    round_trip(&macros::Entity {
        id: "x".into(),
        number: 5,
        flag: true,
        inner: macros::Inner {
            id: "y".into(),
            list: vec!["z".into()],
        },
        extra: Some(vec![1]),
        more: ["m".to_owned()].into(),
    });
}

/// Values that have generic parameters.
mod generic {
    use std::marker::PhantomData;

    use dynamo_entity::prelude::*;

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) struct Id<T>(pub(super) T);

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) struct Page<T, C = Vec<T>>
    where
        T: Clone,
    {
        pub(super) rows: C,
        pub(super) first: Option<T>,
    }

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) enum Either<A, B> {
        Left(A),
        Right { value: B },
    }

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) struct Marked<T> {
        pub(super) text: String,
        #[dynamo(skip)]
        pub(super) marker: PhantomData<T>,
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "generic", key(pk = "{id}", sk = number))]
    pub(super) struct Entity {
        pub(super) id: Id<String>,
        pub(super) number: Id<i64>,
        pub(super) page: Page<u8>,
        pub(super) either: Vec<Either<u8, String>>,
        pub(super) marked: Marked<u8>,
        pub(super) floating: Id<f64>,
    }
}

#[test]
fn values_take_parameters() {
    use generic::{Either, Entity, Id, Marked, Page};

    round_trip(&Entity {
        id: Id("x".into()),
        number: Id(-4),
        page: Page {
            rows: vec![1, 2],
            first: None,
        },
        either: vec![Either::Left(1), Either::Right { value: "r".into() }],
        marked: Marked {
            text: "t".into(),
            marker: std::marker::PhantomData,
        },
        floating: Id(0.5),
    });
    assert_eq!(Entity::key(Id("x".into()), Id(1)).number, Id(1));
}

/// Types with names that generated code could use.
mod types {
    use dynamo_entity::prelude::*;

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) struct OrderKey(pub(super) String);

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) struct Reader(pub(super) u8);

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "types", key(pk = "{key}", sk = "{reader}"))]
    pub(super) struct Order {
        pub(super) key: OrderKey,
        pub(super) reader: Reader,
    }
}

#[test]
fn types_have_any_name() {
    round_trip(&types::Order {
        key: types::OrderKey("x".into()),
        reader: types::Reader(1),
    });
}

/// Entities, tables, collections and key parts with the names of parameters in the generated code.
mod parameters {
    use dynamo_entity::prelude::*;

    macro_rules! parts {
        ($($name:ident)*) => {$(
            #[derive(Debug, Clone, PartialEq, DynamoValue)]
            pub(super) struct $name(pub(super) u8);
        )*};
    }

    parts!(A0 N0 N1 Part0 Part1 Number);

    #[derive(DynamoTable)]
    #[dynamo(name = "parameters", pk = "pk", sk = "sk", entities(A, N))]
    #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
    pub(super) struct AT;

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = AT, key(pk = "{n0}#{a0}", sk = "A#{part1}#{n1}"))]
    #[dynamo(gsi(by_number, on = gsi1, pk = "{part0}", sk = "A#{n0}#{number}"))]
    pub(super) struct A {
        pub(super) n0: N0,
        pub(super) a0: A0,
        pub(super) part1: Part1,
        pub(super) n1: N1,
        pub(super) part0: Part0,
        pub(super) number: Number,
    }

    #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    #[dynamo(table = AT, key(pk = "{n0}#{a0}", sk = "N#{part0}"))]
    pub(super) struct N {
        pub(super) n0: N0,
        pub(super) a0: A0,
        pub(super) part0: Part0,
    }

    #[derive(Debug, PartialEq, DynamoCollection)]
    #[dynamo(table = AT, partition(n0, a0))]
    pub(super) enum A1 {
        A(A),
        N(N),
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "parameters2", key(pk = n0, sk = "{part0}"), repository)]
    pub(super) struct This {
        pub(super) n0: N0,
        pub(super) part0: Part0,
    }
}

#[test]
fn types_are_called_like_parameters() {
    use dynamo_entity::{CollectionExt, any_of};
    use parameters::{A, A0, A1, N, N0, N1, Number, Part0, Part1, This};

    let a = A {
        n0: N0(1),
        a0: A0(2),
        part1: Part1(3),
        n1: N1(4),
        part0: Part0(5),
        number: Number(6),
    };
    round_trip(&a);
    round_trip(&N {
        n0: N0(1),
        a0: A0(2),
        part0: Part0(3),
    });
    round_trip(&This {
        n0: N0(1),
        part0: Part0(3),
    });
    assert_eq!(
        A1::from_item(a.to_item().unwrap()).unwrap(),
        A1::A(a.clone())
    );
    let queries = [
        format!("{:?}", A1::in_partition(N0(1), A0(2))),
        format!("{:?}", A::in_partition(N0(1), A0(2)).part1().eq(Part1(3))),
        format!("{:?}", N::in_partition(any_of([N0(1), N0(2)]), A0(2))),
        format!("{:?}", A::by_number(Part0(5)).n0().eq(N0(1))),
        format!("{:?}", This::in_partition(N0(1)).part0().eq(Part0(3))),
    ];
    assert!(queries.iter().all(|query| !query.is_empty()));
}

/// Fields and variants that are deprecated are stored like others.
mod lints {
    use dynamo_entity::prelude::*;

    #[derive(Debug, PartialEq, DynamoValue)]
    pub(super) enum Kind {
        #[deprecated = "use New"]
        #[allow(dead_code)]
        Old,
        New,
    }

    #[derive(Debug, PartialEq, DynamoEntity)]
    #[dynamo(table = "lints", key(pk = id))]
    pub(super) struct Lints {
        pub(super) id: String,
        pub(super) kind: Kind,
        #[deprecated = "use id"]
        pub(super) old: Option<u8>,
    }

    #[allow(deprecated)]
    pub(super) fn lints() -> Lints {
        Lints {
            id: "x".into(),
            kind: Kind::New,
            old: Some(1),
        }
    }
}

#[test]
fn deprecated_fields_are_stored() {
    round_trip(&lints::lints());
}

/// Entities and values have methods with the names of the library's own trait methods. Some are their own,
/// and some come from a trait that every type implements.
mod methods {
    #![allow(dead_code, clippy::unused_self, clippy::wrong_self_convention)]

    use dynamo_entity::prelude::*;
    use serde::{Deserialize, Serialize};

    macro_rules! methods {
        ($($name:ident)*) => {
            /// A foreign trait that is in scope where the derives stand.
            pub(super) trait Methods {
                $(fn $name(&self) -> &'static str {
                    "foreign"
                })*
            }

            impl<T: ?Sized> Methods for T {}

            /// All of these methods except those that the derive itself adds to the entity.
            impl Thing {
                $(pub(super) fn $name(&self) -> &'static str {
                    "own"
                })*
            }

            impl Part {
                $(fn $name(&self) -> &'static str {
                    "own"
                })*
            }

            impl Choice {
                $(fn $name(&self) -> &'static str {
                    "own"
                })*
            }
        };
    }

    methods! {
        encode decode encode_as_is decode_key encode_field decode_field absent field_as_stored as_stored read_json
        key_fault version expires_at key_parts encode_created_at write_partition may_be_absent default_json encode_now
        index_part_is_there index_holds write_index_key unique_part_is_there write_unique to_key write_part read
        create put get update upsert delete modify try_modify touch check to_item from_item key_from_item scan
        get_many get_stream schema path place entry text integer raw skip is_there write literal part shard close end
        open_object next_name open_map close_map dynamic_name attribute is_named finish or_null or_in_key
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DynamoValue)]
    pub(super) struct Part {
        pub(super) encode: u8,
        pub(super) decode: Option<String>,
        pub(super) place: Option<String>,
        #[serde(skip)]
        #[dynamo(rest)]
        pub(super) entry: Item,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DynamoValue)]
    pub(super) enum Choice {
        Encode { version: u8 },
        Decode(Part),
    }

    #[derive(DynamoTable)]
    #[dynamo(name = "methods", pk = "pk", sk = "sk", entities(Thing))]
    #[dynamo(gsi(gsi1, pk = "gsi1pk", sk = "gsi1sk"))]
    pub(super) struct Table;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DynamoEntity)]
    #[dynamo(table = Table, key(pk = "THING#{encode}", sk = "{decode}"))]
    #[dynamo(unique(by_text, text))]
    #[dynamo(gsi(by_version, on = gsi1, pk = "V#{put}", sk = "{get}"))]
    #[dynamo(repository)]
    pub(super) struct Thing {
        pub(super) encode: String,
        pub(super) decode: u32,
        pub(super) text: String,
        pub(super) put: u32,
        pub(super) get: Option<u32>,
        pub(super) key_parts: Vec<Choice>,
        pub(super) place: Part,
        #[serde(skip)]
        #[dynamo(version)]
        pub(super) version: Version,
        #[dynamo(created_at)]
        pub(super) created_at: Option<std::time::SystemTime>,
        #[dynamo(ttl)]
        pub(super) expires_at: Option<i64>,
    }

    #[derive(Debug, PartialEq, DynamoProjection)]
    #[dynamo(entity = Thing)]
    pub(super) struct Row {
        pub(super) encode: String,
        pub(super) get: Option<u32>,
    }

    #[derive(Debug, PartialEq, DynamoCollection)]
    #[dynamo(table = Table, partition(encode))]
    pub(super) enum All {
        Thing(Thing),
    }
}

/// The library calls its own methods and never methods of the entity that have the same names.
async fn written_and_read<E>(db: &dynamo_entity::Dynamo, entity: &E) -> dynamo_entity::Result<E>
where
    E: dynamo_entity::ChangeableEntity + PartialEq + Debug,
{
    use dynamo_entity::Operation;

    let stored = entity.create().send(db).await?;
    assert_eq!(
        stored.key().get().consistent().send(db).await?.as_ref(),
        Some(&stored)
    );
    stored.put().send(db).await
}

#[tokio::test]
async fn methods_have_any_name() -> dynamo_entity::Result<()> {
    use dynamo_entity::{Dynamo, DynamoTable, Item, QueryExt, Version};
    use methods::{All, Choice, Methods, Part, Row, Table, Thing};

    let part = Part {
        encode: 1,
        decode: None,
        place: None,
        entry: Item::new(),
    };
    let thing = Thing {
        encode: "e".into(),
        decode: 7,
        text: "t".into(),
        put: 3,
        get: Some(4),
        key_parts: vec![Choice::Encode { version: 2 }, Choice::Decode(part.clone())],
        place: part,
        version: Version::default(),
        created_at: None,
        expires_at: None,
    };
    assert_eq!(
        (thing.encode(), thing.put(), thing.key_parts()),
        ("own", "own", "own")
    );
    assert_eq!(Methods::version(&thing), "foreign");
    let db = Dynamo::connect("embedded:memory").await?;
    db.create_tables([<Table as DynamoTable>::schema()]).await?;
    let stored = written_and_read(&db, &thing).await?;
    assert_eq!(stored.version.number(), Some(2));
    assert!(stored.created_at.is_some());
    round_trip(&stored);
    assert_eq!(Thing::by_text("t").send(&db).await?.as_ref(), Some(&stored));
    let rows = Thing::by_version(3u32).select::<Row>().all(&db).await?;
    assert_eq!((rows[0].encode.as_str(), rows[0].get), ("e", Some(4)));
    let modified = Thing::key("e", 7u32).modify(|thing| thing.text = "u".into());
    modified.send(&db).await?;
    let changes = Thing::key("e", 7u32).update();
    let changes = changes.apply(|t| (t.place().place().set("here"), t.place().encode().add(1)));
    let changes = changes.when(|t| t.place().entry().entry("other").missing());
    let modified = dynamo_entity::Operation::send(changes, &db).await?;
    assert_eq!(
        (modified.place.place.as_deref(), modified.place.encode),
        (Some("here"), 2)
    );
    assert_eq!(
        All::in_partition("e").all(&db).await?,
        [All::Thing(modified)]
    );
    Ok(())
}

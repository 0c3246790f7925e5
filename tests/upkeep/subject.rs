//! What the test has to know of an entity, said a second time and by hand.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use dynamo_entity::expr::{Change, Condition};
use dynamo_entity::{DynamoEntity, Item, Value};
use fastrand::Rng;

/// Which keys an item has in an index.
pub type IndexKeys = (&'static str, Vec<(&'static str, Value)>);

/// An entity under test.
pub trait Subject: DynamoEntity + Clone + PartialEq + Debug {
    /// Fields that the primary key holds whole.
    const KEY: &'static [&'static str];
    /// Fields that an upsert has to set.
    const REQUIRED: &'static [&'static str] = &[];
    /// Text fields that are parts of index keys.
    const TEXTS: &'static [&'static str] = &[];
    /// Parts of index keys, and what decides about them.
    const PARTS: &'static [&'static str];
    /// The parts that belong together: of one index, or of indexes that share an attribute.
    const GROUPS: &'static [&'static [&'static str]];
    /// Whether indexes share an attribute: all of them have to be known then.
    const SHARES: bool = false;
    /// Whether an upsert can make the item at all.
    const CAN_UPSERT: bool = true;

    /// An entity of this key, never stored.
    fn random(rng: &mut Rng, no: u32) -> Self;

    /// The entity of this key without anything: what an upsert starts from.
    fn blank(no: u32) -> Self;

    /// One random change for each place that can be changed.
    fn moves(rng: &mut Rng) -> Vec<Move<Self>>;

    /// The part is what it is in `of`.
    fn equals(field: &str, of: &Self) -> Condition<Self>;

    /// Copies one part.
    fn copy(field: &str, from: &Self, to: &mut Self);

    /// What a write leaves in the managed fields.
    fn stamp(&mut self, _stamp: &Stamp) {}

    /// When it was created.
    fn created(&self) -> Option<DateTime<Utc>> {
        None
    }

    /// The indexes it is in, with its keys there: what a brute-force model says.
    fn indexes(&self, shard: &dyn Fn(u16) -> u16) -> Vec<IndexKeys>;

    /// Makes the item one that others wrote.
    fn estrange(rng: &mut Rng, item: &mut Item);
}

/// A write, as far as managed fields see it.
#[derive(Debug, Clone)]
pub struct Stamp {
    pub version: u64,
    pub created: Created,
    pub now: DateTime<Utc>,
    pub actor: Option<String>,
}

/// What happens to the time of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// It is now.
    Now,
    /// It is now if there is none.
    IfNone,
    /// It stays.
    Kept,
}

impl Created {
    pub fn renews(self, held: bool) -> bool {
        self == Created::Now || self == Created::IfNone && !held
    }
}

/// What a change does to the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Done,
    /// The attribute stays as it is stored.
    Nothing,
    /// The attribute goes, and is read as its default.
    Gone,
    /// The service refuses by a condition.
    Impossible,
}

type Apply<E> = Box<dyn Fn(&mut E, &Item) -> Effect + Send + Sync>;

/// One change, to the table and to the model.
pub struct Move<E> {
    pub field: &'static str,
    /// Whether the new value of the field is known before.
    pub known: bool,
    /// Whether it goes into the attribute.
    pub nested: bool,
    /// Until it is sent.
    pub change: Option<Change<E>>,
    pub apply: Apply<E>,
    /// What is said of it in the log.
    pub value: String,
}

impl<E> Move<E> {
    pub fn known(
        field: &'static str,
        change: Change<E>,
        apply: impl Fn(&mut E, &Item) -> Effect + Send + Sync + 'static,
    ) -> Self {
        Move {
            field,
            known: true,
            nested: false,
            value: format!("{change:?}"),
            change: Some(change),
            apply: Box::new(apply),
        }
    }

    pub fn to(self, value: &impl Debug) -> Self {
        Move {
            value: format!("{} = {value:?}", self.value),
            ..self
        }
    }

    /// The service computes the new value.
    pub fn computed(self) -> Self {
        Move {
            known: false,
            ..self
        }
    }

    /// Somewhere in the attribute, which has to be there.
    pub fn nested(self) -> Self {
        Move {
            known: false,
            nested: true,
            ..self
        }
    }
}

/// `set!(p.field, value)`: the field is this.
#[macro_export]
macro_rules! set {
    ($p:ident.$field:ident, $value:expr) => {{
        let value = $value;
        let shown = value.clone();
        $crate::subject::Move::known(
            stringify!($field),
            $p.$field().set(value.clone()),
            move |entity, _| {
                entity.$field = value.clone();
                $crate::subject::Effect::Done
            },
        )
        .to(&shown)
    }};
}

/// `maybe!(p.field, option)`: the field is this or absent.
#[macro_export]
macro_rules! maybe {
    ($p:ident.$field:ident, $value:expr) => {{
        let value = $value;
        let shown = value.clone();
        $crate::subject::Move::known(
            stringify!($field),
            $p.$field().set_or_remove(value.clone()),
            move |entity, _| {
                entity.$field = value.clone();
                $crate::subject::Effect::Done
            },
        )
        .to(&shown)
    }};
}

/// `default!(p.field, value)`: the field goes, and is read as its default.
#[macro_export]
macro_rules! default {
    ($p:ident.$field:ident, $value:expr) => {{
        let value = $value;
        $crate::subject::Move::known(
            stringify!($field),
            $p.$field().remove(),
            move |entity, _| {
                entity.$field = value.clone();
                $crate::subject::Effect::Gone
            },
        )
    }};
}

/// `compute!(p.field, change, |entity| effect)`
#[macro_export]
macro_rules! compute {
    ($p:ident.$field:ident, $change:expr, $apply:expr) => {
        $crate::subject::Move::known(stringify!($field), $change, $apply).computed()
    };
}

/// The parts of a subject: `plain` ones and those that `maybe` there.
#[macro_export]
macro_rules! parts {
    (@eq plain $p:ident $field:ident $of:ident) => { $p.$field().eq($of.$field.clone()) };
    (@eq maybe $p:ident $field:ident $of:ident) => {
        match $of.$field.clone() {
            Some(value) => $p.$field().eq(value),
            None => $p.$field().missing(),
        }
    };
    ($($kind:ident $field:ident),* $(,)?) => {
        const PARTS: &'static [&'static str] = &[$(stringify!($field)),*];

        fn equals(field: &str, of: &Self) -> dynamo_entity::expr::Condition<Self> {
            let p = <Self as dynamo_entity::DynamoEntity>::Paths::default();
            match field {
                $(stringify!($field) => $crate::parts!(@eq $kind p $field of),)*
                other => unreachable!("{other} is no part"),
            }
        }

        fn copy(field: &str, from: &Self, to: &mut Self) {
            match field {
                $(stringify!($field) => to.$field = from.$field.clone(),)*
                other => unreachable!("{other} is no part"),
            }
        }
    };
}

/// The managed fields of a subject.
#[macro_export]
macro_rules! managed {
    (@version $entity:ident $stamp:ident $field:ident) => {
        $entity.$field = dynamo_entity::Version::from($stamp.version);
    };
    (@created_at $entity:ident $stamp:ident $field:ident) => {
        if $stamp.created.renews($entity.$field.is_some()) {
            $entity.$field = Some($stamp.now);
        }
    };
    (@made_at $entity:ident $stamp:ident $field:ident) => {
        if $stamp.created == $crate::subject::Created::Now {
            $entity.$field = $stamp.now;
        }
    };
    (@created_by $entity:ident $stamp:ident $field:ident) => {
        if $stamp.created.renews($entity.$field.is_some()) {
            $entity.$field = $stamp.actor.clone();
        }
    };
    (@updated_at $entity:ident $stamp:ident $field:ident) => {
        $entity.$field = Some($stamp.now);
    };
    (@updated_by $entity:ident $stamp:ident $field:ident) => {
        $entity.$field = $stamp.actor.clone();
    };
    ($($role:ident: $field:ident),* $(,)?) => {
        fn stamp(&mut self, stamp: &$crate::subject::Stamp) {
            $($crate::managed!(@$role self stamp $field);)*
        }
    };
}

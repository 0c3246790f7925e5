//! What the test has to know about an entity, described a second time and by hand.

use std::fmt::Debug;

use chrono::{DateTime, Utc};
use dynamo_entity::expr::{Change, Condition};
use dynamo_entity::{ChangeableEntity, Item, Value};
use fastrand::Rng;

/// The name of an index, and the key attributes that an item has in it.
pub type IndexKeys = (&'static str, Vec<(&'static str, Value)>);

/// An entity under test.
pub trait Subject: ChangeableEntity + Clone + PartialEq + Debug {
    /// The fields that the primary key holds without loss.
    const KEY: &'static [&'static str];
    /// The fields that an upsert has to set.
    const REQUIRED: &'static [&'static str] = &[];
    /// Text fields that are parts of index keys.
    const TEXTS: &'static [&'static str] = &[];
    /// The fields that index keys are made of or depend on.
    const PARTS: &'static [&'static str];
    /// The parts that belong together: those of one index, or of indexes that share an attribute.
    const GROUPS: &'static [&'static [&'static str]];
    /// Whether two indexes share an attribute. An update then has to know the parts of both.
    const SHARES: bool = false;
    /// Whether an upsert can make the item at all.
    const CAN_UPSERT: bool = true;

    /// A random entity with this key, which was never stored.
    fn random(rng: &mut Rng, no: u32) -> Self;

    /// The entity with this key and no other values, which is what an upsert starts from.
    fn blank(no: u32) -> Self;

    /// One random change for each place that can be changed.
    fn moves(rng: &mut Rng) -> Vec<Move<Self>>;

    /// The condition that this part has the value that it has in `of`.
    fn equals(field: &str, of: &Self) -> Condition<Self>;

    /// Copies one part from one entity to the other.
    fn copy(field: &str, from: &Self, to: &mut Self);

    /// Sets the managed fields as a write leaves them.
    fn stamp(&mut self, _stamp: &Stamp) {}

    /// The time of creation.
    fn created(&self) -> Option<DateTime<Utc>> {
        None
    }

    /// The indexes that hold the entity, with its keys there. This is the brute-force model.
    fn indexes(&self, shard: &dyn Fn(u16) -> u16) -> Vec<IndexKeys>;

    /// Changes the item into one that another program could have written.
    fn estrange(rng: &mut Rng, item: &mut Item);
}

/// What a write gives to managed fields.
#[derive(Debug, Clone)]
pub struct Stamp {
    pub version: u64,
    pub created: Created,
    pub now: DateTime<Utc>,
    pub actor: Option<String>,
}

/// What a write does to the time of creation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// The write sets it to the current time.
    Now,
    /// The write sets it to the current time if the item has none.
    IfNone,
    /// The write leaves it as it is.
    Kept,
}

impl Created {
    pub fn renews(self, held: bool) -> bool {
        self == Created::Now || self == Created::IfNone && !held
    }
}

/// What a change does to the entity of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Done,
    /// The attribute stays as it is stored.
    Nothing,
    /// The attribute is removed and reads as its default.
    Gone,
    /// The service refuses the change by a condition.
    Impossible,
}

type Apply<E> = Box<dyn Fn(&mut E, &Item) -> Effect + Send + Sync>;

/// One change, which is applied to the table and to the model.
pub struct Move<E> {
    pub field: &'static str,
    /// Whether the new value of the field is known before the change is sent.
    pub known: bool,
    /// Whether the change goes to a place within the attribute.
    pub nested: bool,
    /// The library's change, until it is sent.
    pub change: Option<Change<E>>,
    pub apply: Apply<E>,
    /// How the log shows the change.
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

    /// Marks a change whose new value the service computes.
    pub fn computed(self) -> Self {
        Move {
            known: false,
            ..self
        }
    }

    /// Marks a change within the attribute, which therefore has to exist.
    pub fn nested(self) -> Self {
        Move {
            known: false,
            nested: true,
            ..self
        }
    }
}

/// `set!(p.field, value)` sets the field to the value.
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

/// `maybe!(p.field, option)` sets the field to the value or removes it.
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

/// `default!(p.field, value)` removes the field, so that it reads as its default.
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

/// `compute!(p.field, change, |entity| effect)` lets the service compute the value of the field.
#[macro_export]
macro_rules! compute {
    ($p:ident.$field:ident, $change:expr, $apply:expr) => {
        $crate::subject::Move::known(stringify!($field), $change, $apply).computed()
    };
}

/// Lists the parts of a subject: `plain` ones, and those that are optional (`maybe`).
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

/// Lists the managed fields of a subject.
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

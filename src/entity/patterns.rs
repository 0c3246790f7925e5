//! The patterns of an entity's operations and access patterns, as constants of its type.

use std::marker::PhantomData;

use super::{DynamoCollection, DynamoEntity, DynamoTable};
use crate::schema::{JointPatterns, PartitionName, Pattern, PatternOwner};

/// The patterns of the requests for one entity.
pub(crate) struct Patterns<E>(PhantomData<E>);

/// A constant for each operation.
macro_rules! verbs {
    ($($constant:ident $name:literal;)*) => {
        impl<E: DynamoEntity> Patterns<E> {
            $(
                pub(crate) const $constant: &'static Pattern =
                &Pattern::verb(&E::ENTITY, $name, Self::JOINT);
            )*
        }
    };
}

verbs! {
    CHECK "check";
    CREATE "create";
    DELETE "delete";
    GET "get";
    GET_MANY "get_many";
    IN_PARTITION "in_partition";
    MODIFY "modify";
    PUT "put";
    SCAN "scan";
    TOUCH "touch";
    UPDATE "update";
    UPSERT "upsert";
}

impl<E: DynamoEntity> Patterns<E> {
    pub(crate) const JOINT: &'static JointPatterns = &JointPatterns::of(
        (E::ENTITY.type_name, E::ENTITY.id),
        PartitionName::Named(E::ENTITY.pk.attribute),
    );
}

/// The pattern of the access pattern at this position of the declaration.
pub(crate) struct IndexPattern<E, const AT: usize>(PhantomData<E>);

impl<E: DynamoEntity, const AT: usize> IndexPattern<E, AT> {
    pub(crate) const PATTERN: &'static Pattern = &{
        let (entity, indexes) = (&E::ENTITY, E::ENTITY.indexes);
        let name = match indexes.len() {
            all if AT < all => (indexes[AT].name, Some(&indexes[AT])),
            _ => ("index", None),
        };
        Pattern::access(
            (entity.type_name, entity.id),
            entity.pk.attribute,
            name,
            Patterns::<E>::JOINT,
        )
    };
}

/// The pattern of the access pattern at a position that is known only at run time, or of the table.
pub fn pattern_at<E: DynamoEntity>(at: Option<usize>) -> &'static Pattern {
    macro_rules! places {
        ($($place:literal)*) => {
            match at {
                $(Some($place) => IndexPattern::<E, $place>::PATTERN,)*
                // A table has at most 25 indexes, and hardly an entity more than one access pattern by each of them.
                _ => Patterns::<E>::IN_PARTITION,
            }
        };
    }
    places!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
}

/// The pattern of the look-up at this position of the declaration.
pub(crate) struct UniquePattern<E, const AT: usize>(PhantomData<E>);

impl<E: DynamoEntity, const AT: usize> UniquePattern<E, AT> {
    pub(crate) const PATTERN: &'static Pattern = &{
        let uniques = E::ENTITY.uniques;
        let name = match uniques.len() {
            all if AT < all => uniques[AT].name,
            _ => "unique",
        };
        Pattern::verb(&E::ENTITY, name, Patterns::<E>::JOINT)
    };
}

/// The patterns of the requests for a collection.
pub(crate) struct CollectionPatterns<C>(PhantomData<C>);

impl<C: DynamoCollection> CollectionPatterns<C> {
    const PK: &'static str = <C::Table as DynamoTable>::TABLE.pk;

    const OWNER: PatternOwner = (C::NAME, <C::Table as DynamoTable>::TABLE.id);

    const JOINT: &'static JointPatterns =
        &JointPatterns::of(Self::OWNER, PartitionName::Named(Self::PK));

    pub(crate) const IN_PARTITION: &'static Pattern = &Pattern::access(
        Self::OWNER,
        Self::PK,
        ("in_partition", C::INDEX),
        Self::JOINT,
    );

    pub(crate) const SCAN: &'static Pattern =
        &Pattern::access(Self::OWNER, Self::PK, ("scan", None), Self::JOINT);
}

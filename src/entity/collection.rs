//! Several entities of one table as the variants of an enum, and the variant of an item.

use super::read::refuse_sentinel;
use super::{DynamoTable, EntityContract};
use crate::codec::Item;
use crate::error::{Error, Result};
use crate::json::{CodecError, Reader, Tag, Writer};
use crate::key::json::KeyJson;
use crate::key::{GivenPart, Shard, wrong_parts};
#[cfg(feature = "streams")]
use crate::schema::may_be_key_of;
use crate::schema::{
    CollectionModel, CollectionSchema, EntityDef, EntityIndexDef, TableSchema, TypeMatch,
    is_identified_by_key, is_identified_by_type,
};

/// An enum of entities of one shared table. Derive it.
///
/// With `partition(..)`, it contains one partition: `Account::in_partition(..)` reads all of it, in the order of the
/// sort key. With `index = gsi1` too, it contains a partition of this index, which all of its entities fill. Without
/// either, it contains the whole table, which [`scan`](crate::verbs::CollectionExt::scan) reads.
///
/// The type attribute determines the variant of an item, or, if it has none, its key, which fits at most one entity
/// of the table. The other attributes of the item never decide. In a table with `identify_by = key`, the key decides for
/// items with a type too; with `identify_by = type`, an item without a type fits no variant.
///
/// - Entities of the table that are not variants are omitted on purpose: DynamoDB filters them out, if they can be in
///   the partition at all, and `limit` counts only the others.
/// - Any other item that fits no variant is an error in its position, and so is one that cannot be decoded:
///   [`lenient`](crate::query::QueryExt::lenient) returns the error among the rows, and a stream continues after
///   it.
/// - A variant `#[dynamo(other)] Other(Item)` receives both instead. An item of a variant that cannot be decoded is
///   still an error.
///
/// A table has one TTL attribute. Rows that have expired by it are hidden, whatever their type.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(DynamoTable)]
/// #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
/// struct Shop;
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "INFO"))]
/// struct User { user_id: String, name: String }
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "ORDER#{number:06}"))]
/// struct Order { user_id: String, number: u32 }
///
/// #[derive(Debug, Clone, PartialEq, DynamoCollection)]
/// #[dynamo(table = Shop, partition(user_id))]
/// enum Account {
///     User(User),
///     Order(Order),
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Shop::schema()]).await?;
/// let user = User { user_id: "ann".into(), name: "Ann".into() };
/// let order = Order { user_id: "ann".into(), number: 7 };
/// user.put().send(&db).await?;
/// order.put().send(&db).await?;
///
/// let everything = Account::in_partition("ann").all(&db).await?;
/// assert_eq!(everything, [Account::User(user), Account::Order(order)]);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection",
    label = "not a collection",
    note = "write `#[derive(DynamoCollection)]` and `#[dynamo(table = .., partition(..))]` on the enum"
)]
pub trait DynamoCollection: CollectionContract {}

/// The contract that a derive implements for a collection. Only the library calls it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection",
    label = "not a collection",
    note = "write `#[derive(DynamoCollection)]` and `#[dynamo(table = .., partition(..))]` on the enum"
)]
pub trait CollectionContract: Sized + Send + 'static {
    /// The table of its entities.
    #[doc(hidden)]
    type Table: DynamoTable;

    /// The name of the enum.
    #[doc(hidden)]
    const NAME: &'static str;

    /// Its entities.
    #[doc(hidden)]
    const VARIANTS: &'static [Variant<Self>];

    /// The first of its entities, which represents all in common properties.
    #[doc(hidden)]
    const FIRST: &'static EntityDef;

    /// The index whose partitions it reads, as used by the first of its entities.
    #[doc(hidden)]
    const INDEX: Option<&'static EntityIndexDef> = None;

    /// The rest of the declaration.
    #[doc(hidden)]
    const MODEL: CollectionModel = CollectionModel::EMPTY;

    /// Creates the variant for items of no entity, if it exists.
    #[doc(hidden)]
    const OTHER: Option<fn(Item) -> Self>;

    /// Writes the partition key of these parts.
    #[doc(hidden)]
    fn write_partition(
        _parts: &[&GivenPart],
        _shard: Shard,
        _writer: &mut Writer,
    ) -> Result<(), CodecError> {
        Err(wrong_parts())
    }

    /// The item as stored in the table.
    #[doc(hidden)]
    fn stored_item(&self) -> Result<Item>;
}

/// Writes the partition key of an entity in an index, or in its table: a local index has the table's.
pub fn write_partition_in<E: EntityContract>(
    index: Option<&EntityIndexDef>,
    parts: &[&GivenPart],
    shard: Shard,
    writer: &mut Writer,
) -> Result<(), CodecError> {
    match index.filter(|index| !index.pk.is_empty()) {
        Some(index) => E::write_index_partition(index.name, parts, shard, writer),
        None => E::write_partition(parts, shard, writer),
    }
}

/// A collection of a whole table.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a collection of one partition",
    label = "it cannot be scanned",
    note = "read a partition by `{Self}::in_partition(..)`, or declare another collection without `partition(..)`, which covers the whole table"
)]
pub trait CoversTable {}

/// One entity of a collection.
#[derive(Debug)]
pub struct Variant<C> {
    entity: &'static EntityDef,
    read: fn(&[u8]) -> Result<C>,
}

impl<C> Variant<C> {
    /// The variant of this entity; `read` decodes an item and creates the variant.
    pub const fn new(entity: &'static EntityDef, read: fn(&[u8]) -> Result<C>) -> Self {
        Variant { entity, read }
    }

    /// The name of its entity.
    pub(crate) fn name(&self) -> &'static str {
        self.entity.type_name
    }

    /// Its entity.
    #[cfg(feature = "streams")]
    pub(crate) fn entity_def(&self) -> &'static EntityDef {
        self.entity
    }

    pub(crate) fn is_of(&self, entity: &EntityDef) -> bool {
        self.entity.id == entity.id
    }
}

/// Decodes the variant of one object of DynamoDB JSON.
pub(crate) fn read_collection<C: DynamoCollection>(json: &[u8]) -> Result<C> {
    let fail = |fault| unfit::<C>(json, fault);
    refuse_sentinel(<C::Table as DynamoTable>::ENTITIES, json).map_err(fail)?;
    match (find_variant::<C>(json).map_err(fail)?, C::OTHER) {
        (Ok(found), _) => (found.variant.read)(json),
        (Err(_), Some(other)) => Item::from_dynamo_json(json).map(other).map_err(fail),
        (Err(unfit), None) => Err(fail(unfit)),
    }
}

/// The reason why the collection does not accept an item. `None` if it is one of its entities, by its type, or by its
/// key in this library's format.
pub(crate) fn refused_member<C: DynamoCollection>(json: &[u8]) -> Option<Error> {
    if C::OTHER.is_some() {
        return None;
    }
    let fault = match find_variant::<C>(json) {
        Ok(Ok(found)) if found.by_type => return None,
        Ok(Ok(found)) => (found.variant.entity.key_fault)(json)?,
        Ok(Err(fault)) | Err(fault) => fault,
    };
    Some(unfit::<C>(json, fault))
}

/// The entity of the item, or of a key alone, if that is a variant.
#[cfg(feature = "streams")]
pub(crate) fn member_entity<C: DynamoCollection>(json: &[u8]) -> Option<&'static EntityDef> {
    let found = find_variant::<C>(json).ok()?.ok()?;
    Some(found.variant.entity)
}

/// Whether the collection shows the item. An item that cannot be read at all is shown, for its error.
#[cfg(feature = "streams")]
pub(crate) fn is_member<C: DynamoCollection>(json: &[u8]) -> bool {
    C::OTHER.is_some() || find_variant::<C>(json).map_or(true, |found| found.is_ok())
}

/// Whether the collection shows an item with this key, of which nothing else is known.
#[cfg(feature = "streams")]
pub(crate) fn may_be_member_key<C: DynamoCollection>(keys: &[u8]) -> bool {
    let table = &<C::Table as DynamoTable>::TABLE;
    let mut variants = C::VARIANTS.iter();
    is_member::<C>(keys) || variants.any(|variant| may_be_key_of(table, variant.entity, keys))
}

/// Whether two items are equal as members of the collection: see [`is_same_entity`](super::is_same_entity).
#[cfg(feature = "streams")]
pub(crate) fn is_same_member<C: DynamoCollection>(one: &[u8], other: &[u8]) -> bool {
    let fresh = |json: &[u8]| {
        // An older shape does not have all fields, so two different items could look equal in it.
        let is_whole = member_entity::<C>(json).is_none_or(|of| !of.writes_older_shape());
        let member = read_collection::<C>(json).ok().filter(|_| is_whole)?;
        member.stored_item().ok()
    };
    fresh(one).is_some_and(|one| fresh(other) == Some(one))
}

/// The error for an item that fits no variant, with its key, because the item can be found again only by it.
#[cold]
fn unfit<C: DynamoCollection>(json: &[u8], fault: CodecError) -> Error {
    let key = KeyJson::object_in(&<C::Table as DynamoTable>::TABLE, json);
    Error::decode(C::NAME, fault).with_item_key(key)
}

/// The variant that an item belongs to.
struct FoundVariant<C: 'static> {
    variant: &'static Variant<C>,
    /// Whether the type attribute decided; without one the key did.
    by_type: bool,
}

/// The variant that an item belongs to, or the reason why it belongs to none.
fn find_variant<C: DynamoCollection>(
    json: &[u8],
) -> Result<Result<FoundVariant<C>, CodecError>, CodecError> {
    let table = &<C::Table as DynamoTable>::TABLE;
    let of_key = || {
        by_key(json).map(|variant| FoundVariant {
            variant,
            by_type: false,
        })
    };
    if is_identified_by_key(table) {
        return Ok(of_key());
    }
    let mut reader = Reader::new(json);
    let mut first = true;
    reader.open_object()?;
    while let Some(name) = reader.next_name(&mut first)? {
        if table.type_attribute != Some(&*name) {
            reader.skip()?;
            continue;
        }
        return match reader.tag()? {
            Tag::S => Ok(by_type(&reader.text()?, json)
                .map(|variant| FoundVariant {
                    variant,
                    by_type: true,
                })
                .map_err(|fault| fault.at(name))),
            other => Ok(Err(CodecError::mismatch(Tag::S, other).at(name))),
        };
    }
    Ok(of_key())
}

/// Finds the variant by the type attribute. An error shows its text only if that is the name of an entity.
fn by_type<C: DynamoCollection>(
    found: &str,
    item: &[u8],
) -> Result<&'static Variant<C>, CodecError> {
    let table = &<C::Table as DynamoTable>::TABLE;
    let is_own = |entity: &EntityDef| {
        entity.stored_name == found
            && (entity.constants.is_empty() || entity.type_match(table, item) == TypeMatch::Own)
    };
    let mut variants = C::VARIANTS.iter();
    if let Some(variant) = variants.find(|variant| is_own(variant.entity)) {
        return Ok(variant);
    }
    let entities = <C::Table as DynamoTable>::ENTITIES.iter();
    let mut known = entities.filter(|entity| entity.stored_name == found);
    let found = match known.next() {
        None => "of another type".to_owned(),
        Some(entity) if entity.constants.is_empty() => {
            format!("of the type `{}`", entity.stored_name)
        }
        Some(entity) => format!("of the type `{}` and its constants", entity.stored_name),
    };
    Err(CodecError::new(format!(
        "an item {found}, which is not a variant: add one for it, or add `#[dynamo(other)] Other(Item)`"
    )))
}

/// Finds the variant by the key: no two entities of a table share one.
fn by_key<C: DynamoCollection>(json: &[u8]) -> Result<&'static Variant<C>, CodecError> {
    let mut variants = C::VARIANTS.iter();
    let table = &<C::Table as DynamoTable>::TABLE;
    variants
        .find(|variant| variant.entity.owns(table, json))
        .ok_or_else(|| {
            if is_identified_by_type(table) {
                return CodecError::typeless();
            }
            let item = match is_identified_by_key(table) {
                true => "an item whose type and key fit no variant",
                false => "an item without a type, whose key fits no variant",
            };
            CodecError::new(format!("{item}: add `#[dynamo(other)] Other(Item)`"))
        })
}

impl TableSchema {
    /// The same with a collection of the table, for those who read the schema: no requests and no checks depend on it.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    ///
    /// #[derive(DynamoTable)]
    /// #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
    /// struct Shop;
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "PROFILE"))]
    /// struct User { user: String }
    ///
    /// #[derive(DynamoEntity)]
    /// #[dynamo(table = Shop, key(pk = "USER#{user}", sk = "ORDER#{number}"))]
    /// struct Order { user: String, number: u32 }
    ///
    /// /// All about one user.
    /// #[derive(DynamoCollection)]
    /// #[dynamo(table = Shop, partition(user))]
    /// enum Account { User(User), Order(Order) }
    ///
    /// let schema = Shop::schema().with_collection::<Account>()?;
    /// assert_eq!(schema.collections[0].doc, "All about one user.");
    /// assert_eq!(schema.collections[0].entities, ["User", "Order"]);
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    pub fn with_collection<C: DynamoCollection>(mut self) -> Result<Self> {
        let (mine, theirs) = (&self.name, <C::Table as DynamoTable>::TABLE);
        let table = theirs.name;
        let is_mine = match self.origin.0 {
            Some(declaration) => declaration.id == theirs.id,
            None => mine == table,
        };
        if !is_mine {
            let collection = C::NAME;
            return Err(Error::config(format!(
                "`{collection}` is a collection of the table `{table}`, and this is `{mine}`: give it to the schema of that one"
            )));
        }
        let entities = C::VARIANTS.iter().map(Variant::name).map(str::to_owned);
        let partition = C::MODEL.partition.map(|parts| {
            let parts = parts.iter().map(|part| (*part).to_owned());
            parts.collect()
        });
        self.collections.push(CollectionSchema {
            name: C::NAME.to_owned(),
            doc: C::MODEL.doc.to_owned(),
            index: C::INDEX.map(|index| index.index.to_owned()),
            partition,
            entities: entities.collect(),
        });
        Ok(self)
    }
}

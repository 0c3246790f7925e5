//! The functions that read an event as changes of an entity or a collection.

use std::collections::BTreeSet;

use super::event::StreamEvent;
use super::follow::{Followed, ItemChanges, Side};
use super::follow_changes::FollowChanges;
use super::group::Consumer;
use super::member_key::MemberKey;
use crate::entity::{
    DynamoCollection, DynamoEntity, DynamoTable, Key, Variant, is_item_of, is_member,
    is_same_entity, is_same_member, may_be_member_key, member_entity, read, read_collection,
    read_key,
};
use crate::error::Result;
use crate::schema::{EntityDef, is_identified_by_key, is_identified_by_type, may_be_key_of};

/// Functions that read the changes of an entity, from an event of a stream or from the stream itself.
///
/// The functions whose names end with `_of` read an event, those with `changes` follow the stream in one process, and
/// those with `consumer` create a worker of a group. Each function is for one view of the stream: an image is read as the
/// entity, and the key of the item replaces a missing image. Some records are not shown, for example those of other
/// entities and those with equal images; see [the guide](crate::guide::streams#changes-that-are-shown).
pub trait EntityChanges: DynamoEntity {
    /// Reads an event of a stream with both images, `NEW_AND_OLD_IMAGES`.
    ///
    /// A record that cannot be read is an [`UnreadChange`](super::UnreadChange), and the iterator continues after it.
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{ChangeEvent, StreamEvent};
    ///
    /// #[derive(Debug, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = number))]
    /// struct Order { number: u32, cents: u64 }
    ///
    /// let event = StreamEvent::from_json(br#"{"Records": [{"eventName": "MODIFY", "dynamodb": {
    ///     "Keys": {"number": {"N": "7"}},
    ///     "OldImage": {"number": {"N": "7"}, "cents": {"N": "900"}},
    ///     "NewImage": {"number": {"N": "7"}, "cents": {"N": "950"}}}}]}"#)?;
    /// for change in Order::changes_of(&event) {
    ///     let ChangeEvent::Changed { old, new } = change.expect("an order").event else { continue };
    ///     assert_eq!((old.cents, new.cents), (900, 950));
    /// }
    /// # Ok::<(), dynamo_entity::Error>(())
    /// ```
    fn changes_of(event: &StreamEvent) -> ItemChanges<Self> {
        ItemChanges::of_event(
            event,
            followed_entity::<Self>(),
            entity_image(),
            entity_image(),
        )
    }

    /// Reads an event of a stream with the images after changes, `NEW_IMAGE`. The item before is only a key.
    fn new_images_of(event: &StreamEvent) -> ItemChanges<Self, Key<Self>> {
        ItemChanges::of_event(
            event,
            followed_entity::<Self>(),
            entity_image(),
            entity_key(),
        )
    }

    /// Reads an event of a stream with the images before changes, `OLD_IMAGE`. The item after is only a key.
    fn old_images_of(event: &StreamEvent) -> ItemChanges<Key<Self>, Self> {
        ItemChanges::of_event(
            event,
            followed_entity::<Self>(),
            entity_key(),
            entity_image(),
        )
    }

    /// Reads only the keys of an event. The stream may have any view, also `KEYS_ONLY`.
    fn keys_of(event: &StreamEvent) -> ItemChanges<Key<Self>> {
        ItemChanges::of_event(event, followed_entity::<Self>(), entity_key(), entity_key())
    }

    /// Follows the stream of the table in this process. The stream must have both images: `stream = new_and_old_images`.
    ///
    /// The first request is sent by [`open`](FollowChanges::open). One process reads all shards; to divide them among
    /// several processes, use [`consumer`](EntityChanges::consumer).
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::{ChangeEvent, HandlerError};
    ///
    /// #[derive(Debug, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = number), stream = new_and_old_images)]
    /// struct Order { number: u32, cents: u64 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), HandlerError> {
    /// let db = Dynamo::connect("embedded:memory").await?;
    /// db.create_tables([Order::schema()]).await?;
    /// let mut changes = Order::changes().open(&db).await?;
    ///
    /// Order { number: 7, cents: 1250 }.put().send(&db).await?;
    /// let change = changes.next().await.expect("a change")?;
    /// assert_eq!(change.event, ChangeEvent::Created(Order { number: 7, cents: 1250 }));
    /// # Ok(()) }
    /// ```
    fn changes() -> FollowChanges<Self> {
        let (new, old) = (entity_image(), entity_image());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// Follows a stream with the images after changes, `NEW_IMAGE`. The item before is only a key.
    fn new_image_changes() -> FollowChanges<Self, Key<Self>> {
        let (new, old) = (entity_image(), entity_key());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// Follows a stream with the images before changes, `OLD_IMAGE`. The item after is only a key.
    fn old_image_changes() -> FollowChanges<Key<Self>, Self> {
        let (new, old) = (entity_key(), entity_image());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// Follows only the keys of a stream. It may have any view, also `KEYS_ONLY`.
    fn key_changes() -> FollowChanges<Key<Self>> {
        let (new, old) = (entity_key(), entity_key());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// Creates a worker of the group with this name. The stream must have both images: `stream = new_and_old_images`.
    ///
    /// The workers of a group divide the shards of the stream, in one process or in many. The
    /// [`LeaseTable`](super::LeaseTable) stores which worker reads each shard, and how far the group has handled it, so
    /// a worker continues where another one stopped. The first request is sent by [`run`](super::ConsumerEach::run).
    ///
    /// ```
    /// use dynamo_entity::prelude::*;
    /// use dynamo_entity::streams::LeaseTable;
    ///
    /// #[derive(Debug, DynamoEntity)]
    /// #[dynamo(table = "orders", key(pk = number), stream = new_and_old_images)]
    /// struct Order { number: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// let db = Dynamo::connect("embedded:memory").await?;
    /// db.create_tables([Order::schema(), LeaseTable::schema()]).await?;
    /// let shutdown = async {}; // in a service, a signal of the operating system
    /// Order::consumer("mailer")
    ///     .each(async |change| -> Result<()> {
    ///         println!("{:?}", change.event);
    ///         Ok(())
    ///     })
    ///     .run(&db, shutdown)
    ///     .await?;
    /// # Ok(()) }
    /// ```
    fn consumer(group: impl Into<String>) -> Consumer<Self> {
        Consumer::of_table(
            group.into(),
            followed_entity::<Self>(),
            entity_image(),
            entity_image(),
        )
    }

    /// Creates a worker for a stream with the images after changes, `NEW_IMAGE`; see [`EntityChanges::consumer`].
    fn new_image_consumer(group: impl Into<String>) -> Consumer<Self, Key<Self>> {
        Consumer::of_table(
            group.into(),
            followed_entity::<Self>(),
            entity_image(),
            entity_key(),
        )
    }

    /// Creates a worker for a stream with the images before changes, `OLD_IMAGE`; see [`EntityChanges::consumer`].
    fn old_image_consumer(group: impl Into<String>) -> Consumer<Key<Self>, Self> {
        Consumer::of_table(
            group.into(),
            followed_entity::<Self>(),
            entity_key(),
            entity_image(),
        )
    }

    /// Creates a worker that reads only keys, from a stream with any view; see [`EntityChanges::consumer`].
    fn key_consumer(group: impl Into<String>) -> Consumer<Key<Self>> {
        Consumer::of_table(
            group.into(),
            followed_entity::<Self>(),
            entity_key(),
            entity_key(),
        )
    }
}

impl<E: DynamoEntity> EntityChanges for E {}

fn entity_image<E: DynamoEntity>() -> Side<E> {
    Side {
        is_image: true,
        read,
    }
}

fn entity_key<E: DynamoEntity>() -> Side<Key<E>> {
    Side {
        is_image: false,
        read: read_key,
    }
}

fn followed_entity<E: DynamoEntity>() -> Followed {
    let (table, entities) = (
        &<E::Table as DynamoTable>::TABLE,
        <E::Table as DynamoTable>::ENTITIES,
    );
    Followed {
        name: E::ENTITY.type_name,
        id: Some(E::ENTITY.id),
        table,
        entities,
        // If a table has one entity and no type attribute, each item belongs to the entity, so that an item in
        // another format is an error.
        is_mine: match table.type_attribute.is_none() && entities.len() <= 1 {
            true => |_| true,
            false => is_item_of::<E>,
        },
        may_be_my_key: match table.type_attribute.is_none() && entities.len() <= 1 {
            true => |_| true,
            false => |keys| may_be_key_of(&<E::Table as DynamoTable>::TABLE, &E::ENTITY, keys),
        },
        is_same: is_same_entity::<E>,
        members: || BTreeSet::from([member_name::<E::Table>(&E::ENTITY)]),
    }
}

/// Functions that read the changes of a collection, from an event of a stream or from the stream itself.
///
/// They are the functions of [`EntityChanges`], and their keys are [`MemberKey`]s. An item of an entity that is no variant
/// is not shown, unless the collection has a variant `#[dynamo(other)]`.
///
/// ```
/// use dynamo_entity::prelude::*;
/// use dynamo_entity::streams::{ChangeEvent, StreamEvent};
///
/// #[derive(DynamoTable)]
/// #[dynamo(name = "shop", pk = "pk", sk = "sk", entities(User, Order))]
/// struct Shop;
///
/// #[derive(Debug, PartialEq, DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "INFO"))]
/// struct User { user_id: String }
///
/// #[derive(Debug, PartialEq, DynamoEntity)]
/// #[dynamo(table = Shop, key(pk = "USER#{user_id}", sk = "ORDER#{number:06}"))]
/// struct Order { user_id: String, number: u32 }
///
/// #[derive(Debug, PartialEq, DynamoCollection)]
/// #[dynamo(table = Shop, partition(user_id))]
/// enum Account { User(User), Order(Order) }
///
/// let event = StreamEvent::from_json(br#"{"Records": [{"eventName": "REMOVE", "dynamodb": {
///     "Keys": {"pk": {"S": "USER#ann"}, "sk": {"S": "ORDER#000007"}}, "StreamViewType": "KEYS_ONLY"}}]}"#)?;
/// for change in Account::keys_of(&event) {
///     let ChangeEvent::Removed { old, .. } = change.expect("a key").event else { continue };
///     assert_eq!(old.of::<Order>()?, Some(Order::key("ann", 7)));
/// }
/// # Ok::<(), dynamo_entity::Error>(())
/// ```
pub trait CollectionChanges: DynamoCollection {
    /// Reads an event of a stream with both images, `NEW_AND_OLD_IMAGES`.
    fn changes_of(event: &StreamEvent) -> ItemChanges<Self> {
        ItemChanges::of_event(
            event,
            followed_collection::<Self>(),
            collection_image(),
            collection_image(),
        )
    }

    /// Reads an event of a stream with the images after changes, `NEW_IMAGE`. The item before is only a key.
    fn new_images_of(event: &StreamEvent) -> ItemChanges<Self, MemberKey> {
        ItemChanges::of_event(
            event,
            followed_collection::<Self>(),
            collection_image(),
            collection_key::<Self>(),
        )
    }

    /// Reads an event of a stream with the images before changes, `OLD_IMAGE`. The item after is only a key.
    fn old_images_of(event: &StreamEvent) -> ItemChanges<MemberKey, Self> {
        ItemChanges::of_event(
            event,
            followed_collection::<Self>(),
            collection_key::<Self>(),
            collection_image(),
        )
    }

    /// Reads only the keys of an event. The stream may have any view, also `KEYS_ONLY`.
    fn keys_of(event: &StreamEvent) -> ItemChanges<MemberKey> {
        let (new, old) = (collection_key::<Self>(), collection_key::<Self>());
        ItemChanges::of_event(event, followed_collection::<Self>(), new, old)
    }

    /// Follows the stream of the table in this process; see [`EntityChanges::changes`]. The stream must have both images.
    fn changes() -> FollowChanges<Self> {
        let (new, old) = (collection_image(), collection_image());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Follows a stream with the images after changes, `NEW_IMAGE`. The item before is only a key.
    fn new_image_changes() -> FollowChanges<Self, MemberKey> {
        let (new, old) = (collection_image(), collection_key::<Self>());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Follows a stream with the images before changes, `OLD_IMAGE`. The item after is only a key.
    fn old_image_changes() -> FollowChanges<MemberKey, Self> {
        let (new, old) = (collection_key::<Self>(), collection_image());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Follows only the keys of a stream. It may have any view, also `KEYS_ONLY`.
    fn key_changes() -> FollowChanges<MemberKey> {
        let (new, old) = (collection_key::<Self>(), collection_key::<Self>());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Creates a worker of the group with this name; see [`EntityChanges::consumer`]. The stream must have both images.
    fn consumer(group: impl Into<String>) -> Consumer<Self> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_image(),
            collection_image(),
        )
    }

    /// Creates a worker for a stream with the images after changes, `NEW_IMAGE`; see [`EntityChanges::consumer`].
    fn new_image_consumer(group: impl Into<String>) -> Consumer<Self, MemberKey> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_image(),
            collection_key::<Self>(),
        )
    }

    /// Creates a worker for a stream with the images before changes, `OLD_IMAGE`; see [`EntityChanges::consumer`].
    fn old_image_consumer(group: impl Into<String>) -> Consumer<MemberKey, Self> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_key::<Self>(),
            collection_image(),
        )
    }

    /// Creates a worker that reads only keys, from a stream with any view; see [`EntityChanges::consumer`].
    fn key_consumer(group: impl Into<String>) -> Consumer<MemberKey> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_key::<Self>(),
            collection_key::<Self>(),
        )
    }
}

impl<C: DynamoCollection> CollectionChanges for C {}

fn collection_image<C: DynamoCollection>() -> Side<C> {
    Side {
        is_image: true,
        read: read_collection,
    }
}

fn collection_key<C: DynamoCollection>() -> Side<MemberKey> {
    Side {
        is_image: false,
        read: read_member::<C>,
    }
}

fn read_member<C: DynamoCollection>(keys: &[u8]) -> Result<MemberKey> {
    let key = MemberKey::new(member_entity::<C>(keys), keys);
    Ok(
        match is_identified_by_type(&<C::Table as DynamoTable>::TABLE) {
            // A key has no type, so it may be one of each entity whose templates it fits.
            true => key.of_any_entity(),
            false => key,
        },
    )
}

fn followed_collection<C: DynamoCollection>() -> Followed {
    Followed {
        name: C::NAME,
        id: None,
        table: &<C::Table as DynamoTable>::TABLE,
        entities: <C::Table as DynamoTable>::ENTITIES,
        is_mine: is_member::<C>,
        may_be_my_key: may_be_member_key::<C>,
        is_same: is_same_member::<C>,
        members: || {
            let members = C::VARIANTS.iter().map(Variant::entity_def);
            // A variant for other items reads the whole table.
            let others = <C::Table as DynamoTable>::ENTITIES.iter();
            let others = others.filter(|_| C::OTHER.is_some()).copied();
            members.chain(others).map(member_name::<C::Table>).collect()
        },
    }
}

/// The name of an entity in checkpoints: its type, or its identity if several entities may have one type.
fn member_name<T: DynamoTable>(entity: &EntityDef) -> String {
    match is_identified_by_key(&T::TABLE) {
        true => entity.identity(&T::TABLE).into_owned(),
        false => entity.stored_name.to_owned(),
    }
}

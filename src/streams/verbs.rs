//! The functions that read an event as changes of an entity or a collection.

use std::collections::BTreeSet;

use super::event::StreamEvent;
use super::follow::{Followed, ItemChanges, Side};
use super::follow_changes::FollowChanges;
use super::group::Consumer;
use super::member_key::MemberKey;
use crate::entity::{
    DynamoCollection, DynamoEntity, DynamoTable, Key, Variant, is_item_of, is_member,
    is_same_entity, is_same_member, member_entity, read, read_collection, read_key,
};
use crate::error::Result;

/// The changes of an entity, in an event of a stream or in the stream itself.
///
/// Each function is for one view of the stream, and its types show the content of the view. Records with equal images,
/// items that store unique values, marks of jobs, and items of other entities are not returned.
pub trait EntityChanges: DynamoEntity {
    /// Reads a stream with both images, `NEW_AND_OLD_IMAGES`.
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

    /// Reads a stream with the images after changes, `NEW_IMAGE`. Only the key is known of the item before.
    fn new_images_of(event: &StreamEvent) -> ItemChanges<Self, Key<Self>> {
        ItemChanges::of_event(
            event,
            followed_entity::<Self>(),
            entity_image(),
            entity_key(),
        )
    }

    /// Reads a stream with the images before changes, `OLD_IMAGE`. Only the key is known of the item after.
    fn old_images_of(event: &StreamEvent) -> ItemChanges<Key<Self>, Self> {
        ItemChanges::of_event(
            event,
            followed_entity::<Self>(),
            entity_key(),
            entity_image(),
        )
    }

    /// Reads the keys of any stream, also one with `KEYS_ONLY`.
    fn keys_of(event: &StreamEvent) -> ItemChanges<Key<Self>> {
        ItemChanges::of_event(event, followed_entity::<Self>(), entity_key(), entity_key())
    }

    /// Follows the stream of the table, which must have both images: `stream = new_and_old_images`. Nothing is sent until
    /// [`open`](FollowChanges::open).
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

    /// Follows a stream with the images after changes, `NEW_IMAGE`. Only the key is known of the item before.
    fn new_image_changes() -> FollowChanges<Self, Key<Self>> {
        let (new, old) = (entity_image(), entity_key());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// Follows a stream with the images before changes, `OLD_IMAGE`. Only the key is known of the item after.
    fn old_image_changes() -> FollowChanges<Key<Self>, Self> {
        let (new, old) = (entity_key(), entity_image());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// Follows the keys of any stream, also one with `KEYS_ONLY`.
    fn key_changes() -> FollowChanges<Key<Self>> {
        let (new, old) = (entity_key(), entity_key());
        FollowChanges::of_table(followed_entity::<Self>(), new, old)
    }

    /// A worker of a group that handles the changes of the table's stream, which must have both images:
    /// `stream = new_and_old_images`. The workers of a group, in any number of processes, divide the shards, and continue
    /// where others ended. The name identifies the group in the [`LeaseTable`](super::LeaseTable).
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

    /// The same for a stream with the images after changes, `NEW_IMAGE`.
    fn new_image_consumer(group: impl Into<String>) -> Consumer<Self, Key<Self>> {
        Consumer::of_table(
            group.into(),
            followed_entity::<Self>(),
            entity_image(),
            entity_key(),
        )
    }

    /// The same for a stream with the images before changes, `OLD_IMAGE`.
    fn old_image_consumer(group: impl Into<String>) -> Consumer<Key<Self>, Self> {
        Consumer::of_table(
            group.into(),
            followed_entity::<Self>(),
            entity_key(),
            entity_image(),
        )
    }

    /// The same for the keys of any stream, also one with `KEYS_ONLY`.
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
        // An entity that has its table alone owns each item in it, so that an item in another format is an error.
        is_mine: match table.type_attribute.is_none() && entities.len() <= 1 {
            true => |_| true,
            false => is_item_of::<E>,
        },
        is_same: is_same_entity::<E>,
        members: || BTreeSet::from([E::ENTITY.stored_name.to_owned()]),
    }
}

/// The changes of a collection, in an event of a stream or in the stream itself; the verbs are those of [`EntityChanges`].
///
/// An item of an entity that is no variant is not shown, unless the collection has a variant `#[dynamo(other)]`.
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
    /// Reads a stream with both images, `NEW_AND_OLD_IMAGES`.
    fn changes_of(event: &StreamEvent) -> ItemChanges<Self> {
        ItemChanges::of_event(
            event,
            followed_collection::<Self>(),
            collection_image(),
            collection_image(),
        )
    }

    /// Reads a stream with the images after changes, `NEW_IMAGE`. Only the key is known of the item before.
    fn new_images_of(event: &StreamEvent) -> ItemChanges<Self, MemberKey> {
        ItemChanges::of_event(
            event,
            followed_collection::<Self>(),
            collection_image(),
            collection_key::<Self>(),
        )
    }

    /// Reads a stream with the images before changes, `OLD_IMAGE`. Only the key is known of the item after.
    fn old_images_of(event: &StreamEvent) -> ItemChanges<MemberKey, Self> {
        ItemChanges::of_event(
            event,
            followed_collection::<Self>(),
            collection_key::<Self>(),
            collection_image(),
        )
    }

    /// Reads the keys of any stream, also one with `KEYS_ONLY`.
    fn keys_of(event: &StreamEvent) -> ItemChanges<MemberKey> {
        let (new, old) = (collection_key::<Self>(), collection_key::<Self>());
        ItemChanges::of_event(event, followed_collection::<Self>(), new, old)
    }

    /// Follows the stream of the table, which must have both images: `stream = new_and_old_images`. Nothing is sent until
    /// [`open`](FollowChanges::open).
    fn changes() -> FollowChanges<Self> {
        let (new, old) = (collection_image(), collection_image());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Follows a stream with the images after changes, `NEW_IMAGE`. Only the key is known of the item before.
    fn new_image_changes() -> FollowChanges<Self, MemberKey> {
        let (new, old) = (collection_image(), collection_key::<Self>());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Follows a stream with the images before changes, `OLD_IMAGE`. Only the key is known of the item after.
    fn old_image_changes() -> FollowChanges<MemberKey, Self> {
        let (new, old) = (collection_key::<Self>(), collection_image());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// Follows the keys of any stream, also one with `KEYS_ONLY`.
    fn key_changes() -> FollowChanges<MemberKey> {
        let (new, old) = (collection_key::<Self>(), collection_key::<Self>());
        FollowChanges::of_table(followed_collection::<Self>(), new, old)
    }

    /// A worker of a group that handles the changes of the table's stream, which must have both images; see
    /// [`EntityChanges::consumer`].
    fn consumer(group: impl Into<String>) -> Consumer<Self> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_image(),
            collection_image(),
        )
    }

    /// The same for a stream with the images after changes, `NEW_IMAGE`.
    fn new_image_consumer(group: impl Into<String>) -> Consumer<Self, MemberKey> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_image(),
            collection_key::<Self>(),
        )
    }

    /// The same for a stream with the images before changes, `OLD_IMAGE`.
    fn old_image_consumer(group: impl Into<String>) -> Consumer<MemberKey, Self> {
        Consumer::of_table(
            group.into(),
            followed_collection::<Self>(),
            collection_key::<Self>(),
            collection_image(),
        )
    }

    /// The same for the keys of any stream, also one with `KEYS_ONLY`.
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
    Ok(MemberKey::new(member_entity::<C>(keys), keys))
}

fn followed_collection<C: DynamoCollection>() -> Followed {
    Followed {
        name: C::NAME,
        id: None,
        table: &<C::Table as DynamoTable>::TABLE,
        entities: <C::Table as DynamoTable>::ENTITIES,
        is_mine: is_member::<C>,
        is_same: is_same_member::<C>,
        members: || {
            let members = C::VARIANTS.iter().map(Variant::stored_name);
            // A variant for other items reads the whole table.
            let others = <C::Table as DynamoTable>::ENTITIES.iter();
            let others = others
                .filter(|_| C::OTHER.is_some())
                .map(|entity| entity.stored_name);
            members.chain(others).map(str::to_owned).collect()
        },
    }
}

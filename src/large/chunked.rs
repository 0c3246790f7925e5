//! Lists of any length beside an item.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use futures_core::Stream;
use futures_util::stream;

use super::content::{joined_parts, parts_of_list};
use super::delete::DeleteLarge;
use super::pages::ListPages;
use super::place::LargePlace;
use super::position::{ListPage, PagePosition};
use super::read::{LargeReads, elements_of, list_of};
use super::write::{HeadChange, LargeWrite};
use crate::codec::DynamoValue;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, Key, Patterns};
use crate::error::Result;
use crate::plan::Steps;

/// A list of any length beside an item, which `chunked(seats: Seat)` declares. `Hall::seats(..)` returns it, with the arguments of
/// `Hall::key(..)`.
///
/// The list is stored in parts beside the item. A `put`, an `update` or an import of the item does not change it, and a delete of
/// the item deletes it.
///
/// ```
/// use dynamo_entity::prelude::*;
///
/// #[derive(Debug, Clone, PartialEq, DynamoValue)]
/// struct Seat { row: u32, number: u32 }
///
/// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// #[dynamo(table = "halls", key(pk = "HALL#{id}"), chunked(seats: Seat))]
/// struct Hall { id: u32, name: String }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Hall::schema()]).await?;
/// Hall { id: 1, name: "Large".into() }.create().send(&db).await?;
/// let seats: Vec<Seat> = (0..20_000).map(|n| Seat { row: n / 100, number: n % 100 }).collect();
/// Hall::seats(1).append(&seats).send(&db).await?;
/// assert_eq!(Hall::seats(1).len(&db).await?, 20_000);
/// assert_eq!(Hall::seats(1).all(&db).await?, seats);
/// # Ok(()) }
/// ```
#[must_use = "nothing happens until an operation is called"]
pub struct Chunked<E: DynamoEntity, T> {
    place: LargePlace<E>,
    part_bytes: Option<usize>,
    element: PhantomData<fn() -> T>,
}

impl<E: DynamoEntity, T> Chunked<E, T> {
    #[doc(hidden)]
    pub fn of_key(key: Key<E>, number: usize) -> Self {
        Chunked {
            place: LargePlace { key, number },
            part_bytes: None,
            element: PhantomData,
        }
    }

    /// Sets the approximate size of the parts that this handle writes, which is 350,000 bytes by default and at most. Outside
    /// of DynamoDB, it is 8 MiB by default, and at most 64 MiB. Smaller parts make smaller pages.
    pub fn part_bytes(mut self, bytes: usize) -> Self {
        self.part_bytes = Some(bytes);
        self
    }

    /// Deletes the list, and not the item.
    pub fn delete(&self) -> DeleteLarge<E> {
        DeleteLarge {
            place: self.place.clone(),
        }
    }

    /// Returns the number of elements, by one strong read; 0 if the list does not exist.
    pub fn len<'d>(&self, db: &'d Dynamo) -> Steps<'d, Result<u64>> {
        let reads = self.reads();
        Steps(Box::pin(async move {
            let head = reads?.head(db).await?;
            Ok(head.map_or(0, |head| head.length))
        }))
    }

    /// Writes the elements again in as few parts as possible, which makes reads cheaper after many small appends. If an append
    /// takes place at the same time, it begins again. The elements are written as they are stored, so attributes that only newer
    /// programs know stay. All parts are in memory.
    pub fn compact<'d>(&self, db: &'d Dynamo) -> Steps<'d, Result<()>> {
        let (place, reads) = (self.place.clone(), self.reads());
        let part_bytes = place.part_bytes(self.part_bytes);
        Steps(Box::pin(async move {
            let reads = reads?;
            for _ in 0..100 {
                let Some((head, parts)) = reads.head_with_parts(list_of, db).await? else {
                    return Ok(());
                };
                let contents = joined_parts(E::ENTITY.type_name, &parts, part_bytes);
                drop(parts);
                let compact = place.write(HeadChange::Compact(head), contents);
                match compact.send(db).await {
                    // The list has changed in between.
                    Err(error) if error.is_conflict() => {}
                    done => return done,
                }
            }
            Err(reads.replaced())
        }))
    }

    fn reads(&self) -> Result<LargeReads> {
        Ok(LargeReads {
            rows: self.place.rows()?,
            pattern: Patterns::<E>::GET,
        })
    }
}

impl<E: DynamoEntity, T: DynamoValue> Chunked<E, T> {
    /// Adds elements at the end of the list. The item must exist. No concurrent append is lost, and the elements of each of them
    /// stay together; their transactions conflict, and are retried.
    ///
    /// Each call writes at least one new part, and no existing part is written again. Therefore append many elements at once, or
    /// join small parts by [`compact`](Self::compact). An append without elements writes nothing, and checks only the item and the
    /// conditions.
    pub fn append<'t>(&self, elements: impl IntoIterator<Item = &'t T>) -> LargeWrite<E>
    where
        T: 't,
    {
        self.write(elements, HeadChange::Append)
    }

    /// Replaces the whole list. The item must exist. A reader sees the former list or the new one. Elements of a concurrent append
    /// are part of the list only if the append takes effect after the replacement.
    pub fn replace<'t>(&self, elements: impl IntoIterator<Item = &'t T>) -> LargeWrite<E>
    where
        T: 't,
    {
        self.write(elements, HeadChange::Replace)
    }

    fn write<'t>(
        &self,
        elements: impl IntoIterator<Item = &'t T>,
        change: HeadChange,
    ) -> LargeWrite<E>
    where
        T: 't,
    {
        let part_bytes = self.place.part_bytes(self.part_bytes);
        let contents = parts_of_list(E::ENTITY.type_name, elements, part_bytes);
        self.place.write(change, contents)
    }

    /// Reads the pages of the list, one part after the other: one part is in memory at a time.
    pub fn pages<'d>(&self, db: &'d Dynamo) -> ListPages<'d, T> {
        ListPages::new(self.reads(), db)
    }

    /// Reads one page of the list, which is a part, and returns it with the position of the next one; `None` if the list has no such
    /// page yet. Begin with `PagePosition::default()`. A program can store the position and continue from it.
    ///
    /// If the list was replaced, compacted or deleted since the position was returned, the error is a
    /// [`Conflict`](crate::error::ErrorKind::Conflict). Appends keep positions valid.
    pub fn page<'d>(
        &self,
        position: &PagePosition,
        db: &'d Dynamo,
    ) -> Steps<'d, Result<Option<ListPage<T>>>>
    where
        T: 'd,
    {
        let (reads, position) = (self.reads(), position.clone());
        Steps(Box::pin(async move {
            let reads = reads?;
            reads.rows.check_storage(db)?;
            for _ in 0..20 {
                let Some(head) = reads.head(db).await? else {
                    // Only the first page of any list may belong to a list that does not exist.
                    let is_any = position.is_first_of_any();
                    return if is_any { Ok(None) } else { Err(reads.moved()) };
                };
                if !position.is_in(&head.generation) {
                    return Err(reads.moved());
                }
                let Some(name) = head.parts.get(position.number()) else {
                    return Ok(None);
                };
                let Some(part) = reads.part(name, db).await? else {
                    reads.check_replaced(&head, db).await?;
                    continue;
                };
                let elements = elements_of(&reads.rows, name, &part)?;
                let at = |number| PagePosition::new(&head.generation, number);
                let (position, next) = (at(position.number()), at(position.number() + 1));
                return Ok(Some(ListPage {
                    elements,
                    position,
                    next,
                }));
            }
            Err(reads.replaced())
        }))
    }

    /// Reads the elements one after the other, as a `Stream`. The first error ends it.
    pub fn stream<'d>(&self, db: &'d Dynamo) -> impl Stream<Item = Result<T>> + use<'d, E, T> {
        let state = Some((self.pages(db), VecDeque::new()));
        stream::unfold(state, |state| async move {
            let (mut pages, mut elements) = state?;
            loop {
                if let Some(element) = elements.pop_front() {
                    return Some((Ok(element), Some((pages, elements))));
                }
                match pages.next_page().await {
                    Ok(Some(page)) => elements = VecDeque::from(page),
                    Ok(None) => return None,
                    Err(error) => return Some((Err(error), None)),
                }
            }
        })
    }

    /// Reads the whole list into memory; an empty one if the list does not exist.
    pub fn all<'d>(&self, db: &'d Dynamo) -> Steps<'d, Result<Vec<T>>>
    where
        T: Send + 'd,
    {
        // Errors of the key come when it is awaited, as those of other reads.
        let reads = self.reads();
        Steps(Box::pin(async move {
            let parts = reads?.all(elements_of::<T>, db).await?;
            Ok(parts.unwrap_or_default().into_iter().flatten().collect())
        }))
    }
}

impl<E: DynamoEntity, T> fmt::Debug for Chunked<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Chunked({:?})", self.place)
    }
}

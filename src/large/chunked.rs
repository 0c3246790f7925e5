//! Lists of any length beside an item.

use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use futures_core::Stream;
use futures_util::stream;

use super::content::{PART_BYTES, parts_of_list};
use super::pages::ListPages;
use super::read::{LargeReads, elements_of};
use super::write::{DeleteLarge, HeadChange, LargePlace, LargeWrite};
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
    part_bytes: usize,
    element: PhantomData<fn() -> T>,
}

impl<E: DynamoEntity, T> Chunked<E, T> {
    #[doc(hidden)]
    pub fn of_key(key: Key<E>, number: usize) -> Self {
        Chunked {
            place: LargePlace { key, number },
            part_bytes: PART_BYTES,
            element: PhantomData,
        }
    }

    /// Sets the approximate size of the parts that this handle writes, which is 350,000 bytes by default and at most. Smaller
    /// parts make smaller pages.
    pub fn part_bytes(mut self, bytes: usize) -> Self {
        self.part_bytes = bytes;
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
    /// join small parts by [`compact`](Self::compact). An append without elements sends nothing.
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
        let contents = parts_of_list(E::ENTITY.type_name, elements, self.part_bytes);
        self.place.write(change, contents)
    }

    /// Writes the elements again in as few parts as possible, which makes reads cheaper after many small appends. If an append
    /// takes place at the same time, it begins again.
    pub fn compact<'d>(&self, db: &'d Dynamo) -> Steps<'d, Result<()>>
    where
        T: Send + Sync + 'd,
    {
        let (place, part_bytes, reads) = (self.place.clone(), self.part_bytes, self.reads());
        Steps(Box::pin(async move {
            let reads = reads?;
            for _ in 0..100 {
                let Some((head, parts)) = reads.head_with_parts(elements_of::<T>, db).await? else {
                    return Ok(());
                };
                let elements: Vec<T> = parts.into_iter().flatten().collect();
                let contents = parts_of_list(E::ENTITY.type_name, &elements, part_bytes);
                drop(elements);
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

    /// Reads the pages of the list, one part after the other: one part is in memory at a time.
    pub fn pages<'d>(&self, db: &'d Dynamo) -> ListPages<'d, T> {
        ListPages::new(self.reads(), db)
    }

    /// Reads one page of the list, by its number from 0; `None` if it has no such page. A page is a part. After the list was
    /// replaced, compacted or deleted, the number means another page.
    pub fn page<'d>(&self, number: usize, db: &'d Dynamo) -> Steps<'d, Result<Option<Vec<T>>>>
    where
        T: 'd,
    {
        let reads = self.reads();
        Steps(Box::pin(async move {
            let reads = reads?;
            for _ in 0..20 {
                let head = reads.head(db).await?;
                let name = head.as_ref().and_then(|head| head.parts.get(number));
                let (Some(head), Some(name)) = (&head, name) else {
                    return Ok(None);
                };
                match reads.part(name, db).await? {
                    Some(part) => return elements_of(&reads.rows, name, &part).map(Some),
                    None => reads.check_replaced(head, db).await?,
                }
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

//! The pages of a list: one part after the other.

use std::fmt;

use super::head::LargeHead;
use super::read::{LargeReads, elements_of};
use crate::codec::DynamoValue;
use crate::dynamo::Dynamo;
use crate::error::Result;

/// The pages of a list, one after the other; see [`Chunked::pages`](super::Chunked::pages).
///
/// All pages are those of the list as it was when the first one was read. Later appends are not part of it.
#[must_use = "nothing is read until pages are requested"]
pub struct ListPages<'d, T> {
    db: &'d Dynamo,
    reads: Result<LargeReads>,
    /// The head that the pages belong to, after the first request.
    head: Option<LargeHead>,
    /// The number of the next page.
    next: usize,
    element: std::marker::PhantomData<fn() -> T>,
}

impl<'d, T: DynamoValue> ListPages<'d, T> {
    pub(super) fn new(reads: Result<LargeReads>, db: &'d Dynamo) -> Self {
        ListPages {
            db,
            reads,
            head: None,
            next: 0,
            element: std::marker::PhantomData,
        }
    }

    /// Reads the next page; `None` after the last one.
    ///
    /// If the list was replaced or deleted since the first page, and the former parts no longer exist, the error is a
    /// [`Conflict`](crate::error::ErrorKind::Conflict). Pages of two versions of the list are never mixed.
    pub async fn next_page(&mut self) -> Result<Option<Vec<T>>> {
        let reads = match &self.reads {
            Ok(reads) => reads,
            Err(error) => return Err(error.again()),
        };
        reads.rows.check_storage(self.db)?;
        for _ in 0..20 {
            let head = match self.head.take() {
                Some(head) => head,
                None => match reads.head(self.db).await? {
                    Some(head) => head,
                    None => return Ok(None),
                },
            };
            let head = self.head.insert(head);
            // The head of the first page is kept: a newer one could have other parts at this position.
            let Some(name) = head.parts.get(self.next) else {
                return Ok(None);
            };
            if let Some(part) = reads.part(name, self.db).await? {
                self.next += 1;
                return elements_of(&reads.rows, name, &part).map(Some);
            }
            reads.check_replaced(head, self.db).await?;
            if self.next > 0 {
                break;
            }
            // No page was returned yet, so the reader may begin with the list as it is now.
            self.head = None;
        }
        Err(reads.replaced())
    }
}

impl<T> fmt::Debug for ListPages<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ListPages({} read)", self.next)
    }
}

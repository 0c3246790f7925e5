//! Reads a query page by page, so that only one page is in memory.

use std::sync::Arc;

use dynamo_entity::prelude::*;

use super::{Contact, ContactRepository};

pub struct Pages {
    contacts: Arc<dyn ContactRepository>,
    /// The rest of the query, or `None` at its end.
    rest: Option<Query<Contact>>,
    cursor: Option<Cursor>,
}

impl Pages {
    pub fn new(contacts: Arc<dyn ContactRepository>, query: Query<Contact>) -> Self {
        Pages {
            contacts,
            rest: Some(query),
            cursor: None,
        }
    }

    pub async fn next(&mut self) -> Result<Option<Vec<Contact>>> {
        let Some(query) = self.rest.take() else {
            return Ok(None);
        };
        let page = self.contacts.page(query.clone()).await?;
        self.cursor = page.next.clone();
        self.rest = page.next.map(|next| query.resume(next));
        Ok(Some(page.rows))
    }

    /// The place from which to go on after the last page, if there is more.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.cursor.as_ref()
    }
}

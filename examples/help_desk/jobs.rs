//! Changes of more rows than fit into a transaction. If you run them again after a crash, they resume.

use dynamo_entity::prelude::*;

use super::desk::{Desk, DeskError, Outcome};
use super::model::{Comment, Customer, CustomerRecord, Status};

impl Desk {
    /// Moves all comments of a ticket into another one, and closes it.
    pub async fn merge(&self, from: u64, into: u64) -> Outcome {
        if from == into {
            return Err(DeskError::Refused("a ticket is not merged into itself"));
        }
        self.change(from, "merged", |tx, ticket| {
            (ticket.status, ticket.merged_into) = (Status::Merged, Some(into));
            tx.with(self.key(into).check().when(|t| t.merged_into().missing()))
        })
        .await?;
        // Each is counted at both tickets, so they go one after the other.
        let comments = Comment::in_partition(&self.tenant, from).consistent();
        let moves = comments.transact_each(|comment| {
            let mut moved = comment.clone();
            moved.ticket = into;
            let counted = self.key(into).update().apply(|t| t.comments().add(1));
            Transaction::new()
                .with(comment.delete())
                .with(moved.into_create())
                .with(self.key(from).update().apply(|t| t.comments().sub(1)))
                .with(counted.when(|t| t.merged_into().missing()))
        });
        let report = moves.concurrency(1).send(&self.db).await?;
        Ok(report.complete().map(drop)?)
    }

    /// Takes away what a customer has written, and at last the customer. It finds their rows by an index, which lags by a
    /// moment: what was written just now may stay.
    pub async fn erase(&self, email: &str) -> Outcome {
        let known = Customer::by_address(&self.tenant, email).send(&self.db);
        let customer = known.await?.ok_or(DeskError::Missing("customer"))?;
        let records = self.of_customer(customer.customer);
        let erased = records.transact_each(|record| match record {
            CustomerRecord::Comment(comment) => {
                let update = comment.update().apply(|c| c.text().set("erased"));
                Transaction::new().with(update.apply(|c| c.customer().remove()))
            }
            CustomerRecord::Ticket(ticket) => {
                let update = ticket.update().apply(|t| t.subject().set("erased"));
                Transaction::new().with(update.apply(|t| t.customer().remove()))
            }
        });
        erased.send(&self.db).await?.complete()?;
        Ok(customer.delete().send(&self.db).await?)
    }
}

//! What concerns more rows than fit into a transaction. Run again after a crash, it goes on where it was.

use dynamo_entity::prelude::*;
use dynamo_entity::transact::try_transact;

use super::desk::{Desk, DeskError, Outcome};
use super::model::{Comment, Customer, Status, Ticket};

impl Desk {
    /// Moves all comments of a ticket into another one, and closes it.
    pub async fn merge(&self, from: u64, into: u64) -> Outcome {
        try_transact(&self.db, async |tx| {
            let ticket = tx.get(self.key(from)).await?;
            if ticket.is_some_and(|ticket| ticket.merged_into == Some(into)) {
                return Ok(()); // the run before was killed
            }
            tx.with(self.key(into).check().if_exists())?;
            let close = |ticket: &mut Ticket| {
                (ticket.status, ticket.merged_into) = (Status::Merged, Some(into));
            };
            self.edit(&tx, from, "merged", close).await
        })
        .await?;
        // Each is counted at both tickets, so they go one after the other.
        let comments = Comment::in_partition(&self.tenant, from).consistent();
        let moves = comments.transact_each(|comment| {
            let moved = Comment {
                ticket: into,
                ..comment.clone()
            };
            Transaction::new()
                .with(comment.delete())
                .with(moved.into_create())
                .with(self.key(from).update().apply(|t| t.comments().sub(1)))
                .with(self.key(into).update().apply(|t| t.comments().add(1)))
        });
        moves.concurrency(1).send(&self.db).await?.complete()?;
        Ok(())
    }

    /// Takes away what a customer has written, and at last the customer.
    pub async fn erase(&self, email: &str) -> Outcome {
        let known = Customer::by_address(&self.tenant, email)
            .send(&self.db)
            .await?;
        let customer = known.ok_or(DeskError::Missing("customer"))?;
        let comments = Comment::of_customer(&self.tenant, customer.customer);
        let comments = comments.update_each(|comment| {
            comment
                .update()
                .apply(|c| (c.text().set("erased"), c.customer().remove()))
        });
        comments.send(&self.db).await?.complete()?;
        let tickets = self.of_customer(customer.customer).update_each(|ticket| {
            ticket
                .update()
                .apply(|t| (t.subject().set("erased"), t.customer().remove()))
        });
        tickets.send(&self.db).await?.complete()?;
        customer.delete().send(&self.db).await?;
        Ok(())
    }
}

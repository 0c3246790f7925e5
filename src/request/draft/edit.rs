//! An UpdateItem, down to its bytes.

use bytes::Bytes;

use crate::clock::Timestamp;
use crate::codec::Writer;
use crate::dynamo::Dynamo;
use crate::entity::{DynamoEntity, DynamoTable, Key};
use crate::error::{Error, Result};
use crate::expr::{Expression, Node, Update};
use crate::request::call::{Outcome, Plan};
use crate::request::check::{CONDITION, Lost};
use crate::request::size;
use crate::request::transact::Member;
use crate::request::unique::{Exchange, Joint};
use crate::wire::{self, Request, Resend};

/// What is written and what is asked of the stored item.
pub(in crate::request) struct Edit<E: DynamoEntity> {
    pub(in crate::request) key: Key<E>,
    pub(in crate::request) update: Update,
    pub(in crate::request) condition: Node,
    /// What it means if the condition fails.
    pub(in crate::request) lost: Lost,
    /// What becomes of unique values.
    pub(in crate::request) exchange: Exchange,
}

impl<E: DynamoEntity> Edit<E> {
    /// The UpdateItem by itself, which returns nothing.
    pub(in crate::request) fn plan_alone(&self, db: &Dynamo, now: Timestamp) -> Result<Plan<()>> {
        let nothing = Outcome::Known(Some(()));
        self.plan(db, now, "NONE", Resend::UnlessAmbiguous, nothing)
    }

    fn member(&self, db: &Dynamo, now: Timestamp) -> Result<Member> {
        let plan = self.plan_alone(db, now)?;
        Member::of_update(plan, &self.key, !self.update.is_empty())
    }

    /// Its place in a transaction, and what keeps its unique values.
    pub(in crate::request) fn members(self, db: &Dynamo, now: Timestamp) -> Result<Vec<Member>> {
        let beside = self.exchange.members(&self.key, now, db)?;
        let main = self.member(db, now)?;
        Ok([main].into_iter().chain(beside).collect())
    }

    /// To be sent by others, who take no answer.
    pub(in crate::request) fn joint(
        self,
        db: &Dynamo,
        now: Timestamp,
        resend: Resend,
    ) -> Result<Joint> {
        if self.exchange.is_empty() {
            let nothing = Outcome::Known(Some(()));
            let plan = self.plan(db, now, "NONE", resend, nothing)?;
            return Ok(Joint::Alone(plan));
        }
        let beside = self.exchange.members(&self.key, now, db)?;
        Ok(Joint::Together(self.member(db, now)?, beside))
    }

    /// Sends both.
    pub(in crate::request) async fn commit(self, db: &Dynamo, now: Timestamp) -> Result<()> {
        let joint = self.joint(db, now, Resend::UnlessAmbiguous)?;
        match joint.send(db).await? {
            None => Ok(()),
            Some((_, error)) => Err(error),
        }
    }

    pub(in crate::request) fn plan<Out>(
        &self,
        db: &Dynamo,
        now: Timestamp,
        returns: &'static str,
        resend: Resend,
        outcome: Outcome<Out>,
    ) -> Result<Plan<Out>> {
        let fail = |fault| Error::encode(E::ENTITY.type_name, fault);
        size::check_update(E::ENTITY.type_name, &self.update)?;
        let mut expression = Expression::default();
        self.update.write(&mut expression);
        let asked = self.condition.write(expression.begin(CONDITION));
        asked.and_then(|()| expression.check()).map_err(fail)?;
        let table = db.table_name(<E::Table as DynamoTable>::TABLE.name);
        let mut body = Writer::for_request(512);
        body.raw("{\"TableName\":");
        body.quoted(&table);
        body.raw(",\"Key\":{");
        self.key.write(&mut body)?;
        body.raw("}");
        expression.write(&mut body);
        if expression.says(CONDITION) {
            body.raw(",\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"");
        }
        if returns != "NONE" {
            body.raw(",\"ReturnValues\":");
            body.quoted(returns);
        }
        body.raw("}");
        Ok(Plan {
            request: Request {
                operation: wire::Operation::UpdateItem,
                table,
                body: Bytes::from(body.into_bytes()),
                resend,
            },
            entity: E::ENTITY.type_name,
            now,
            lost: self.lost,
            participants: Vec::new(),
            outcome,
        })
    }
}

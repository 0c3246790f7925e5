//! A cancelled transaction: the operations that failed, and the reasons.

use super::member::TransactionMember;
use crate::clock::Timestamp;
use crate::error::{Error, Failed, OperationPlace, Stage};
use crate::plan::check::ConditionFailure;
use crate::plan::keys::{ItemKey, ItemKeys, KeyNames};
use crate::plan::meaning::Meaning;
use crate::plan::write_request::WriteRequest;
use crate::schema::EntityDef;
use crate::wire::{ConditionFailed, Failure, Reason};

/// The facts about an operation that are kept during the transaction.
#[derive(Debug, Clone)]
pub(crate) struct Participant {
    /// The operation of the caller, if it was one of several.
    place: Option<OperationPlace>,
    entity: &'static str,
    /// The id of its entity's declaration, if that is known.
    declared: Option<&'static str>,
    key: ItemKey,
    /// The attributes of the primary key of its item.
    names: Option<KeyNames>,
    meaning: Meaning,
}

/// The key attributes of the item of each operation.
pub(crate) fn keys_of(participants: &[Participant]) -> ItemKeys {
    let names = participants.iter().map(|participant| participant.names);
    ItemKeys::AnyOf(names.collect())
}

impl Participant {
    /// The meaning of a failure of its condition, if it is the write of an item.
    pub(crate) fn condition_failure(&self) -> ConditionFailure {
        self.meaning.condition_failure()
    }

    /// A read, which has no condition.
    pub(crate) fn of_read(index: usize, entity: &'static EntityDef, key: ItemKey) -> Self {
        Participant {
            place: Some(OperationPlace { index, name: None }),
            entity: entity.type_name,
            declared: Some(entity.id),
            key,
            names: None,
            meaning: Meaning::Row(ConditionFailure::NEVER),
        }
    }

    pub(crate) fn of_member(member: &TransactionMember) -> Self {
        Participant::with_key(member, member.item_key())
    }

    /// Splits a member into the participant and its write.
    pub(crate) fn split_off(mut member: TransactionMember) -> (Self, Box<WriteRequest>) {
        let key = match member.owner {
            Some(_) => member.item_key(),
            None => std::mem::replace(&mut member.key, ItemKey::from_json(Vec::new())),
        };
        (Participant::with_key(&member, key), member.write)
    }

    fn with_key(member: &TransactionMember, key: ItemKey) -> Self {
        Participant {
            place: member.place,
            entity: member.write.entity,
            declared: member.declaration_id(),
            key,
            names: member.key_names(),
            meaning: member.write.meaning,
        }
    }
}

/// The error of a cancelled transaction, with the operations that failed and the reasons. If the outcome is unknown,
/// that is its source.
pub(crate) fn explain_refusal(
    mut failure: Failure,
    participants: &[Participant],
    now: Timestamp,
) -> Error {
    if let Some(refusal) = failure.refusal.take() {
        let met = explain_refusal(*refusal, participants, now);
        return failure.error.with_source(met);
    }
    let reasons = std::mem::take(&mut failure.reasons);
    let whole = failure.error;
    // Reasons are matched by their position. Without one for each operation, naming any operation
    // would be a guess.
    if reasons.len() != participants.len() {
        return whole;
    }
    let pairs = participants.iter().zip(reasons);
    let blamed: Vec<_> = pairs.filter(|(_, reason)| reason.is_to_blame()).collect();
    // A permanent reason decides the kind of the error, because a retry would meet it again.
    let lasting = blamed
        .iter()
        .position(|(_, reason)| !reason.is_contention());
    // The caller gave one operation, and the others are its unique values. Its error is then that
    // of a single write.
    let is_alone = participants
        .iter()
        .all(|participant| participant.place.is_none());
    let failed = blamed.into_iter().map(|(participant, reason)| {
        let error = participant.explain_reason(reason, now);
        let error = error.with_request_id(whole.request_id());
        let place = participant.place.unwrap_or_default();
        Failed::new(place, participant.key.to_json(), error)
    });
    let mut failed: Vec<Failed> = failed.collect();
    if is_alone && !failed.is_empty() {
        return failed.swap_remove(lasting.unwrap_or(0)).into_error();
    }
    if failed.is_empty() {
        return whole;
    }
    Error::of_operations(failed, lasting.unwrap_or(0))
        .with_code(whole.code())
        .with_request_id(whole.request_id())
}

impl Participant {
    fn explain_reason(&self, reason: Reason, now: Timestamp) -> Error {
        let condition = reason.is_condition().then(|| ConditionFailed {
            item: reason.item.clone(),
        });
        let message = match reason.is_contention() {
            true => format!(
                "another request was in the way ({})",
                reason.reason_message()
            ),
            false => reason.reason_message(),
        };
        let error = Error::new(reason.error_kind(), Stage::Service, message)
            .with_code(Some(reason.reason_code()));
        let failure = Failure {
            condition,
            ..Failure::from(error)
        };
        let error = self.meaning.explain_failure(failure, self.entity, now);
        error.declared_as(self.declared)
    }
}

//! The unique values that a write takes and releases, computed from the values before and after it.

use std::sync::Arc;

use super::rules::ttl_field;
use super::sentinel::{Holding, Sentinel, holding};
use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::entity::{EntityDeclaration, Known, UntypedKey};
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::json::CodecError;
use crate::plan::{Owner, TransactionMember};

/// The unique values of an item, and its expiry time.
#[derive(Debug, Clone, Default)]
pub(crate) struct HeldUniqueValues {
    values: Vec<Holding>,
    /// DynamoDB JSON; `None` if it is not known.
    ttl: Option<Option<Vec<u8>>>,
}

impl HeldUniqueValues {
    /// The values of a missing item.
    pub(crate) fn nothing(declared: &EntityDeclaration) -> Self {
        HeldUniqueValues {
            values: vec![Holding::Nothing; declared.def.uniques.len()],
            ttl: Some(None),
        }
    }

    /// The values of a partly known item. Only the requested values are evaluated.
    pub(crate) fn of(
        declared: &EntityDeclaration,
        known: &Known,
        is_asked: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let values = (0..declared.def.uniques.len()).map(|number| match is_asked(number) {
            true => holding(declared, number, known),
            false => Ok(Holding::Nothing),
        });
        let values: Result<_, CodecError> = values.collect();
        let ttl = match ttl_field(declared) {
            Some(field) => known.json(field).map(|json| json.map(<[u8]>::to_vec)),
            None => Some(None),
        };
        Ok(HeldUniqueValues {
            values: values.map_err(|fault| Error::encode(declared.def.type_name, fault))?,
            ttl,
        })
    }
}

impl HeldUniqueValues {
    /// The sentinels of a known item.
    pub(super) fn sentinels(self) -> Vec<Sentinel> {
        let values = self.values.into_iter();
        let values = values.filter_map(|value| match value {
            Holding::Value(sentinel) => Some(sentinel),
            Holding::Nothing | Holding::Unknown(_) => None,
        });
        values.collect()
    }
}

/// The values that a write takes, and those that it releases.
#[derive(Debug, Clone, Default)]
pub(crate) struct UniqueChanges {
    take: Vec<Sentinel>,
    give_up: Vec<Sentinel>,
    ttl: Option<Vec<u8>>,
}

impl UniqueChanges {
    /// The changes from the values before to the values after. A value that stays is taken again if its sentinel has
    /// to expire at another time, or may not exist yet.
    pub(crate) fn between(
        declared: &EntityDeclaration,
        before: &HeldUniqueValues,
        after: &HeldUniqueValues,
        may_lack: bool,
    ) -> Result<Self> {
        let mut changes = UniqueChanges::default();
        // A put may meet an item that an older program wrote without sentinels, so it takes all of
        // its values, also unchanged ones. A sentinel must also expire with its owner, so a new TTL
        // rewrites all of them.
        let renewed = may_lack || before.ttl.is_none() || before.ttl != after.ttl;
        for (before, after) in before.values.iter().zip(&after.values) {
            for side in [before, after] {
                if let Holding::Unknown(fields) = side {
                    // An unknown value before or after the write would leave a sentinel that no
                    // item owns, or a value without one.
                    return Err(unknown(declared, fields));
                }
            }
            let stays = before == after;
            if let Holding::Value(sentinel) = after
                // A row of another program that exists already may not be written again, because it could be anyone's. The
                // item had this value before, so the row is its own.
                && (!stays || renewed && !sentinel.is_row())
            {
                changes.take.push(sentinel.clone());
            }
            if let (Holding::Value(sentinel), false) = (before, stays) {
                changes.give_up.push(sentinel.clone());
            }
        }
        changes.ttl = match (&after.ttl, ttl_field(declared)) {
            (Some(ttl), _) => ttl.clone(),
            // A sentinel with a wrong TTL would release the value too early, or keep it after its
            // owner has expired.
            (None, Some(field)) if !changes.take.is_empty() => {
                return Err(unknown(declared, &[field]));
            }
            (None, _) => None,
        };
        Ok(changes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.take.is_empty() && self.give_up.is_empty()
    }

    /// The operations in addition to the write of the owner. Values are taken first, then released.
    pub(crate) fn members(
        &self,
        key: &UntypedKey,
        now: Timestamp,
        db: &Dynamo,
    ) -> Result<Vec<TransactionMember>> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let owner = Arc::new(Owner::new(key, self.ttl.clone(), now));
        let take = self.take.iter().map(|sentinel| sentinel.take(&owner, db));
        let give_up = self
            .give_up
            .iter()
            .map(|sentinel| sentinel.give_up(&owner, db));
        take.chain(give_up).collect()
    }
}

/// Law W2: an update that cannot maintain the sentinels is rejected before any request is sent.
fn unknown(declared: &EntityDeclaration, fields: &[&'static str]) -> Error {
    let named: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
    let first = fields.first().copied().unwrap_or_default();
    let message = format!(
        "this update concerns unique values, and {} has to be known before and after it: give it by \
         `.when(|it| it.{first}().eq(..))` or `.missing()` and `set` it to a value, update a loaded entity, or use \
         `modify`",
        named.join(", "),
    );
    Error::new(ErrorKind::InvalidKey, Stage::Request, message).of(declared.def.type_name)
}

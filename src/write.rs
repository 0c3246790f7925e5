//! Writes of one item.

mod alone;
mod condition_check;
mod create;
mod delete;
mod difference;
pub(crate) mod draft;
mod dynamic;
mod edit;
mod evaluated;
mod index_maintenance;
mod item_write;
mod keyed;
mod knowledge;
pub(crate) mod large;
mod large_objects;
mod members;
mod modify;
pub(crate) mod part_name;
mod put;
mod reshape;
mod returning;
mod second_row;
mod unchanged;
pub(crate) mod unique;
pub(crate) mod update;
mod upsert;
mod write_plan;

pub(crate) use alone::{alone, refuse_alone, refuse_other_row};
pub use condition_check::Check;
pub use create::Create;
pub use delete::Delete;
pub(crate) use delete::delete_as_read;
pub(crate) use draft::complete::{refused, stamp_fields};
pub(crate) use draft::expiry::derive_expiry;
pub(crate) use draft::kind::UpdateKind;
pub(crate) use draft::{UpdateDraft, keep_up};
pub use dynamic::{DynamicWrite, DynamicWrites};
pub(crate) use edit::Edit;
pub(crate) use index_maintenance::{IndexMaintenance, KeyChange, Touched};
#[allow(deprecated, reason = "the former name")]
pub use item_write::Repeatable;
pub use item_write::{Idempotent, ItemWrite, RetrySafe};
pub(crate) use keyed::{delete_of, untyped_key, update_of};
pub(crate) use knowledge::{
    UpdateOrigin, attribute_of, known, loaded_condition, split, tell_changes,
};
pub(crate) use modify::revision;
pub use modify::{Modify, TryModify};
pub use put::Put;
pub(crate) use put::{PreparedPut, copied_put, members_with_stored, with_stored};
pub(crate) use reshape::{is_of_other_shape, upgraded};
pub use returning::{
    Omissible, Returning, ReturningChanged, ReturningNew, ReturningNothing, ReturningOld,
};
pub(crate) use returning::{read_back, read_entity};
pub(crate) use second_row::{changed, collision, is_same_item, row_as_read, row_as_read_without};
pub(crate) use unchanged::as_read;
pub use unique::LookUp;
pub(crate) use unique::{
    FailedCondition, HeldUniqueValues, Intent, Main, PlannedWrite, ReadUniqueValues, Rewrite,
    Sentinel, UniqueChanges, attributes_of, stored_values, values_as_stored,
};
#[doc(hidden)]
pub use unique::{no_sentinels, sentinels_of};
pub use update::Update;
pub use upsert::Upsert;
pub(crate) use write_plan::{EvaluatedUpdate, PutMember, ShapeFunctions};
#[doc(hidden)]
pub use write_plan::{WriteOutcome, WritePlan};

pub use crate::entity::guard::{
    AppendOnly, Changing, Checked, Conditional, Guard, Guarded, Open, Reserving, TypeChecked,
    Unconditional, Versioned,
};

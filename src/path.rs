//! Paths to attributes, and the operations at each.

mod former;
mod mode;
mod place;
mod typed;

pub use former::{Former, FormerUse};
pub use mode::{
    CanCompute, CanRemove, CanSet, Comparable, Compressed, Defaulted, DefaultedPart, Fixed,
    Flattened, Free, Kept, KeyUsage, Managed, Mandatory, MaybePartOfIndex, Mode, Optional, Part,
    PartOfIndex, PrimaryKey, Sorted, Unsorted,
};
pub use place::Place;
pub(crate) use place::{DisjointPlaces, PlaceStep};
pub(crate) use typed::ValuePlace;
pub use typed::{Absent, AtPath, Encode, Path, json};

//! What is said about attributes: paths, conditions, changes, and the expressions they become.
//!
//! A closure gets the paths of an entity, one method a field, and returns what shall hold or change:
//!
//! ```
//! use dynamo_entity::prelude::*;
//!
//! #[derive(DynamoValue)]
//! struct Address { city: String }
//!
//! #[derive(DynamoEntity)]
//! #[dynamo(table = "people", key(pk = id))]
//! struct Person { id: String, age: u32, nick: Option<String>, address: Address }
//!
//! let update = Person::key("p1").update()
//!     .apply(|p| (p.age().add(1), p.nick().remove(), p.address().city().set("Kobe")))
//!     .when(|p| p.age().lt(150) & p.address().city().starts_with("To"));
//! ```
//!
//! All names go through `#n` and all values through `:v`, numbered as they appear. The same operation
//! therefore always makes the same bytes, and no name can be a reserved word.

mod change;
mod collection;
mod compare;
mod condition;
mod expression;
mod mode;
mod node;
mod number;
mod operand;
mod path;
mod place;
mod text;
mod update;

pub use change::{Change, Changes};
pub use collection::{Collection, Contains, Json, List, Map, Set};
pub use compare::{Between, Ordered};
pub use condition::{Condition, all, any};
pub(crate) use expression::Expression;
pub use mode::{
    CanCompute, CanRemove, CanSet, Defaulted, DefaultedPart, Fixed, Free, Kept, Managed,
    MaybePartOfIndex, Mode, Optional, Part, PartOfIndex, Plain, PrimaryKey, Use,
};
pub use node::Comparison;
pub(crate) use node::{Node, Term};
pub use number::{Numeric, Room};
pub use operand::{Given, Operand, Size};
pub use path::{Absent, AtPath, Encode, Path, RestPath, json};
pub use place::Place;
pub use text::Textual;
pub(crate) use update::{Action, Update};

//! Paths to attributes, conditions on them, changes of them, and the expressions that are made of these.
//!
//! A closure gets the paths of an entity, one method for each field, and returns what must hold or change:
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
//! # Paths
//!
//! | path | leads to |
//! |---|---|
//! | `o.total()` | a field, under its stored name |
//! | `o.address().city()` | a field of a nested struct, through `Option`, `Box` and `Arc` |
//! | `o.lines().at(0).qty()` | an element of a list, and a field in it |
//! | `o.colors().entry("hair")` | an entry of a map |
//! | `o.rest().entry("later")` | an attribute that has no field |
//!
//! A path is as visible as its field. A field with `skip` has none.
//!
//! # Conditions
//!
//! | on | conditions |
//! |---|---|
//! | everything | `eq` `ne` `is_in` `exists` `missing` `is_type` |
//! | text, numbers, binary, times, dates, unit enums and newtypes of these | `lt` `le` `gt` `ge` `between(a..b)` `between(a..=b)` `between((Bound, Bound))` |
//! | text and binary | `starts_with` `contains` `size()` |
//! | lists and sets | `contains` `len()` |
//! | maps | `len()` |
//! | conditions | `&` `\|` `!` [`all`] [`any`] |
//!
//! The other side is a value or another path of the same type; other types do not compile.
//! Values are compared as they are stored: an enum with an order of its own is compared as text.
//!
//! ## What is missing
//!
//! No comparison with a missing attribute holds, so `!` of it does. The exception is `ne`, which holds,
//! because what is missing differs from every value. So `o.nick().ne("ada")` finds people without a nick, but
//! `o.nick().exists() & o.nick().ne("ada")` does not.
//!
//! - None and an empty set are missing attributes. `eq` with an empty set asks for that, and the `len()`
//!   of a missing set is 0. A list, a map or a text may be stored empty.
//! - A missing field with a `default` has no value here: ask for `missing()` too.
//! - NULL, which other programs write for None, `exists` but compares with nothing.
//!   `is_type(Tag::Null)` finds it. The `len()` of a set counts it as 0.
//!
//! ```
//! # use dynamo_entity::prelude::*;
//! # use std::collections::BTreeSet;
//! # #[derive(Debug, DynamoEntity)]
//! # #[dynamo(table = "people", key(pk = id))]
//! # struct Person { id: String, nick: Option<String>, tags: BTreeSet<String> }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<()> {
//! # let db = Dynamo::connect("embedded:memory").await?;
//! # db.create_tables([Person::schema()]).await?;
//! Person { id: "p1".into(), nick: None, tags: BTreeSet::new() }.create().send(&db).await?;
//!
//! let nobody = Person::key("p1").update().when(|p| p.nick().lt("b"));
//! assert!(nobody.send(&db).await.unwrap_err().is_conflict());
//! Person::key("p1").update().when(|p| p.nick().ne("ada") & p.tags().len().eq(0)).send(&db).await?;
//! # Ok(()) }
//! ```
//!
//! # Changes
//!
//! | on | changes |
//! |---|---|
//! | everything but keys and managed fields | `set`, to a value or to what another path holds |
//! | what may be absent | `remove` `set_or_remove` |
//! | what is in no key of an index | `set_if_absent`, by a value or by what another path holds |
//! | numbers | `add` `sub`, of a value or of what another path holds |
//! | lists | `push` `push_front` `extend` `prepend` `remove_at`; `extend` and `prepend` take another list of the item too |
//! | sets | `insert` `insert_all` `discard` `discard_all` |
//! | maps | `remove_entry`, and the changes of `entry(..)` |
//!
//! One update changes each place once: `o.address().set(..)` and `o.address().city().set(..)` together
//! are refused. All changes see the item as it was before, so two attributes can be swapped.
//!
//! Some changes need a certain state of the item. This becomes part of the condition, and a failure is
//! a conflict that brings the current item:
//!
//! - a nested change needs the struct or map around it, a change of an element needs the element;
//! - a sum has to fit the type: `sub` of an unsigned number stops at zero. A missing number counts as
//!   zero, or as the `default` of the field;
//! - a copy needs a value to copy, a sum of two attributes another number, a list that is appended another list;
//!   `set_if_absent` needs the other value even where it is not used;
//! - of two attributes DynamoDB can compare no sum. So each has to be within half the range of its type, and the sum always
//!   fits. Of two unsigned numbers the one that is subtracted has to be the smaller one, or equal;
//! - a sum, a push or an insert needs the attribute to have the right type or to be missing, but not NULL.
//!
//! # Limits
//!
//! DynamoDB takes 4 KB of text, 300 operators and 2 MB of values in an expression; more is refused before
//! anything is sent. `is_in` takes as many values as fit (DynamoDB's own limit of 100 does not count here). Bytes,
//! `Vec<u8>`, have no elements to change. A `Decimal` or `Number` whose sum needs more digits than
//! its type or DynamoDB has is refused before it is sent if that is known then, else by the service or by the
//! reader.
//!
//! # How it is written
//!
//! All names go through `#n` and all values through `:v`, numbered as they appear. So the same operation
//! always makes the same bytes, and no name can be a reserved word. Parentheses are written only where
//! they are needed. [`explain`](crate::plan::Operation::explain) shows the request.

mod change;
mod collection;
mod compare;
mod comparison;
mod condition;
mod elements;
mod expression;
mod node;
mod number;
mod operand;
mod rest;
mod text;
mod update;

pub use crate::key::{Ordered, Textual};
#[doc(hidden)]
pub use change::UntypedChange;
pub use change::{Change, Changes};
pub use collection::{Collection, Contains, Json, List, Map, Set};
pub use compare::{Between, OperatorOperand};
pub use comparison::Comparison;
pub use condition::{Condition, all, any};
pub use elements::Elements;
pub(crate) use expression::Expression;
pub(crate) use node::{Node, Term};
pub use number::{Numeric, SumBound, SumRange};
pub use operand::{Operand, OperandValue, Size};
pub use rest::RestPath;
pub(crate) use update::{UpdateAction, UpdateActions, UpdateOperand};

pub use crate::path::{
    Absent, AtPath, CanCompute, CanRemove, CanSet, Defaulted, DefaultedPart, Encode, Fixed, Free,
    Kept, KeyUsage, Managed, Mandatory, MaybePartOfIndex, Mode, Optional, Part, PartOfIndex, Path,
    Place, PrimaryKey, Sorted, Unsorted, json,
};

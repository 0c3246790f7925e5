//! Paths to attributes, conditions on them, changes of them, and the expressions built from these.
//!
//! A closure gets the paths of an entity, one method for each field, and returns conditions or changes:
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
//! | path | refers to |
//! |---|---|
//! | `o.total()` | a field, under its stored name |
//! | `o.address().city()` | a field of a nested struct, through `Option`, `Box` and `Arc` |
//! | `o.lines().at(0).qty()` | an element of a list, and a field in it |
//! | `o.colors().entry("hair")` | an entry of a map |
//! | `o.rest().entry("later")` | an attribute that has no field |
//!
//! A path has the visibility of its field. A field with `skip` has none.
//!
//! # Conditions
//!
//! | on | conditions |
//! |---|---|
//! | everything | [`eq`](Path::eq) [`ne`](Path::ne) [`is_in`](Path::is_in) [`exists`](Path::exists) [`missing`](Path::missing) [`is_some`](Path::is_some) [`is_none`](Path::is_none) [`is_type`](Path::is_type) |
//! | text, numbers, binary, times, dates, enums with `#[dynamo(order)]` and newtypes of these | [`lt`](Path::lt) [`le`](Path::le) [`gt`](Path::gt) [`ge`](Path::ge) [`between`](Path::between), with `a..b`, `a..=b` or `(Bound, Bound)` |
//! | text and binary | [`starts_with`](Path::starts_with) [`contains`](Path::contains) [`size`](Path::size) |
//! | lists and sets | [`contains`](Path::contains) [`len`](Path::len) |
//! | maps | [`len`](Path::len) |
//! | conditions | `&` `\|` `!` [`all`] [`any`] |
//!
//! The other side is a value or another path of the same type; other types do not compile. `contains` also takes the
//! path of an element or of a text, and a size is compared with a `usize` or with the path of a number. Values are
//! compared as stored. An enum with `#[dynamo(order)]` is compared by its numbers; other enums support only equality.
//!
//! ## Missing attributes
//!
//! A comparison with a missing attribute is false, so its negation with `!` is true. The exception is `ne`, which is
//! true, because a missing attribute differs from every value. Therefore `o.nick().ne("ada")` finds people without a
//! nick, but `o.nick().exists() & o.nick().ne("ada")` does not.
//!
//! - None and an empty set are missing attributes. `eq` with an empty set checks for that, and the `len()` of a
//!   missing set is 0. A list, a map or a text may be stored empty.
//! - A missing field with a `default` has no value here: check for `missing()` too.
//! - NULL, which other programs write for None, `exists` but compares with nothing, only with the NULL of another
//!   attribute.
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
//! | every attribute except keys and managed fields | [`set`](Path::set), to a value or to the value of another path |
//! | optional attributes | [`remove`](Path::remove) [`set_or_remove`](Path::set_or_remove) |
//! | attributes | [`set_if_absent`](Path::set_if_absent), to a value or to the value of another path |
//! | numbers | [`add`](Path::add) [`sub`](Path::sub), of a value or of the value of another path; [`set_sum`](Path::set_sum) [`set_difference`](Path::set_difference), of another path and one of these |
//! | lists | [`push`](Path::push) [`push_front`](Path::push_front) [`extend`](Path::extend) [`prepend`](Path::prepend) [`remove_at`](Path::remove_at); `extend` and `prepend` take another list of the item too |
//! | sets | [`insert`](Path::insert) [`insert_all`](Path::insert_all) [`discard`](Path::discard) [`discard_all`](Path::discard_all) |
//! | maps | [`remove_entry`](Path::remove_entry), and the changes of `entry(..)` |
//!
//! A field in the template of an index key, in `when(..)`, in a unique value, or from which the expiry is derived supports only `set`,
//! `remove` and `set_or_remove`: the library derives the other attribute from a value that it knows.
//!
//! One update can change each place only once: `o.address().set(..)` and `o.address().city().set(..)` together are an
//! error. All changes see the item as it was before, so you can swap two attributes.
//!
//! Some changes require a certain state of the item. The requirement becomes part of the condition, and a failure is
//! a conflict that contains the current item:
//!
//! - a nested change requires the struct or map around it, a change of an element requires the element;
//! - a sum must fit the type: `sub` of an unsigned number stops at zero. A missing number counts as zero, or as the
//!   `default` of the field;
//! - a copy requires a value to copy, `set_sum` its numbers, a sum of two attributes requires another number, appending a list requires
//!   another list; `set_if_absent` requires the other value even if it is not used;
//! - DynamoDB cannot compare a sum of two attributes. Therefore each must be within half the range of its type, so
//!   that the sum always fits. For unsigned numbers, the subtracted one must be less than or equal to the other;
//! - a sum, a push or an insert requires the attribute to have the right type or to be missing, but not NULL.
//!
//! # Limits
//!
//! DynamoDB accepts 4 KB of text, 300 operators and 2 MB of values in an expression; more is an error before anything
//! is sent. `is_in` accepts as many values as fit (DynamoDB's own limit of 100 does not apply here). Bytes,
//! `Vec<u8>`, have no elements to change. If the sum of a `Decimal` or `Number` needs more digits than its type or
//! DynamoDB supports, it is an error before it is sent if that is known then; otherwise DynamoDB or the reader
//! reports it.
//!
//! # Format of expressions
//!
//! All names are written as `#n` and all values as `:v`, numbered in order of appearance. Therefore the same
//! operation always gives the same bytes, and no name can be a reserved word. Parentheses are written only where they
//! are needed. [`explain`](crate::plan::Operation::explain) shows the request.

mod change;
mod collection;
mod compare;
mod comparison;
mod condition;
mod elements;
mod evaluate;
mod expression;
mod node;
mod number;
mod operand;
mod rest;
mod size;
mod text;
mod update;

pub use crate::key::{Ordered, Textual};
pub(crate) use change::missing_or;
pub use change::{Change, Changes};
#[doc(hidden)]
pub use collection::Needle;
pub use collection::{Collection, Contains, Json, List, Map, Set};
pub use compare::{Between, OperatorOperand};
pub use comparison::Comparison;
pub use condition::{Condition, all, any};
pub use elements::Elements;
pub(crate) use evaluate::{apply_update, holds_for};
pub(crate) use expression::Expression;
pub(crate) use node::{Node, Term};
pub use number::{Numeric, SumBound, SumRange};
pub use operand::{Operand, OperandValue};
pub use rest::RestPath;
#[doc(hidden)]
pub use size::SizeValue;
pub use size::{Size, SizeOperand, SizeRange};
#[doc(hidden)]
pub use update::UntypedChange;
pub(crate) use update::{NULL, UpdateAction, UpdateActions, UpdateOperand};

pub use crate::path::{
    Absent, AtPath, CanCompute, CanRemove, CanSet, Defaulted, DefaultedPart, Encode, Fixed, Free,
    Kept, KeyUsage, Managed, Mandatory, MaybePartOfIndex, Mode, Optional, Part, PartOfIndex, Path,
    Place, PrimaryKey, Sorted, Unsorted, json,
};

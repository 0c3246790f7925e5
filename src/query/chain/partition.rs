//! The arguments for the parts of a partition key: one value each, or several by [`any_of`].

use super::kind::{Formatted, PartKind};
use crate::json::{CodecError, Name};
use crate::key::given::WriteGivenPart;
use crate::key::{Arg, GivenPart, KeyTarget, PLAIN, PartOf, PartPlace, Role};
use crate::query::keys::PartForm;

struct PartValue<F, K: PartKind<F>>(K::Part);

impl<F, K: PartKind<F>> WriteGivenPart for PartValue<F, K> {
    fn write_part(&self, place: PartPlace<'_, '_>) -> Result<(), CodecError> {
        K::write_part(&self.0, place)
    }

    fn write_value(
        &self,
        target: KeyTarget<'_>,
        name: &Name,
        role: Role,
    ) -> Result<(), CodecError> {
        K::write_value(&self.0, target, name, role)
    }
}

fn given_part<F: 'static, K: PartKind<F> + 'static>(value: impl Arg<K::Part>) -> GivenPart {
    GivenPart::new(PartValue::<F, K>(value.into_arg()))
}

/// Writes a part of a sort key, in a template or as an attribute.
pub(super) fn write_sort(
    given: &GivenPart,
    way: &PartForm,
    target: KeyTarget<'_>,
) -> Result<(), CodecError> {
    match way {
        PartForm::Template(write) => write(PartOf::by(&|place| given.write(place)), target),
        PartForm::Value(name) => given.write_sort_value(target, name),
    }
}

/// An argument for a key part that is a field of the type `F`: anything that [`Arg`] allows for its type, or [`any_of`]
/// of several. An `Option<T>` takes a `T`.
///
/// You never name the other parameters: `K` is the format of the part, which may take a truncated type such as
/// [`YearMonth`](crate::key::YearMonth), and `Number` tells one value from several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the type of this part of the key",
    label = "expected what the key holds of the field, or `any_of(..)` of several",
    note = "the field is a `{F}`",
    note = "a part with a format takes what the format leaves: `{{at:month}}` a `YearMonth`, from `YearMonth::from(time)`; `{{at:year}}` a `Year`, from `Year::from(time)`; `{{at:date}}` a date, such as `time.date_naive()`; `{{at:s}}`, `{{at:s:lower}}` and `{{at:epoch}}` `Seconds`, from `Seconds::floor(time)`; `{{at:ms}}`, `{{at:ms:lower}}` and `{{at:epoch_ms}}` `Millis`, from `Millis::floor(time)`",
    note = "a part that is an `Option` takes the value alone, without `Some`: a partition key has no row for a None; in a sort key `.missing()` finds it if `{{field:first}}` or `{{field:last}}` gives it a position"
)]
pub trait KeyArg<F, Number, K = Formatted<PLAIN>> {
    /// The values.
    fn values(self) -> Vec<GivenPart>;
}

/// One value is given.
#[derive(Debug)]
pub struct One(());

/// Several values are given.
#[derive(Debug)]
pub struct Several(());

impl<F: 'static, K: PartKind<F> + 'static, A: Arg<K::Part>> KeyArg<F, One, K> for A {
    fn values(self) -> Vec<GivenPart> {
        vec![given_part::<F, K>(self)]
    }
}

impl<F: 'static, K: PartKind<F> + 'static, A: Arg<K::Part>> KeyArg<F, Several, K> for AnyOf<A> {
    fn values(self) -> Vec<GivenPart> {
        self.0.into_iter().map(given_part::<F, K>).collect()
    }
}

/// An argument for a part of this entity's partition key, in a collection. It does not name the field's type, which
/// may be private.
#[diagnostic::on_unimplemented(
    message = "`{A}` is not the type of this part of the key of `{Self}`",
    label = "expected what the key holds of the field, or `any_of(..)` of several",
    note = "a part with a format takes what the format leaves: `{{at:month}}` a `YearMonth`, from `YearMonth::from(time)`; `{{at:year}}` a `Year`, from `Year::from(time)`; `{{at:date}}` a date, such as `time.date_naive()`; `{{at:s}}`, `{{at:s:lower}}` and `{{at:epoch}}` `Seconds`, from `Seconds::floor(time)`; `{{at:ms}}`, `{{at:ms:lower}}` and `{{at:epoch_ms}}` `Millis`, from `Millis::floor(time)`",
    note = "a part that is an `Option` takes the value alone, without `Some`: a partition key has no row for a None; in a sort key `.missing()` finds it if `{{field:first}}` or `{{field:last}}` gives it a position"
)]
pub trait PartitionArg<const AT: usize, A, Number> {
    /// The values.
    fn values(given: A) -> Vec<GivenPart>;
}

/// Several values for one part of a key; see [`any_of`].
#[derive(Debug, Clone)]
pub struct AnyOf<A>(Vec<A>);

/// Queries several values at once: as an argument for a part of the partition key, and in `eq(..)` of a part of the
/// sort key. For several such parts, all combinations are read, each once.
///
/// Every combination is a separate request, eight at a time. The rows are merged by the sort key, or returned in the
/// given order with [`by_partition`](crate::query::QueryExt::by_partition). If few rows are needed, for example
/// with `first` or a limit, few combinations are queried first: those whose keys come first. An empty list of values
/// gives no rows and no request.
///
/// ```
/// # use dynamo_entity::prelude::*;
/// # #[derive(Debug, Clone, PartialEq, DynamoEntity)]
/// # #[dynamo(table = "counts", key(pk = name, sk = day))]
/// # struct Count { name: String, day: u32, count: u64 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<()> {
/// # let db = Dynamo::connect("embedded:memory").await?;
/// # db.create_tables([Count::schema()]).await?;
/// for (name, day) in [("a", 1), ("b", 2), ("a", 3), ("c", 1)] {
///     Count { name: name.into(), day, count: 1 }.put().send(&db).await?;
/// }
/// let rows = Count::in_partition(any_of(["a", "b"])).day().ge(1).all(&db).await?;
/// assert_eq!(rows.iter().map(|row| row.day).collect::<Vec<_>>(), [1, 2, 3]);
///
/// let rows = Count::in_partition("a").day().eq(any_of([3, 1, 7])).all(&db).await?;
/// assert_eq!(rows.iter().map(|row| row.day).collect::<Vec<_>>(), [1, 3]);
/// # Ok(()) }
/// ```
pub fn any_of<A>(values: impl IntoIterator<Item = A>) -> AnyOf<A> {
    AnyOf(values.into_iter().collect())
}

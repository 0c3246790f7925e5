//! One part of the sort key, and its conditions.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Deref};

use super::kind::{PartKind, PlacedKind, write_none};
use super::partition::{KeyArg, write_sort};
use super::query::Query;
use super::stage::{QueryStage, RowOf};
use crate::entity::EntityContract;
use crate::expr::{Between, Textual};
use crate::json::Name;
use crate::key::{Arg, GivenPart, KeyTarget, SortedPart, width_in};
use crate::query::keys::{KeyDraft, PartForm, WriteTemplate};
use crate::schema::{Pad, PartRanges, Style, Width, ranges_in};

/// The next part of the sort key, a field of the type `F`, at a stage of a chain. `eq` continues with the part after
/// it. A range ends the chain, because DynamoDB reads only one range. The values are those that [`Arg`] accepts for
/// `F`; a part with a format takes the truncated type, and an `Option` the value alone, without `Some`.
#[must_use = "compare the part: `eq`, `lt`, `le`, `gt`, `ge`, `between` or `starts_with`"]
pub struct SortPart<F, Stage> {
    draft: KeyDraft,
    way: PartForm,
    kind: PhantomData<fn() -> (F, Stage)>,
}

/// A stage that is followed by a part of the sort key.
pub trait PartFollows {
    /// The use of the part in a query.
    type Kind;
    /// The stage after the part.
    type Next: QueryStage;
    /// The order of keys by the part.
    type Order;
}

/// A stage that the part does not follow: its method cannot be called.
#[derive(Debug)]
pub struct NotNext<K, Stage>(PhantomData<fn() -> (K, Stage)>);

impl<K, Stage: QueryStage> PartFollows for NotNext<K, Stage> {
    type Kind = K;
    type Next = Stage;
    type Order = PartOrder<ORDERED>;
}

/// The type of the values that a part is compared with.
pub(super) type PartType<F, Stage> = <<Stage as PartFollows>::Kind as PartKind<F>>::Part;

/// The query that a range ends in.
pub(super) type Ranged<Stage> =
    Query<RowOf<<Stage as PartFollows>::Next>, <<Stage as PartFollows>::Next as QueryStage>::Reach>;

/// The keys sort like the values of the part.
pub const ORDERED: u8 = 0;
/// The keys do not sort like the values of the part.
pub const UNORDERED: u8 = 1;

/// The order of keys by a part.
pub const fn order_of(
    natural: Width,
    natural_ranges: PartRanges,
    pad: Option<Pad>,
    last: bool,
    style: Style,
) -> u8 {
    let is_number = matches!(natural, Width::Digits(_) | Width::Signed(_));
    let ranges = ranges_in(natural_ranges, pad);
    // A type without an order has no range in any style, and its own bound says so.
    if matches!(natural_ranges, PartRanges::Fixed) && matches!(ranges, PartRanges::Nothing) {
        return UNORDERED;
    }
    match (width_in(natural, pad, style), style) {
        (Width::Variable, Style::Verbatim(_)) if is_number => UNORDERED,
        // The text after the part decides between two texts of which one begins with the other.
        (Width::Variable, Style::Verbatim(_)) if !last => match ranges {
            PartRanges::PrefixFree => ORDERED,
            _ => UNORDERED,
        },
        _ => ORDERED,
    }
}

/// The order of keys by a part, as a type.
#[derive(Debug)]
pub struct PartOrder<const ORDER: u8>(());

/// A part that can be compared.
#[diagnostic::on_unimplemented(
    message = "the keys do not sort by this part",
    label = "only `eq` is possible here, and `starts_with` of text",
    note = "texts of floats and decimals sort like the numbers only if the template sets their width and decimals, as in `{{price:06.2}}`, and none is negative",
    note = "others wrote the keys of a `verbatim` table: text sorts by its end only in the last part, and numbers do not sort without a width such as `{{field:08}}`",
    note = "a time has a range in every part if it is declared as a time: `{{at:ms}}`, or `{{at:ms:lower}}` in keys in lower case; `format = \"rfc3339_ms\"` on the field keeps the text of its attribute"
)]
pub trait OrderedPart {}

#[diagnostic::do_not_recommend]
impl OrderedPart for PartOrder<ORDERED> {}

impl<F, Stage> SortPart<F, Stage> {
    /// The part of a template after the draft.
    #[doc(hidden)]
    pub fn of_template(draft: KeyDraft, write: WriteTemplate) -> Self {
        SortPart::new(draft, PartForm::Template(write))
    }

    /// The attribute after the draft.
    #[doc(hidden)]
    pub fn of_value(draft: KeyDraft, name: Name) -> Self {
        SortPart::new(draft, PartForm::Value(name))
    }

    /// A part at a stage that does not know the parts before.
    #[doc(hidden)]
    pub fn never(draft: KeyDraft) -> Self {
        SortPart::new(draft, PartForm::Value(Name::new("", "")))
    }

    /// Its components.
    pub(super) fn into_draft(self) -> (KeyDraft, PartForm) {
        (self.draft, self.way)
    }

    fn new(draft: KeyDraft, way: PartForm) -> Self {
        SortPart {
            draft,
            way,
            kind: PhantomData,
        }
    }
}

impl<F, Stage: PartFollows<Kind: PartKind<F>>> SortPart<F, Stage> {
    /// The part equals this value, or one of several given by [`any_of`](super::any_of). The chain continues with the
    /// next part.
    pub fn eq<N>(mut self, value: impl KeyArg<F, N, Stage::Kind>) -> Stage::Next {
        let way = self.way;
        let write =
            |value: GivenPart| move |target: KeyTarget<'_>| write_sort(&value, &way, target);
        let values: Vec<_> = value.values().into_iter().map(write).collect();
        // The draft takes the writers as trait objects, so that it is compiled once and not for
        // each type of a part.
        let values: Vec<_> = values.iter().map(|write| write as _).collect();
        self.draft.push_equalities(&values);
        Stage::Next::of(self.draft)
    }

    /// The part is missing: the field is None, and `{field:first}` or `{field:last}` keeps it in the index. The chain
    /// continues with the next part.
    pub fn missing(mut self) -> Stage::Next
    where
        Stage::Kind: PlacedKind,
    {
        let way = self.way;
        let none =
            |target: KeyTarget<'_>| write_none(<Stage::Kind as PlacedKind>::PLACE, &way, target);
        self.draft.push_equalities(&[&none]);
        Stage::Next::of(self.draft)
    }

    /// The part is less than this value.
    pub fn lt(self, value: impl Arg<PartType<F, Stage>>) -> Ranged<Stage>
    where
        PartType<F, Stage>: SortedPart,
        Stage::Order: OrderedPart,
    {
        self.set_range(None, Some((value.into_arg(), false)))
    }

    /// The part is less than or equal to this value.
    pub fn le(self, value: impl Arg<PartType<F, Stage>>) -> Ranged<Stage>
    where
        PartType<F, Stage>: SortedPart,
        Stage::Order: OrderedPart,
    {
        self.set_range(None, Some((value.into_arg(), true)))
    }

    /// The part is greater than this value.
    pub fn gt(self, value: impl Arg<PartType<F, Stage>>) -> Ranged<Stage>
    where
        PartType<F, Stage>: SortedPart,
        Stage::Order: OrderedPart,
    {
        self.set_range(Some((value.into_arg(), false)), None)
    }

    /// The part is greater than or equal to this value.
    pub fn ge(self, value: impl Arg<PartType<F, Stage>>) -> Ranged<Stage>
    where
        PartType<F, Stage>: SortedPart,
        Stage::Order: OrderedPart,
    {
        self.set_range(Some((value.into_arg(), true)), None)
    }

    /// The part is in a Rust range: `a..b` excludes `b`, `a..=b` includes it, and for two [`Bound`]s each may be
    /// either: `(Bound::Excluded(last_seen), Bound::Included(now))`. An empty or reversed range has no rows and sends
    /// no request. For an `Option` of a range, `None` returns the rows of every value:
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// # use std::ops::RangeInclusive;
    /// # #[derive(Debug, DynamoEntity)]
    /// # #[dynamo(table = "visits", key(pk = house, sk = day))]
    /// # struct Visit { house: String, day: u32 }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Visit::schema()]).await?;
    /// # for day in 1..=5 { Visit { house: "home".into(), day }.put().send(&db).await?; }
    /// async fn visits(db: &Dynamo, days: Option<RangeInclusive<u32>>) -> Result<u64> {
    ///     Visit::in_partition("home").day().between(days).count(db).await
    /// }
    /// assert_eq!(visits(&db, Some(2..=4)).await?, 3);
    /// assert_eq!(visits(&db, None).await?, 5);
    /// # Ok(()) }
    /// ```
    pub fn between(self, range: impl Between<PartType<F, Stage>>) -> Ranged<Stage>
    where
        PartType<F, Stage>: SortedPart,
        Stage::Order: OrderedPart,
    {
        let side = |end| match end {
            Bound::Included(value) => Some((value, true)),
            Bound::Excluded(value) => Some((value, false)),
            Bound::Unbounded => None,
        };
        let (lower, upper) = range.range_ends();
        self.set_range(side(lower), side(upper))
    }

    /// The part begins with this text. In a `verbatim` key, a text that contains the delimiter has rows only in the
    /// last part.
    pub fn starts_with(mut self, text: impl AsRef<str>) -> Ranged<Stage>
    where
        PartType<F, Stage>: Textual<Slice = str>,
    {
        self.draft
            .starting_with(&<Stage::Kind as PartKind<F>>::prefix_text(text.as_ref()));
        Query::new::<Stage::Next>(self.draft)
    }

    fn set_range(
        mut self,
        lower: Option<(PartType<F, Stage>, bool)>,
        upper: Option<(PartType<F, Stage>, bool)>,
    ) -> Ranged<Stage> {
        let way = self.way;
        self.draft.set_range_of(lower, upper, |value, target| {
            Stage::Kind::write_sort(value, &way, target)
        });
        Query::new::<Stage::Next>(self.draft)
    }
}

/// Makes the names of the parts known, so that the compiler message explains why none of them can follow.
#[doc(hidden)]
impl<F, Stage: PartFollows> Deref for SortPart<F, Stage> {
    type Target = <<Stage::Next as QueryStage>::Entity as EntityContract>::SortParts;

    fn deref(&self) -> &Self::Target {
        <Stage::Next as QueryStage>::Entity::SORT_PARTS
    }
}

impl<F, Stage> Clone for SortPart<F, Stage> {
    fn clone(&self) -> Self {
        SortPart {
            draft: self.draft.clone(),
            way: self.way,
            kind: PhantomData,
        }
    }
}

impl<F, Stage> fmt::Debug for SortPart<F, Stage> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draft.fmt(f)
    }
}

//! Several neighbouring parts of the sort key, compared as a tuple: by the first, then by the second, and so on.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, Range, RangeInclusive};

use super::kind::{PartKind, TogetherKind};
use super::part::{OrderedPart, PartFollows, PartType, Ranged, SortPart};
use super::query::Query;
use super::stage::QueryStage;
use crate::json::CodecError;
use crate::key::{Arg, SortedPart};
use crate::query::keys::{KeyDraft, PartForm};

/// Neighbouring parts of the sort key, made by [`SortPart::and`]. A range of their tuples ends the chain.
#[must_use = "compare the parts: `lt`, `le`, `gt`, `ge` or `between`, with a tuple of values"]
pub struct SortParts<Parts> {
    draft: KeyDraft,
    forms: Vec<PartForm>,
    kind: PhantomData<fn() -> Parts>,
}

/// A tuple of parts, each a [`SortPart`].
pub trait PartTuple {
    /// The tuple of their values.
    type Values;
    /// The query after a range of them.
    type Ranged;

    /// The text of a bound: all parts of it, with the text between them in the key.
    #[doc(hidden)]
    fn encode_bound(
        values: &Self::Values,
        forms: &[PartForm],
        draft: &KeyDraft,
    ) -> Result<String, CodecError>;

    /// The query of a finished draft.
    #[doc(hidden)]
    fn ranged_query(draft: KeyDraft) -> Self::Ranged;
}

/// A tuple of values, for parts of these types. Each may have any type that its part accepts alone, for example
/// `&str` for text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of the values `{T}`",
    label = "expected one value for each part"
)]
pub trait PartValues<T> {
    #[doc(hidden)]
    fn into_values(self) -> T;
}

/// A range of tuples: `a..b`, which excludes `b`, `a..=b`, which includes it, or two [`Bound`]s. An `Option` of one of these
/// is open at both ends if it is `None`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of tuples `{T}`",
    label = "expected `(a, b)..(c, d)`, `(a, b)..=(c, d)` or two bounds",
    note = "for one open end write `ge`, `lt` and the like"
)]
pub trait TuplesBetween<T> {
    #[doc(hidden)]
    fn range_ends(self) -> (Bound<T>, Bound<T>);
}

impl<T, V: PartValues<T>> TuplesBetween<T> for Range<V> {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        let (start, end) = (self.start.into_values(), self.end.into_values());
        (Bound::Included(start), Bound::Excluded(end))
    }
}

impl<T, V: PartValues<T>> TuplesBetween<T> for RangeInclusive<V> {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        let (start, end) = self.into_inner();
        (
            Bound::Included(start.into_values()),
            Bound::Included(end.into_values()),
        )
    }
}

impl<T, V: PartValues<T>> TuplesBetween<T> for (Bound<V>, Bound<V>) {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        (self.0.map(V::into_values), self.1.map(V::into_values))
    }
}

#[diagnostic::do_not_recommend]
impl<T, B: TuplesBetween<T>> TuplesBetween<T> for Option<B> {
    fn range_ends(self) -> (Bound<T>, Bound<T>) {
        self.map_or((Bound::Unbounded, Bound::Unbounded), B::range_ends)
    }
}

impl<F, Stage> SortPart<F, Stage>
where
    Stage: PartFollows<Kind: PartKind<F>>,
{
    /// This part and the one after it, compared as a tuple: by this part first, and by the next one if this is equal.
    /// It is one range of the key, so it costs only its rows. [`and`](SortParts::and) adds more parts.
    ///
    /// ```
    /// # use dynamo_entity::prelude::*;
    /// #[derive(Debug, Clone, PartialEq, DynamoEntity)]
    /// #[dynamo(table = "bills", key(pk = house, sk = "{year}#{month}#{number}"))]
    /// struct Bill { house: String, year: u16, month: u8, number: u32 }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<()> {
    /// # let db = Dynamo::connect("embedded:memory").await?;
    /// # db.create_tables([Bill::schema()]).await?;
    /// # for number in 0..24 {
    /// #     let (year, month) = (2025 + number as u16 / 12, 1 + number as u8 % 12);
    /// #     Bill { house: "home".into(), year, month, number }.put().send(&db).await?;
    /// # }
    /// let of_winter = Bill::in_partition("home").year().and(|b| b.month()).between((2025, 11)..(2026, 3));
    /// assert_eq!(of_winter.count(&db).await?, 4);
    /// let since_may = Bill::in_partition("home").year().and(|b| b.month()).ge((2026, 5));
    /// assert_eq!(since_may.count(&db).await?, 8);
    /// # Ok(()) }
    /// ```
    pub fn and<G, Next>(
        self,
        next: impl FnOnce(Stage::Next) -> SortPart<G, Next>,
    ) -> SortParts<(Self, SortPart<G, Next>)>
    where
        Stage::Kind: TogetherKind,
        PartType<F, Stage>: SortedPart,
        Stage::Order: OrderedPart,
        Next: PartFollows<Kind: PartKind<G>>,
        Next::Kind: TogetherKind,
        PartType<G, Next>: SortedPart,
        Next::Order: OrderedPart,
    {
        let (draft, form) = self.into_draft();
        let first = SortParts::<(Self,)> {
            draft,
            forms: vec![form],
            kind: PhantomData,
        };
        first.with_part(next)
    }
}

impl<Parts> SortParts<Parts> {
    /// With the part after these.
    fn with_part<Stage: QueryStage, F, Next, More>(
        mut self,
        next: impl FnOnce(Stage) -> SortPart<F, Next>,
    ) -> SortParts<More> {
        let mut known = self.draft.clone();
        known.parts += self.forms.len();
        let (behind, form) = next(Stage::of(known.clone())).into_draft();
        // The closure could also compare a part with `eq` before it returns the next one. The tuple
        // would then have a gap.
        if behind.parts != known.parts || behind.fronts != known.fronts {
            self.draft.refuse_query(
                "`and` takes the next part alone, as in `.year().and(|row| row.month())`",
            );
        }
        self.forms.push(form);
        SortParts {
            draft: self.draft,
            forms: self.forms,
            kind: PhantomData,
        }
    }
}

impl<Parts: PartTuple> SortParts<Parts> {
    /// The tuple of the parts is less than this one.
    pub fn lt(self, values: impl PartValues<Parts::Values>) -> Parts::Ranged {
        self.set_range(Bound::Unbounded, Bound::Excluded(values.into_values()))
    }

    /// The tuple of the parts is less than or equal to this one.
    pub fn le(self, values: impl PartValues<Parts::Values>) -> Parts::Ranged {
        self.set_range(Bound::Unbounded, Bound::Included(values.into_values()))
    }

    /// The tuple of the parts is greater than this one.
    pub fn gt(self, values: impl PartValues<Parts::Values>) -> Parts::Ranged {
        self.set_range(Bound::Excluded(values.into_values()), Bound::Unbounded)
    }

    /// The tuple of the parts is greater than or equal to this one.
    pub fn ge(self, values: impl PartValues<Parts::Values>) -> Parts::Ranged {
        self.set_range(Bound::Included(values.into_values()), Bound::Unbounded)
    }

    /// The tuple of the parts is in a Rust range: `(2025, 11)..(2026, 3)` excludes its end, `..=` includes it, and
    /// for two [`Bound`]s each may be either. An empty or reversed range has no rows. For an `Option` of a range,
    /// `None` returns the rows of every value.
    pub fn between(self, range: impl TuplesBetween<Parts::Values>) -> Parts::Ranged {
        let (lower, upper) = range.range_ends();
        self.set_range(lower, upper)
    }

    fn set_range(self, lower: Bound<Parts::Values>, upper: Bound<Parts::Values>) -> Parts::Ranged {
        let SortParts {
            mut draft, forms, ..
        } = self;
        let text = |values: &Parts::Values| Parts::encode_bound(values, &forms, &draft);
        let end = |end: &Bound<Parts::Values>| match end {
            Bound::Included(values) => text(values).map(|text| Some((text, true))),
            Bound::Excluded(values) => text(values).map(|text| Some((text, false))),
            Bound::Unbounded => Ok(None),
        };
        let ends = end(&lower).and_then(|lower| Ok((lower, end(&upper)?)));
        draft.between_tuples(forms.len(), ends);
        Parts::ranged_query(draft)
    }
}

macro_rules! tuples {
    ($(($($at:tt $field:ident $stage:ident $value:ident $given:ident),+; $last:ident))+) => {$(
        impl<$($field, $stage),+> PartTuple for ($(SortPart<$field, $stage>,)+)
        where
            $(
                $stage: PartFollows<Kind: PartKind<$field>>,
            )+
        {
            type Values = ($(<$stage::Kind as PartKind<$field>>::Part,)+);
            type Ranged = Ranged<$last>;

            fn encode_bound(
                values: &Self::Values,
                forms: &[PartForm],
                draft: &KeyDraft,
            ) -> Result<String, CodecError> {
                draft.tuple_bound(forms, &[
                    $(&|form, target| $stage::Kind::write_sort(&values.$at, form, target),)+
                ])
            }

            fn ranged_query(draft: KeyDraft) -> Self::Ranged {
                Query::new::<$last::Next>(draft)
            }
        }

        impl<$($value, $given: Arg<$value>),+> PartValues<($($value,)+)> for ($($given,)+) {
            fn into_values(self) -> ($($value,)+) {
                ($(self.$at.into_arg(),)+)
            }
        }
    )+};
}

tuples! {
    (0 F0 S0 V0 A0, 1 F1 S1 V1 A1; S1)
    (0 F0 S0 V0 A0, 1 F1 S1 V1 A1, 2 F2 S2 V2 A2; S2)
    (0 F0 S0 V0 A0, 1 F1 S1 V1 A1, 2 F2 S2 V2 A2, 3 F3 S3 V3 A3; S3)
}

macro_rules! longer {
    ($(($($field:ident $stage:ident),+; $last:ident))+) => {$(
        impl<$($field, $stage),+> SortParts<($(SortPart<$field, $stage>,)+)>
        where
            $last: PartFollows,
        {
            /// These parts and the one after them.
            pub fn and<G, Next>(
                self,
                next: impl FnOnce($last::Next) -> SortPart<G, Next>,
            ) -> SortParts<($(SortPart<$field, $stage>,)+ SortPart<G, Next>)>
            where
                Next: PartFollows<Kind: PartKind<G>>,
                Next::Kind: TogetherKind,
                PartType<G, Next>: SortedPart,
                Next::Order: OrderedPart,
            {
                self.with_part(next)
            }
        }
    )+};
}

longer! {
    (F0 S0, F1 S1; S1)
    (F0 S0, F1 S1, F2 S2; S2)
}

impl<Parts> Clone for SortParts<Parts> {
    fn clone(&self) -> Self {
        SortParts {
            draft: self.draft.clone(),
            forms: self.forms.clone(),
            kind: PhantomData,
        }
    }
}

impl<Parts> fmt::Debug for SortParts<Parts> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.draft.fmt(f)
    }
}

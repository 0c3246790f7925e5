//! The source of a query, as a type: it determines whether the read can be strong.

use std::marker::PhantomData;

mod sealed {
    pub trait Sealed {}
}

/// The source of a query.
pub trait Reach: sealed::Sealed + Send + Sync + 'static {}

/// The table itself.
#[derive(Debug)]
pub struct InTable(());

/// A local index.
#[derive(Debug)]
pub struct InLocalIndex(());

/// A global index.
#[derive(Debug)]
pub struct InGlobalIndex(());

/// The whole table, by a scan.
#[derive(Debug)]
pub struct WholeTable(());

/// Any of these: a query that was converted to a `Query<Row>`.
#[derive(Debug)]
pub struct Anywhere(());

/// The items of the rows of a query that reads from `From`.
#[derive(Debug)]
pub struct Hydrated<From>(PhantomData<From>);

/// A query that can see every write that was acknowledged before.
#[diagnostic::on_unimplemented(
    message = "this query cannot be `consistent()`",
    label = "it reads `{Self}`",
    note = "a global index is written after its table, and DynamoDB has no strong reads of it: read the table, or an `lsi`",
    note = "where a query was turned into a `Query<Row>`, call `consistent()` before"
)]
pub trait StrongReads: Reach {}

/// A query whose rows have the order of a key.
#[diagnostic::on_unimplemented(
    message = "a scan has no order to turn around",
    label = "it reads `{Self}`",
    note = "rows are ordered within a partition: query one by `in_partition(..)` or an index"
)]
pub trait InOrder: Reach {}

/// Whether an index is global.
#[doc(hidden)]
#[derive(Debug)]
pub struct IndexIsGlobal<const GLOBAL: bool>(());

/// The source of a query of such an index.
#[doc(hidden)]
pub trait ReachOfIndex {
    /// The global or the local index.
    type Reach: Reach;
}

impl ReachOfIndex for IndexIsGlobal<true> {
    type Reach = InGlobalIndex;
}

impl ReachOfIndex for IndexIsGlobal<false> {
    type Reach = InLocalIndex;
}

macro_rules! reaches {
    ($($reach:ident [$($can:ident),*];)*) => {$(
        impl sealed::Sealed for $reach {}
        impl Reach for $reach {}
        $(
            #[diagnostic::do_not_recommend]
            impl $can for $reach {}
        )*
    )*};
}

impl<From: Reach> sealed::Sealed for Hydrated<From> {}
impl<From: Reach> Reach for Hydrated<From> {}
#[diagnostic::do_not_recommend]
impl<From: Reach> StrongReads for Hydrated<From> {}
#[diagnostic::do_not_recommend]
impl<From: InOrder> InOrder for Hydrated<From> {}

reaches! {
    InTable [StrongReads, InOrder];
    InLocalIndex [StrongReads, InOrder];
    InGlobalIndex [InOrder];
    WholeTable [StrongReads];
    Anywhere [InOrder];
}

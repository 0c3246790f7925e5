//! The works that are measured.

/// Prefixes of table names. They tell how many rows a query finds.
pub const ONE: &str = "rows-1";
pub const TEN: &str = "rows-10";
pub const SHORT: &str = "rows-100";
pub const LONG: &str = "rows-1000";
/// A table with a thousand rows, whose keys are made of the fields.
pub const FILED: &str = "rows-1000-filed";
/// The prefix of a table whose writes are refused: their condition does not hold of the item that is there.
pub const REFUSED: &str = "refused";

macro_rules! works {
    ($($work:ident $text:literal x $times:literal: $what:literal;)+) => {
        /// One thing that is measured; every side does it, or says that it does not.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Work { $($work,)+ }

        impl Work {
            pub const ALL: &[Work] = &[$(Work::$work,)+];

            /// The name on the command line and in the recorded values.
            pub fn name(self) -> &'static str {
                match self { $(Work::$work => $text,)+ }
            }

            /// The description for people.
            pub fn what(self) -> &'static str {
                match self { $(Work::$work => $what,)+ }
            }

            /// How often the work is done when instructions are counted.
            pub fn times(self) -> u32 {
                match self { $(Work::$work => $times,)+ }
            }
        }
    };
}

works! {
    Encode "encode" x 200: "encode an item, to bytes";
    Decode "decode" x 200: "decode an item, from bytes";
    EncodeMap "encode-map" x 200: "encode an item, SDK only to its maps";
    DecodeMap "decode-map" x 200: "decode an item, SDK only from its maps";
    Get "get" x 40: "Get";
    Put "put" x 40: "Put";
    Update "update" x 40: "Update, new item returned";
    Delete "delete" x 40: "Delete";
    Query1 "query-1" x 40: "Query, 1 row";
    Query10 "query-10" x 20: "Query, 10 rows";
    Query100 "query-100" x 8: "Query, 100 rows";
    Query1000 "query-1000" x 2: "Query, 1000 rows";
    Keys1000 "keys-1000" x 2: "the same with keys made of fields, which are compared";
    Select1000 "select-1000" x 2: "two fields of these rows, one of them a part of the key";
    Scan100 "scan-100" x 8: "Scan, 100 rows";
    BatchGet100 "batch-get-100" x 8: "BatchGet, 100 items";
    BatchWrite25 "batch-write-25" x 10: "BatchWrite, 25 puts";
    FlatGet "flat-get" x 40: "Get, flat item";
    FlatPut "flat-put" x 40: "Put, flat item";
    FlatQuery100 "flat-query-100" x 8: "Query, 100 flat rows";
    FlatBatchGet100 "flat-batch-get-100" x 8: "BatchGet, 100 flat items";
    FlatBatchWrite25 "flat-batch-write-25" x 10: "BatchWrite, 25 flat puts";
    GivenGet "given-get" x 40: "Get, by a client that the caller has made";
    GivenPut "given-put" x 40: "Put, by a client that the caller has made";
    Transact3 "transact-3" x 20: "TransactWrite, put, update and check";
    Snapshot3 "snapshot-3" x 20: "TransactGet, 3 items";
    Partition "partition" x 1: "6400 short rows of one partition, 64 requests";
    Shards "shards" x 1: "the same rows merged from 64 shards";
    PutLarge "put-large" x 10: "Put of an item of 100 KB";
    Conflict "conflict" x 10: "the same refused by its condition, with the item that is there";
    GetObserved "get-observed" x 40: "Get, with an observer that does nothing";
    GetMetered "get-metered" x 40: "Get, counted by pattern";
    GetHot "get-hot" x 40: "Get, with the search for hot partitions";
    GetUntraced "get-untraced" x 40: "Get, with tracing, where nobody wants the span";
    GetTraced "get-traced" x 40: "Get, with a span that nobody keeps";
}

impl Work {
    pub fn named(name: &str) -> Option<Work> {
        Work::ALL.iter().copied().find(|work| work.name() == name)
    }

    /// The work of the library with which this one is compared, if it is not compared with hand-written code.
    pub fn base(self) -> Option<Work> {
        match self {
            Work::Shards => Some(Work::Partition),
            Work::Conflict => Some(Work::PutLarge),
            _ => self.is_watched().then_some(Work::Get),
        }
    }

    /// Whether only the library does this work.
    pub fn is_of_library(self) -> bool {
        use Work::{Conflict, Partition, PutLarge, Shards};
        matches!(self, Partition | Shards | PutLarge | Conflict) || self.is_watched()
    }

    /// Whether it is a Get of a connection that somebody watches.
    pub fn is_watched(self) -> bool {
        use Work::{GetHot, GetMetered, GetObserved, GetTraced, GetUntraced};
        matches!(
            self,
            GetObserved | GetMetered | GetHot | GetUntraced | GetTraced
        )
    }

    /// Whether the work only converts an item and sends no request.
    pub fn is_conversion(self) -> bool {
        matches!(
            self,
            Work::Encode | Work::Decode | Work::EncodeMap | Work::DecodeMap
        )
    }
}

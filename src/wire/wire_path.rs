//! The path by which a request went to DynamoDB, and the reason.

use std::fmt;
use std::sync::Arc;

/// The path by which a request went to DynamoDB.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WirePath {
    /// By a call of the engine in this process, without the SDK.
    InProcess,
    /// Without the SDK's orchestration: the first attempt had a response.
    Direct,
    /// Without the SDK's orchestration at first. That attempt failed or was rejected, for example by a failed
    /// condition. The SDK then decided about retries and the error, unless the time limit of the whole operation was
    /// over.
    Replayed,
    /// Through the SDK from the beginning.
    Sdk(SdkFallback),
}

/// The report of a request on its path.
#[derive(Debug)]
pub(crate) struct WireTrace {
    pub(crate) path: WirePath,
    /// How often the SDK sent it, or was told that it was sent.
    by_sdk: u64,
    /// Whether failed attempts are events of the request's span.
    #[cfg(feature = "tracing")]
    pub(crate) is_traced: bool,
}

/// A request that was rejected before it was sent has not come further.
impl Default for WireTrace {
    fn default() -> Self {
        WireTrace {
            path: WirePath::Sdk(SdkFallback::NotSent),
            by_sdk: 0,
            #[cfg(feature = "tracing")]
            is_traced: false,
        }
    }
}

impl WireTrace {
    /// Records that the SDK has finished a request, and how often it has sent it.
    pub(super) fn end_trace(&mut self, by_sdk: u64) {
        self.by_sdk = by_sdk;
    }

    /// How often it was sent.
    pub(crate) fn attempt_count(&self) -> u64 {
        match self.path {
            WirePath::InProcess | WirePath::Direct => 1,
            WirePath::Replayed | WirePath::Sdk(_) => self.by_sdk,
        }
    }
}

/// Why a request went through the SDK from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SdkFallback {
    /// The caller has chosen this path with [`through_sdk`](crate::dynamo::Dynamo::through_sdk).
    Asked,
    /// It was one of the first requests of the client, from which the direct path is learned.
    Learning,
    /// The request was rejected before anything was sent: there is no runtime for the client's connections.
    NotSent,
    /// The client has something whose meaning only the SDK knows, such as an interceptor; the text names it.
    Unusual(Arc<str>),
    /// The table is named by an ARN, on which the endpoint may depend.
    TableArn,
    /// Searches of vector indexes have an endpoint of their own.
    Search,
    /// Earlier requests have consumed a part of the client's quota of retries, and only the SDK refills it.
    Quota,
    /// The clock shows a year that no signature can have, before 1970 or after 9999.
    Clock,
    /// A subscriber receives the SDK's spans: the level of `tracing` is `DEBUG` or finer.
    Traced,
    /// A meter provider receives the SDK's measurements.
    Metered,
    /// Credentials have to be loaded first.
    Credentials,
    /// The credentials are of another account now, which may have an endpoint of its own.
    Account,
    /// The request's client token is too old to be sent again.
    OldToken,
    /// The body is large, and the SDK watches whether its upload makes progress.
    LargeBody,
}

impl fmt::Display for WirePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WirePath::InProcess => f.write_str("in this process"),
            WirePath::Direct => f.write_str("the direct path"),
            WirePath::Replayed => {
                f.write_str("the direct path, whose failure was given to the SDK")
            }
            WirePath::Sdk(detour) => write!(f, "through the SDK: {detour}"),
        }
    }
}

impl fmt::Display for SdkFallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SdkFallback::Asked => "because the connection requires it",
            SdkFallback::Learning => "the client was not known yet",
            SdkFallback::NotSent => "nothing was sent",
            SdkFallback::Unusual(what) => return write!(f, "the client is unusual: {what}"),
            SdkFallback::TableArn => "the table is named by its ARN",
            SdkFallback::Search => "searches of vector indexes have an endpoint of their own",
            SdkFallback::Quota => "the quota of retries is not full",
            SdkFallback::Clock => "the clock of this machine shows a year that cannot be signed",
            SdkFallback::Traced => "a subscriber listens to the SDK's spans",
            SdkFallback::Metered => "the SDK's metrics are collected",
            SdkFallback::Credentials => "the credentials have to be loaded",
            SdkFallback::Account => "the credentials belong to another account",
            SdkFallback::OldToken => "the client token is too old",
            SdkFallback::LargeBody => "the body is large",
        })
    }
}

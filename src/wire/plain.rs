//! The first attempt of a request, without the SDK's orchestration.
//!
//! Most of the work of a small request is the SDK's, and it comes to the same for every request of a client. So the
//! first request goes through the SDK and is a lesson; those that follow are written, signed and sent here, by the
//! SDK's own connector. An answer that can be read is returned. Everything else is given to the SDK as the result of
//! its first attempt, so that retries, pauses, quotas and errors stay its own.
//!
//! ```text
//! lesson  what the SDK's request shows, and whether all of it is understood
//! route   writes and signs a request as it was learned
//! identity  the credentials that sign it, and how they reach the SDK
//! clock   the service's clock, by which it is signed
//! upload  gives up a request that no connection takes
//! attempt sends it, and reads the answer
//! replay  gives the SDK what came of the first attempt
//! ```
//!
//! Requests that are not understood keep the SDK's way, and so do those that the SDK has other work with: see
//! [`SdkFallback`].

mod attempt;
mod client_probe;
mod clock;
mod identity;
mod replay;
mod route;
#[cfg(test)]
mod tests;
mod upload;

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use aws_smithy_observability::global::get_telemetry_provider;
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use tracing::level_filters::LevelFilter;

use super::{Request, TokenLife};

pub(super) use attempt::{FailedAttempt, PlainAttempt};
pub(super) use client_probe::ClientProbe;
pub(super) use replay::{FirstResult, ReplayClient, TimeOver};
pub(super) use route::TimeLimit;

use aws_sdk_dynamodb::config::SharedIdentityCache;
use clock::ServiceClock;
use identity::IdentityLoad;
use route::Route;

/// How many lessons in a row may fail to be confirmed before no more are taken. Credentials that change after a lesson
/// spoil it, so one is not enough.
const MOST_LESSONS: u8 = 4;

/// The name of the meter of a program that measures nothing.
const NO_METER: &str = "noop";

/// The way by which a request went to the service.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WirePath {
    /// By a call of the engine in this process, without the SDK.
    InProcess,
    /// Past the SDK's orchestration: the first attempt was answered.
    Plain,
    /// Past the SDK's orchestration at first. That attempt failed or was rejected, such as by a failed condition. The SDK
    /// decided what became of it, unless the time of the whole operation was over.
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
    /// The SDK is done with a request that it has sent so often.
    pub(super) fn end(&mut self, by_sdk: u64) {
        self.by_sdk = by_sdk;
    }

    /// How often it was sent.
    pub(crate) fn attempts(&self) -> u64 {
        match self.path {
            WirePath::InProcess | WirePath::Plain => 1,
            WirePath::Replayed | WirePath::Sdk(_) => self.by_sdk,
        }
    }
}

/// Why a request went through the SDK from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SdkFallback {
    /// The connection was told so by [`through_sdk`](crate::dynamo::Dynamo::through_sdk).
    Asked,
    /// It was one of the first requests of the client, from which the plain way is learned.
    Learning,
    /// It was refused before anything was sent: there is no runtime for the client's connections.
    NotSent,
    /// The client has something whose meaning only the SDK knows, such as an interceptor; the text names it.
    Unusual(Arc<str>),
    /// The table is named by an ARN, on which the endpoint may depend.
    TableArn,
    /// Earlier requests have taken from the client's quota of retries, and only the SDK fills it up.
    Quota,
    /// The clock shows a year that no signature can have, before 1970 or after 9999.
    Clock,
    /// Someone listens to the SDK's spans: the level of `tracing` is `DEBUG` or finer.
    Traced,
    /// Someone counts what the SDK measures.
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
            WirePath::Plain => f.write_str("the plain way"),
            WirePath::Replayed => f.write_str("the plain way, whose failure was given to the SDK"),
            WirePath::Sdk(detour) => write!(f, "through the SDK: {detour}"),
        }
    }
}

impl fmt::Display for SdkFallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SdkFallback::Asked => "as the connection was told",
            SdkFallback::Learning => "the client was not known yet",
            SdkFallback::NotSent => "nothing was sent",
            SdkFallback::Unusual(what) => return write!(f, "the client is unusual: {what}"),
            SdkFallback::TableArn => "the table is named by its ARN",
            SdkFallback::Quota => "the quota of retries is not full",
            SdkFallback::Clock => "the clock of this machine shows a year that cannot be signed",
            SdkFallback::Traced => "the SDK's spans are listened to",
            SdkFallback::Metered => "the SDK's measurements are listened to",
            SdkFallback::Credentials => "the credentials have to be loaded",
            SdkFallback::Account => "the credentials are of another account",
            SdkFallback::OldToken => "the client token is too old",
            SdkFallback::LargeBody => "the body is large",
        })
    }
}

/// Facts about a client.
#[derive(Debug, Default)]
pub(super) struct DirectPath {
    learned: RwLock<Learned>,
    lessons: AtomicU8,
    clock: Arc<ServiceClock>,
}

/// Why a request goes through the SDK, and the credentials that were requested before that was known.
#[derive(Debug)]
pub(super) struct SdkCourse {
    pub(super) detour: SdkFallback,
    pub(super) identity: Option<SharedIdentityCache>,
}

impl From<SdkFallback> for SdkCourse {
    fn from(detour: SdkFallback) -> Self {
        SdkCourse {
            detour,
            identity: None,
        }
    }
}

#[derive(Debug, Default, Clone)]
enum Learned {
    #[default]
    Nothing,
    /// It is not confirmed yet.
    ClientProbe(Arc<ClientProbe>),
    Route(Arc<Route>),
    Unusual(Arc<str>),
}

impl DirectPath {
    /// Sends the request, or tells why it does not go this way.
    pub(super) fn begin(
        &self,
        request: &Request,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<PlainAttempt, SdkCourse> {
        let (route, lesson) = self.route(request)?;
        let now = route.now();
        if let Some(token) = token
            && !token.is_remembered(now)
        {
            return Err(SdkFallback::OldToken.into());
        }
        let identity = match route.start_identity() {
            None => None,
            Some(IdentityLoad::Ended(Ok(identity))) => Some(identity),
            Some(load) => return Err(course(&route, SdkFallback::Credentials, Some(load))),
        };
        let date = route.signing_date(now);
        let written = match lesson {
            Some(lesson) if !self.confirm(&lesson, identity.as_ref()) => Err(SdkFallback::Learning),
            _ => route.write(request.operation, &request.body, identity.as_ref(), date),
        };
        match written {
            Ok(written) => {
                let identity = identity.map(|identity| route.share(identity));
                Ok(PlainAttempt::new(&route, written, identity, now))
            }
            Err(detour) => {
                if detour == SdkFallback::Account {
                    self.forget(&route);
                }
                let load = identity.map(|identity| IdentityLoad::Ended(Ok(identity)));
                Err(course(&route, detour, load))
            }
        }
    }

    /// The route, and the lesson that shows it if it is not confirmed.
    fn route(
        &self,
        request: &Request,
    ) -> Result<(Arc<Route>, Option<Arc<ClientProbe>>), SdkFallback> {
        // This comes first: the endpoint may be another account's, so there is nothing to learn from the request
        // either.
        if request.table.starts_with("arn:") {
            return Err(SdkFallback::TableArn);
        }
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        let (route, lesson) = match &*learned {
            Learned::Nothing => return Err(SdkFallback::Learning),
            Learned::Unusual(what) => return Err(SdkFallback::Unusual(what.clone())),
            Learned::ClientProbe(lesson) => (lesson.route.clone(), Some(lesson.clone())),
            Learned::Route(route) => (route.clone(), None),
        };
        drop(learned);
        if LevelFilter::current() >= LevelFilter::DEBUG {
            return Err(SdkFallback::Traced);
        }
        if is_metered() {
            return Err(SdkFallback::Metered);
        }
        if route.is_too_large(&request.body) {
            return Err(SdkFallback::LargeBody);
        }
        if !route.has_full_quota() {
            return Err(SdkFallback::Quota);
        }
        Ok((route, lesson))
    }

    /// Whether there is something to learn.
    pub(super) fn is_curious(&self) -> bool {
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        matches!(&*learned, Learned::Nothing)
    }

    /// Learns from a request that the SDK has sent. If several requests run concurrently, the first one counts.
    pub(super) fn learn(&self, lesson: Result<ClientProbe, String>) {
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        *learned = match lesson {
            Err(unusual) => Learned::Unusual(unusual.into()),
            Ok(lesson) if matches!(&*learned, Learned::Nothing) => {
                Learned::ClientProbe(Arc::new(lesson))
            }
            Ok(_) => return,
        };
    }

    /// Compares a lesson with what would be written with these credentials.
    fn confirm(&self, lesson: &Arc<ClientProbe>, identity: Option<&Identity>) -> bool {
        let confirmed = lesson.confirm(identity);
        let is_confirmed = confirmed.is_ok();
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        // Requests that begin together compare the same lesson, and only one of them decides.
        if !matches!(&*learned, Learned::ClientProbe(known) if Arc::ptr_eq(known, lesson)) {
            return is_confirmed;
        }
        *learned = match confirmed {
            Ok(()) => {
                self.lessons.store(0, Ordering::Relaxed);
                Learned::Route(lesson.route.clone())
            }
            Err(unusual) => match self.lessons.fetch_add(1, Ordering::Relaxed) + 1 {
                MOST_LESSONS.. => Learned::Unusual(unusual.into()),
                _ => Learned::Nothing,
            },
        };
        is_confirmed
    }

    /// Forgets this route, unless someone else has learned another one meanwhile.
    fn forget(&self, outdated: &Arc<Route>) {
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(&*learned, Learned::Route(route) if Arc::ptr_eq(route, outdated)) {
            *learned = Learned::Nothing;
        }
    }

    /// Follows the service's clock by an answer that the SDK sees.
    pub(super) fn follow_clock(
        &self,
        response: &HttpResponse,
        sent: SystemTime,
        received: SystemTime,
    ) {
        self.clock.follow_with_sdk(response, sent, received);
    }
}

/// The SDK's way, with the credentials of a load that has begun.
fn course(route: &Route, detour: SdkFallback, load: Option<IdentityLoad>) -> SdkCourse {
    let handed = load.and_then(|load| route.hand_over(load));
    SdkCourse {
        detour,
        identity: handed.map(SharedIdentityCache::new),
    }
}

/// Whether the SDK's measurements go anywhere.
fn is_metered() -> bool {
    let Ok(provider) = get_telemetry_provider() else {
        return true;
    };
    provider.meter_provider().provider_name() != NO_METER
}

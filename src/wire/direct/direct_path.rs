//! The facts about a client, and the decision whether a request bypasses the SDK's orchestration.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use aws_sdk_dynamodb::config::{ConfigBag, RuntimeComponents, SharedIdentityCache};
use aws_smithy_observability::global::get_telemetry_provider;
use aws_smithy_runtime_api::client::identity::Identity;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use bytes::Bytes;
use tracing::level_filters::LevelFilter;

use super::attempt::DirectAttempt;
use super::client_probe::ClientProbe;
use super::clock::ServiceClock;
use super::identity::IdentityLoad;
use super::route::Route;
use crate::wire::gate::Admitted;
use crate::wire::request::{Request, ServiceOperation};
use crate::wire::token_life::TokenLife;
use crate::wire::wire_path::SdkFallback;

/// The number of lessons in a row that may fail to be confirmed before no more are taken. One is not enough, because a
/// change of credentials after a lesson makes it fail.
const MOST_LESSONS: u8 = 4;

/// The name of the meter of a program that measures nothing.
const NO_METER: &str = "noop";

/// Facts about a client.
#[derive(Debug, Default)]
pub(in crate::wire) struct DirectPath {
    learned: RwLock<Learned>,
    lessons: AtomicU8,
    clock: Arc<ServiceClock>,
}

/// The reason for which a request goes through the SDK, and the credentials that were loaded before that was known.
#[derive(Debug)]
pub(in crate::wire) struct SdkCourse {
    pub(in crate::wire) detour: SdkFallback,
    pub(in crate::wire) identity: Option<SharedIdentityCache>,
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
    /// Sends the request, or returns the reason for which it cannot be sent on this path.
    pub(in crate::wire) fn begin_attempt(
        &self,
        request: Admitted<'_>,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<DirectAttempt, SdkCourse> {
        let (route, lesson) = self.known_route(&request)?;
        let now = route.corrected_now();
        // DynamoDB may execute a request with a forgotten token once more. On the SDK's path, the
        // hooks reject it with an error.
        if let Some(token) = token
            && !token.is_remembered(now)
        {
            return Err(SdkFallback::OldToken.into());
        }
        let identity = match route.start_identity() {
            None => None,
            Some(IdentityLoad::Ended(Ok(identity))) => Some(identity),
            // The load has begun and may take seconds. It is handed over and not dropped, so that a
            // source is called as often as by the SDK alone.
            Some(load) => return Err(sdk_course(&route, SdkFallback::Credentials, Some(load))),
        };
        let date = route.signing_date(now);
        let written = match lesson {
            // A lesson is confirmed by the first request after it, with that request's own
            // credentials: the SDK shows those of the lesson to no other code.
            Some(lesson) if !self.confirm_client(&lesson, identity.as_ref()) => {
                Err(SdkFallback::Learning)
            }
            _ => route.write_request(request.operation, &request.body, identity.as_ref(), date),
        };
        match written {
            Ok(written) => {
                let identity = identity.map(|identity| route.share_identity(identity));
                Ok(DirectAttempt::new(&route, written, identity, now))
            }
            Err(detour) => {
                // Another account may have another endpoint, so the next request must go through
                // the SDK and be a new lesson.
                if detour == SdkFallback::Account {
                    self.forget_route(&route);
                }
                let load = identity.map(|identity| IdentityLoad::Ended(Ok(identity)));
                Err(sdk_course(&route, detour, load))
            }
        }
    }

    /// The route, and the lesson that shows it if it is not confirmed.
    fn known_route(
        &self,
        request: &Request,
    ) -> Result<(Arc<Route>, Option<Arc<ClientProbe>>), SdkFallback> {
        // This check comes first: the endpoint may be that of another account, so nothing can be learned from the
        // request either.
        if request.table.starts_with("arn:") {
            return Err(SdkFallback::TableArn);
        }
        // The endpoint of searches is another one, so nothing can be learned from them either.
        #[cfg(feature = "vectors")]
        if request.operation == ServiceOperation::SearchVectors {
            return Err(SdkFallback::Search);
        }
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        let (route, lesson) = match &*learned {
            Learned::Nothing => return Err(SdkFallback::Learning),
            Learned::Unusual(what) => return Err(SdkFallback::Unusual(what.clone())),
            Learned::ClientProbe(lesson) => (lesson.route.clone(), Some(lesson.clone())),
            Learned::Route(route) => (route.clone(), None),
        };
        // The checks that follow call code of other crates, which must not run while the lock is
        // held.
        drop(learned);
        // The level can change at any time, so it is read for each request and is no part of the
        // lesson.
        if LevelFilter::current() >= LevelFilter::DEBUG {
            return Err(SdkFallback::Traced);
        }
        if is_metered() {
            return Err(SdkFallback::Metered);
        }
        if route.is_too_large(&request.body) {
            return Err(SdkFallback::LargeBody);
        }
        // Only a success on the SDK's path returns tokens to the quota. If first attempts bypassed
        // it now, the quota would stay low, and later failures would not be retried.
        if !route.has_full_quota() {
            return Err(SdkFallback::Quota);
        }
        Ok((route, lesson))
    }

    /// Whether there is something to learn.
    pub(in crate::wire) fn is_curious(&self) -> bool {
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        matches!(&*learned, Learned::Nothing)
    }

    /// The facts about the client that a request of the SDK shows; None for a later attempt.
    pub(in crate::wire) fn read_lesson(
        &self,
        operation: ServiceOperation,
        body: &Bytes,
        request: &HttpRequest,
        components: &RuntimeComponents,
        settings: &ConfigBag,
    ) -> Option<Result<ClientProbe, String>> {
        let clock = self.clock.clone();
        ClientProbe::probe_client(operation, body, request, components, settings, clock)
    }

    /// Learns from a request that the SDK has sent. If several requests run concurrently, only the first one is used.
    pub(in crate::wire) fn learn_client(&self, lesson: Result<ClientProbe, String>) {
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
    fn confirm_client(&self, lesson: &Arc<ClientProbe>, identity: Option<&Identity>) -> bool {
        let confirmed = lesson.confirm_probe(identity);
        let is_confirmed = confirmed.is_ok();
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        // Requests that begin together compare the same lesson, and only the first of them changes the state. Its own
        // result is still what each of them needs to know.
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

    /// Forgets this route, unless another request has replaced it meanwhile.
    fn forget_route(&self, outdated: &Arc<Route>) {
        let mut learned = self.learned.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(&*learned, Learned::Route(route) if Arc::ptr_eq(route, outdated)) {
            *learned = Learned::Nothing;
        }
    }

    /// Follows the service's clock by a response that the SDK sees.
    pub(in crate::wire) fn follow_clock(
        &self,
        response: &HttpResponse,
        sent: SystemTime,
        received: SystemTime,
    ) {
        self.clock.follow_with_sdk(response, sent, received);
    }
}

/// The path through the SDK, with the credentials of a load that has begun.
fn sdk_course(route: &Route, detour: SdkFallback, load: Option<IdentityLoad>) -> SdkCourse {
    let handed = load.and_then(|load| route.hand_over(load));
    SdkCourse {
        detour,
        identity: handed.map(SharedIdentityCache::new),
    }
}

/// Whether the SDK's measurements go anywhere.
fn is_metered() -> bool {
    let Ok(provider) = get_telemetry_provider() else {
        // A broken telemetry setup counts as one that measures, because the SDK's path is right in
        // every case.
        return true;
    };
    provider.meter_provider().provider_name() != NO_METER
}

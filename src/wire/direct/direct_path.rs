//! What is known of a client, and whether a request goes past the SDK's orchestration.

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

/// How many lessons in a row may fail to be confirmed before no more are taken. Credentials that change after a lesson
/// spoil it, so one is not enough.
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

/// Why a request goes through the SDK, and the credentials that were requested before that was known.
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
    /// Sends the request, or tells why it does not go this way.
    pub(in crate::wire) fn begin(
        &self,
        request: Admitted<'_>,
        token: Option<&Arc<TokenLife>>,
    ) -> Result<DirectAttempt, SdkCourse> {
        let (route, lesson) = self.route(&request)?;
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
                Ok(DirectAttempt::new(&route, written, identity, now))
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
    pub(in crate::wire) fn is_curious(&self) -> bool {
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        matches!(&*learned, Learned::Nothing)
    }

    /// What a request that the SDK sends shows of the client; None for a later attempt.
    pub(in crate::wire) fn read_lesson(
        &self,
        operation: ServiceOperation,
        body: &Bytes,
        request: &HttpRequest,
        components: &RuntimeComponents,
        settings: &ConfigBag,
    ) -> Option<Result<ClientProbe, String>> {
        let clock = self.clock.clone();
        ClientProbe::read(operation, body, request, components, settings, clock)
    }

    /// Learns from a request that the SDK has sent. If several requests run concurrently, the first one counts.
    pub(in crate::wire) fn learn(&self, lesson: Result<ClientProbe, String>) {
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
    pub(in crate::wire) fn follow_clock(
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

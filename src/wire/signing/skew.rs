//! Whether the service's clock and ours agree.
//!
//! The SDK measures the difference on every answer and signs accordingly, but what it has measured is
//! private. Small differences do not matter, the service allows minutes. A large one shows in an
//! answer that refuses a request; from then on the SDK's signer signs. The dates it writes tell when
//! the difference is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::BeforeDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::interceptors::dyn_dispatch_hint;
use aws_smithy_types::DateTime;
use aws_smithy_types::date_time::Format;

use super::date::Date;

/// Well below what the service allows, well above what a slow answer pretends.
const TOLERATED: Duration = Duration::from_secs(60);

/// A difference that is known and has to be corrected.
#[derive(Debug, Default)]
pub(in crate::wire) struct Skew(AtomicBool);

impl Skew {
    pub(in crate::wire) fn is_known(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// `date` is what the SDK's signer wrote at `now`.
    pub(super) fn learn_from_signature(&self, date: &str, now: SystemTime) {
        let early = now.checked_sub(TOLERATED).and_then(Date::new);
        let late = now.checked_add(TOLERATED).and_then(Date::new);
        if let Some((early, late)) = early.zip(late) {
            // Dates of one length are ordered as their texts are.
            let known = date < early.text() || date > late.text();
            self.0.store(known, Ordering::Relaxed);
        }
    }

    /// `date` is when an answer was written, as it says.
    fn learn_from_answer(&self, date: &str, now: SystemTime) {
        if is_far(date, now) == Some(true) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// The same where nothing else tells that the difference is gone.
    pub(in crate::wire) fn follow_answer(&self, date: &str, now: SystemTime) {
        if let Some(far) = is_far(date, now) {
            self.0.store(far, Ordering::Relaxed);
        }
    }
}

fn is_far(date: &str, now: SystemTime) -> Option<bool> {
    let date = DateTime::from_str(date, Format::HttpDate).ok()?;
    let date = SystemTime::try_from(date).ok()?;
    let difference = match date.duration_since(now) {
        Ok(ahead) => ahead,
        Err(behind) => behind.duration(),
    };
    Some(difference > TOLERATED)
}

/// Looks at refusals: where the clock is wrong there are some, and the rest costs nothing.
#[derive(Debug)]
pub(super) struct SkewWatch(pub(super) Arc<Skew>);

#[dyn_dispatch_hint]
impl Intercept for SkewWatch {
    fn name(&self) -> &'static str {
        "DynamoEntity: is the clock wrong"
    }

    fn read_before_deserialization(
        &self,
        context: &BeforeDeserializationInterceptorContextRef<'_>,
        components: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let response = context.response();
        if !response.status().is_success()
            && let Some(date) = response.headers().get("date")
            && let Some(time) = components.time_source()
        {
            self.0.learn_from_answer(date, time.now());
        }
        Ok(())
    }
}

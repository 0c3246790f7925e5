//! The service's clock, followed as the SDK follows it.
//!
//! The SDK compares the `Date` of each response with its own clock and signs with the difference, but keeps that
//! measure private. Therefore the same measure is taken here from the responses that the SDK does not see. If the clock
//! of this machine drifts meanwhile, the SDK is shown a response: otherwise its next request would be signed with an
//! old measure, and be rejected.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::config::{ConfigBag, Intercept, RuntimeComponents, SharedInterceptor};
use aws_sdk_dynamodb::error::BoxError;
use aws_smithy_runtime_api::client::interceptors::context::{Input, InterceptorContext};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_types::DateTime;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::date_time::Format;

use crate::codec::time::day_of_date;

/// The response to a slower request is not used, as in the SDK, because it says too little about the clocks.
const SLOWEST: Duration = Duration::from_secs(15 * 60);
/// The SDK is told if its measure is this far away, in milliseconds. The service allows five minutes.
const TOLD_FROM: i64 = 10_000;

/// The interceptors that follow the clock on the SDK's way: its own one, and that of our signer.
pub(super) const FOLLOWERS: [&str; 2] = [
    "ServiceClockSkewInterceptor",
    "DynamoEntity: is the clock wrong",
];

/// How far the service's clock is ahead of ours, in milliseconds.
#[derive(Debug, Default)]
pub(super) struct ServiceClock {
    ahead: AtomicI64,
    /// The SDK's estimate of the difference.
    sdk: AtomicI64,
}

/// The interceptors that are told of a drift. None if the client does not correct its clock.
#[derive(Default)]
pub(super) struct ClockFollowers(pub(super) Vec<SharedInterceptor>);

impl ServiceClock {
    /// The time to sign with.
    pub(super) fn correct_time(&self, now: SystemTime) -> SystemTime {
        let ahead = self.ahead.load(Ordering::Relaxed);
        let difference = Duration::from_millis(ahead.unsigned_abs());
        let corrected = match ahead < 0 {
            true => now.checked_sub(difference),
            false => now.checked_add(difference),
        };
        // A correction beyond the range of the clock comes from a broken server. The uncorrected
        // time is then the better guess.
        corrected.unwrap_or(now)
    }

    /// Follows an answer that the SDK sees too.
    pub(super) fn follow_with_sdk(
        &self,
        response: &HttpResponse,
        sent: SystemTime,
        received: SystemTime,
    ) {
        if let Some(ahead) = measure_skew(response, sent, received) {
            self.ahead.store(ahead, Ordering::Relaxed);
            self.sdk.store(ahead, Ordering::Relaxed);
        }
    }

    /// Follows a response that the SDK does not see, and informs the SDK if the clock has drifted.
    pub(super) fn follow_response(
        &self,
        response: &HttpResponse,
        sent: SystemTime,
        received: SystemTime,
        followers: &ClockFollowers,
        components: &RuntimeComponents,
    ) {
        let Some(ahead) = measure_skew(response, sent, received) else {
            return;
        };
        self.ahead.store(ahead, Ordering::Relaxed);
        let known = self.sdk.load(Ordering::Relaxed);
        if ahead.abs_diff(known) >= TOLD_FROM.unsigned_abs()
            && let Some(date) = response.headers().get("date")
            // If the SDK could not be told, its old measure remains noted here, so the next
            // response tries again.
            && followers.tell_followers(date, components).is_ok()
        {
            self.sdk.store(ahead, Ordering::Relaxed);
        }
    }
}

impl ClockFollowers {
    /// Whether the client takes its clock for right.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Shows them a response of which only the date matters.
    fn tell_followers(&self, date: &str, components: &RuntimeComponents) -> Result<(), BoxError> {
        let mut response = HttpResponse::new(200.try_into()?, SdkBody::empty());
        response.headers_mut().try_insert("date", date.to_owned())?;
        // The interceptors keep their estimate in themselves and only the time of sending in the
        // settings, so an empty bag is enough. They measure between these two phases, so both are
        // shown.
        let mut settings = ConfigBag::base();
        let mut context = InterceptorContext::new(Input::erase(()));
        context.enter_serialization_phase();
        context.take_input();
        context.set_request(HttpRequest::new(SdkBody::empty()));
        context.enter_before_transmit_phase();
        for follower in &self.0 {
            follower.read_before_transmit(&(&context).into(), components, &mut settings)?;
        }
        context.enter_transmit_phase();
        context.take_request();
        context.set_response(response);
        context.enter_before_deserialization_phase();
        for follower in &self.0 {
            follower.modify_before_deserialization(
                &mut (&mut context).into(),
                components,
                &mut settings,
            )?;
            follower.read_before_deserialization(&(&context).into(), components, &mut settings)?;
        }
        Ok(())
    }
}

/// The SDK's measure: the difference to the moment halfway between sending and receiving. None if the answer is slow,
/// without a date, or from a cache.
fn measure_skew(response: &HttpResponse, sent: SystemTime, received: SystemTime) -> Option<i64> {
    let headers = response.headers();
    let date = headers.get("date")?;
    // A cache answers with the date of the original response.
    if headers.get("age").is_some() {
        return None;
    }
    let elapsed = received.duration_since(sent).unwrap_or_default();
    if elapsed > SLOWEST {
        return None;
    }
    // The header has whole seconds and the way back takes time, so the measure is not exact.
    // Signatures tolerate five minutes.
    let date = parse_date(date)?;
    let middle = sent + elapsed / 2;
    let milliseconds = |difference: Duration| i64::try_from(difference.as_millis()).ok();
    match date.duration_since(middle) {
        Ok(ahead) => milliseconds(ahead),
        Err(behind) => milliseconds(behind.duration()).map(|behind| -behind),
    }
}

fn parse_date(date: &str) -> Option<SystemTime> {
    read_fixed(date).or_else(|| {
        let date = DateTime::from_str(date, Format::HttpDate).ok()?;
        SystemTime::try_from(date).ok()
    })
}

/// Reads the usual form, `Thu, 29 Feb 2024 12:30:05 GMT`, at a tenth of the price of the SDK's reader.
fn read_fixed(date: &str) -> Option<SystemTime> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let bytes: &[u8; 29] = date.as_bytes().try_into().ok()?;
    let signs = [
        (3, b','),
        (4, b' '),
        (7, b' '),
        (11, b' '),
        (16, b' '),
        (19, b':'),
        (22, b':'),
    ];
    let is_usual = signs.iter().all(|&(at, sign)| bytes[at] == sign) && &bytes[25..] == b" GMT";
    if !is_usual {
        return None;
    }
    let number = |from: usize, to: usize| -> Option<u64> {
        let digits = &bytes[from..to];
        digits.iter().try_fold(0, |number, digit| match digit {
            b'0'..=b'9' => Some(number * 10 + u64::from(digit - b'0')),
            _ => None,
        })
    };
    let month = MONTHS.find(date.get(8..11)?).filter(|at| at % 3 == 0)? / 3 + 1;
    let (hour, minute, second) = (number(17, 19)?, number(20, 22)?, number(23, 25)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = day_of_date(
        i32::try_from(number(12, 16)?).ok()?,
        u8::try_from(month).ok()?,
        u8::try_from(number(5, 7)?).ok()?,
    )?;
    let seconds = u64::try_from(days).ok()? * 86_400 + hour * 3_600 + minute * 60 + second;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each day of many years, at odd times, is read as the SDK reads it.
    #[test]
    fn dates_are_read_as_the_sdk_reads_them() {
        for step in 0..40_000_u64 {
            let seconds = step * 86_400 + step * 977 % 86_400;
            let time = UNIX_EPOCH + Duration::from_secs(seconds);
            let text = DateTime::from(time).fmt(Format::HttpDate).unwrap();
            assert_eq!(read_fixed(&text), Some(time), "{text}");
        }
        for text in [
            "",
            "Thu, 29 Feb 2024 12:30:05 UTC",
            "Thu, 30 Feb 2023 12:30:05 GMT",
            "Thu, 29 Fab 2024 12:30:05 GMT",
            "Thu, 29 anF 2024 12:30:05 GMT",
            "Thu, 29 Feb 2024 24:30:05 GMT",
            "Thu, 29 Feb 2024 12:30:60 GMT",
            "Thu, 29 Feb 2024 12:3x:05 GMT",
            "Thu, 29 Feb 1924 12:30:05 GMT",
        ] {
            assert_eq!(read_fixed(text), None, "{text}");
        }
    }
}

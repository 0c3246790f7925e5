//! How clients that the library builds wait between their retries: in the library's own way.

use std::time::Duration;

use aws_sdk_dynamodb::config::{AsyncSleep, Sleep};

use crate::runtime;

/// Sleeps under any executor. The SDK's own sleep panics outside of tokio, and in a runtime without time.
#[derive(Debug)]
pub(crate) struct AnySleep;

impl AsyncSleep for AnySleep {
    fn sleep(&self, time: Duration) -> Sleep {
        Sleep::new(runtime::sleep_for(time))
    }
}

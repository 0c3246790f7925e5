//! How clients that the library builds wait between their retries: as the library itself does.

use std::time::Duration;

use aws_sdk_dynamodb::config::{AsyncSleep, Sleep};

use crate::runtime;

/// Under any executor. The SDK's own panics outside of tokio, and in a runtime without time.
#[derive(Debug)]
pub(crate) struct AnySleep;

impl AsyncSleep for AnySleep {
    fn sleep(&self, time: Duration) -> Sleep {
        Sleep::new(runtime::sleep(time))
    }
}

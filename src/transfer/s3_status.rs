//! The state of an export to S3, and waiting for its end.

use std::fmt;
use std::time::Duration;

use crate::clock::Timestamp;
use crate::dynamo::Dynamo;
use crate::error::{Error, ErrorKind, Result, Stage};
use crate::plan::Steps;
use crate::runtime::sleep_for;
use crate::wire::table::{self as service, DescribedExport};

/// An export takes minutes at least.
const PAUSE: Duration = Duration::from_secs(15);
/// Requests about tables have a low rate limit in DynamoDB, for the whole account.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
/// How many responses in a row may be missing.
const FAILED_LOOKS: u32 = 20;

impl Dynamo {
    /// An export to S3 by its ARN, which [`export_to_s3`](Self::export_to_s3) returned: its
    /// [`status`](S3ExportWatch::status), or [`wait`](S3ExportWatch::wait) for its end. The permission is
    /// `dynamodb:DescribeExport`.
    pub fn s3_export(&self, arn: &str) -> S3ExportWatch<'static> {
        S3ExportWatch {
            db: self.clone(),
            arn: arn.to_owned(),
            pause: PAUSE,
            progress: None,
        }
    }
}

/// An export to S3 that was started; see [`Dynamo::s3_export`].
#[must_use = "nothing is looked at until `.status()` or `.wait()` is awaited"]
pub struct S3ExportWatch<'w> {
    db: Dynamo,
    arn: String,
    pause: Duration,
    progress: Option<OnStatus<'w>>,
}

type OnStatus<'w> = Box<dyn FnMut(&S3ExportStatus) + Send + 'w>;

/// The state of an export to S3.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct S3ExportStatus {
    /// The ARN of the export.
    pub arn: String,
    /// The ARN of the table.
    pub table_arn: Option<String>,
    /// Whether it is running, complete or failed.
    pub state: S3ExportState,
    /// Whether it is incremental.
    pub is_incremental: bool,
    /// The bucket.
    pub bucket: Option<String>,
    /// The key of the file `manifest-summary.json` in the bucket, once the export is complete.
    pub manifest: Option<String>,
    /// The number of exported items, once the export is complete.
    pub items: Option<u64>,
    /// The size for which the export is charged, once it is complete.
    pub billed_bytes: Option<u64>,
    /// The start of the export.
    pub started: Option<Timestamp>,
    /// The end of the export.
    pub ended: Option<Timestamp>,
    /// The time of the exported state. For an incremental export, it is the end of the changes, with which the next export
    /// begins.
    pub state_time: Option<Timestamp>,
}

/// Whether an export to S3 is running, complete or failed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum S3ExportState {
    /// It is running.
    #[default]
    Running,
    /// All files are written.
    Complete,
    /// It failed. Some files may exist.
    Failed {
        /// The code of DynamoDB, such as `S3NoSuchBucket`.
        code: String,
        /// The reason.
        message: String,
    },
}

impl S3ExportStatus {
    pub(super) fn of_described(found: DescribedExport) -> Self {
        let state = match () {
            () if found.is_complete() => S3ExportState::Complete,
            // A status that this version does not know is no end.
            () if !found.is_failed() => S3ExportState::Running,
            () => S3ExportState::Failed {
                code: found.failure_code.unwrap_or(found.status),
                message: found.failure_message.unwrap_or_default(),
            },
        };
        S3ExportStatus {
            arn: found.arn,
            table_arn: found.table_arn,
            state,
            is_incremental: found.is_incremental,
            bucket: found.bucket,
            manifest: found.manifest,
            items: found.items,
            billed_bytes: found.billed_bytes,
            started: found.started,
            ended: found.ended,
            state_time: found.state_time,
        }
    }

    /// The folder of the data files of a full export, `s3://BUCKET/PREFIX/AWSDynamoDB/ID/data/`, once it is complete.
    /// Incremental exports with one prefix have one folder for their data files, and the manifests list the files of
    /// each.
    pub fn data_folder(&self) -> Option<String> {
        if self.is_incremental {
            return None;
        }
        let (bucket, manifest) = (self.bucket.as_ref()?, self.manifest.as_ref()?);
        let (folder, _) = manifest.rsplit_once('/')?;
        Some(format!("s3://{bucket}/{folder}/data/"))
    }

    /// Returns the status, or an error if the export failed.
    fn unless_failed(self) -> Result<Self> {
        let S3ExportState::Failed { code, message } = &self.state else {
            return Ok(self);
        };
        let text = format!("the export `{}` failed: {code}: {message}", self.arn);
        let error = Error::new(ErrorKind::Service, Stage::Service, text);
        Err(error.with_code(Some(code)))
    }
}

impl<'w> S3ExportWatch<'w> {
    /// Calls this with each status while [`wait`](Self::wait) waits.
    pub fn on_progress<'a>(self, tell: impl FnMut(&S3ExportStatus) + Send + 'a) -> S3ExportWatch<'a>
    where
        'w: 'a,
    {
        S3ExportWatch {
            progress: Some(Box::new(tell)),
            ..self
        }
    }

    /// The pause between two requests of [`wait`](Self::wait), of at least 100 milliseconds; 15 seconds by default.
    pub fn every(mut self, pause: Duration) -> Self {
        self.pause = pause.max(LEAST_PAUSE);
        self
    }

    /// Returns the present status.
    pub fn status(self) -> Steps<'w, Result<S3ExportStatus>> {
        Steps(Box::pin(async move { look(&self.db, &self.arn).await }))
    }

    /// Waits for the end of the export, and returns an error if it failed. There is no time limit: a large table takes
    /// hours. Failures of the connection are ignored for 20 requests in a row, also before the first response.
    pub fn wait(self) -> Steps<'w, Result<S3ExportStatus>> {
        Steps(Box::pin(self.wait_for_end()))
    }

    async fn wait_for_end(mut self) -> Result<S3ExportStatus> {
        let mut failed = 0;
        loop {
            match look(&self.db, &self.arn).await {
                Ok(status) => {
                    failed = 0;
                    if let Some(tell) = &mut self.progress {
                        tell(&status);
                    }
                    if status.state != S3ExportState::Running {
                        return status.unless_failed();
                    }
                }
                // The export runs and is charged already, so even a first failure does not end the wait.
                Err(error) if is_passing(&error) && failed < FAILED_LOOKS => failed += 1,
                Err(error) => return Err(error),
            }
            sleep_for(self.pause).await;
        }
    }
}

async fn look(db: &Dynamo, arn: &str) -> Result<S3ExportStatus> {
    let found = service::describe_export(db.table_wire()?, arn).await;
    found
        .map(S3ExportStatus::of_described)
        .map_err(explained_look)
}

fn is_passing(error: &Error) -> bool {
    error.is_throttled() || error.kind() == ErrorKind::Unavailable
}

fn explained_look(error: Error) -> Error {
    let remedy = match error.code() {
        Some("UnknownOperationException") => {
            "this server has no exports to S3, which only DynamoDB of AWS runs"
        }
        Some("ExportNotFoundException") => {
            "DynamoDB knows no export with this ARN: it lists exports of the last 90 days, in the region of the table"
        }
        _ => return error,
    };
    let (kind, message) = (error.kind(), format!("{remedy} ({error})"));
    error.with_kind(kind, message)
}

/// Shows the ARN.
impl fmt::Debug for S3ExportWatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S3ExportWatch({})", self.arn)
    }
}

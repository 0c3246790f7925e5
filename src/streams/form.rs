//! The forms of events, and the names of views.

use crate::json::CodecError;
use crate::schema::StreamView;

/// The form of an event. It determines the records that a partial failure must name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventForm {
    /// `{"Records": [..]}`, from an event source mapping. It delivers the first reported record and all after it again.
    Lambda,
    /// `[..]`, from a pipe. It delivers only the reported records again.
    Pipe,
}

/// The view with this name in the API of DynamoDB.
pub(super) fn view_of_name(name: &str) -> Result<StreamView, CodecError> {
    Ok(match name {
        "KEYS_ONLY" => StreamView::KeysOnly,
        "NEW_IMAGE" => StreamView::NewImage,
        "OLD_IMAGE" => StreamView::OldImage,
        "NEW_AND_OLD_IMAGES" => StreamView::NewAndOldImages,
        _ => {
            return Err(CodecError::new("an unknown view of a stream").at("StreamViewType"));
        }
    })
}

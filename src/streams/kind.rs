//! The kind of a change. The images decide first, and the name of the event decides if they are not sufficient.
//!
//! Servers use the names differently: the embedded engine reports a write that changes nothing as `MODIFY`, and DynamoDB
//! Local has no name for a removal by TTL. The images show the stored state.

use super::record::RecordParts;
use crate::codec::Item;
use crate::json::{CodecError, find_member};
use crate::schema::{StreamView, TOUCH, is_mark};

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventKind {
    Created,
    Changed,
    Removed,
}

/// The images that the view of the stream includes. A single record may not have them, for example a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownImages {
    pub(super) new: bool,
    pub(super) old: bool,
}

impl KnownImages {
    pub(super) fn of_view(view: StreamView) -> Self {
        let (new, old) = match view {
            StreamView::KeysOnly => (false, false),
            StreamView::NewImage => (true, false),
            StreamView::OldImage => (false, true),
            StreamView::NewAndOldImages => (true, true),
        };
        KnownImages { new, old }
    }
}

impl RecordParts {
    /// The images that the view includes. If the record does not name the view, the images that the record has.
    pub(super) fn known_images(&self) -> KnownImages {
        let known = KnownImages {
            new: self.new.is_some(),
            old: self.old.is_some(),
        };
        self.view.map_or(known, KnownImages::of_view)
    }

    /// The kind of the change. `new` and `old` state whether the record has these images of the followed entities.
    pub(super) fn event_kind(&self, new: bool, old: bool) -> Result<EventKind, CodecError> {
        let known = self.known_images();
        let named = match self.name.as_deref() {
            Some("INSERT") => Some(EventKind::Created),
            Some("MODIFY") => Some(EventKind::Changed),
            Some("REMOVE") => Some(EventKind::Removed),
            // DynamoDB Local names this event `UNKNOWN_TO_SDK_VERSION`.
            _ if self.by_ttl => Some(EventKind::Removed),
            _ => None,
        };
        let kind = match (known.new, known.old) {
            (true, true) => match (old, new) {
                (false, true) => Some(EventKind::Created),
                (true, true) => Some(EventKind::Changed),
                (true, false) => Some(EventKind::Removed),
                (false, false) => None,
            },
            // If the stream has new images only, a missing one proves a removal. Otherwise, only the name
            // distinguishes a creation from a change.
            (true, false) if !new => Some(EventKind::Removed),
            (true, false) => named.filter(|kind| *kind != EventKind::Removed),
            (false, true) if !old => Some(EventKind::Created),
            (false, true) => named.filter(|kind| *kind != EventKind::Created),
            (false, false) => named,
        };
        kind.ok_or_else(|| {
            CodecError::new(
                "neither the images of the record nor its event name show the kind of the change",
            )
            .at("eventName")
        })
    }

    /// Whether the write was a touch, which sends an item through the stream again. A touch must be shown, although it
    /// changes no value.
    pub(super) fn is_touch(&self) -> bool {
        let touch = |image| find_member(image, TOUCH).ok().flatten();
        let before = self.old.as_deref().and_then(touch);
        let after = self.new.as_deref().and_then(touch);
        after.is_some() && after != before
    }

    /// Whether both images have the same content, so that the write changed nothing. Equal numbers may have different
    /// texts, and marks of jobs and fills do not count as data.
    pub(super) fn is_unchanged(&self) -> bool {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return false;
        };
        match (image_data(old), image_data(new)) {
            _ if self.is_touch() => false,
            (Some(old), Some(new)) => old == new,
            _ => false,
        }
    }
}

/// An image without marks.
fn image_data(image: &[u8]) -> Option<Item> {
    let item = Item::from_dynamo_json(image).ok()?;
    Some(
        item.into_iter()
            .filter(|(name, _)| !is_mark(name))
            .collect(),
    )
}

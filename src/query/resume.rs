//! A position from which a query continues.

use super::cursor::Cursor;

/// A [`Cursor`], or an `Option` of one: `None` means the start.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no cursor",
    label = "expected a `Cursor` or an `Option<Cursor>`",
    note = "a text is read first: `text.parse::<Cursor>()?`"
)]
pub trait ResumeFrom {
    #[doc(hidden)]
    fn into_cursor(self) -> Option<Cursor>;
}

impl ResumeFrom for Cursor {
    fn into_cursor(self) -> Option<Cursor> {
        Some(self)
    }
}

impl ResumeFrom for Option<Cursor> {
    fn into_cursor(self) -> Option<Cursor> {
        self
    }
}

//! The texts of errors, byte for byte, and their sources.

use std::error::Error as StdError;
use std::io;

use super::{Error, ErrorKind, Failed, OperationPlace, Stage};
use crate::json::CodecError;

fn missing() -> Error {
    Error::new(ErrorKind::NotFound, Stage::Service, "it is missing")
}

/// The entity begins the text, and without it neither the attribute nor the key is named.
#[test]
fn each_name_has_its_place_in_the_text() {
    for (error, text) in [
        (missing(), "it is missing"),
        (missing().of("Note"), "Note: it is missing"),
        (
            missing().of("Note").at("lines[3].qty"),
            "Note.lines[3].qty: it is missing",
        ),
        (
            missing().of("Note").in_key("pk"),
            "Note (key `pk`): it is missing",
        ),
        (
            missing().of("Note").in_key("pk").at("owner"),
            "Note.owner (key `pk`): it is missing",
        ),
        (missing().in_key("pk").at("owner"), "it is missing"),
    ] {
        assert_eq!(error.to_string(), text);
        assert_eq!(format!("{error:>90}"), text, "the width is not for it");
    }
}

#[test]
fn its_own_name_is_in_the_debug_output() {
    let error = missing().of("Note").at("text");
    let text = "Error { kind: NotFound, stage: Service, entity: \"Note\", attribute: \"text\", \
                message: \"it is missing\", current: false }";
    assert_eq!(format!("{error:?}"), text);
}

#[test]
fn the_source_is_what_was_given() {
    assert!(missing().source().is_none());
    let error = missing().with_source(io::Error::other("a broken pipe"));
    let source = error.source().expect("a source");
    assert_eq!(source.to_string(), "a broken pipe");
    assert!(source.is::<io::Error>());
    assert!(error.again().source().is_none());
}

#[test]
fn a_failed_operation_is_named_and_has_its_error_as_source() {
    let place = |name| OperationPlace { index: 2, name };
    let failed = Failed::new(place(None), None, missing().of("Note"));
    assert_eq!(
        failed.to_string(),
        "operation 2 of the transaction: Note: it is missing"
    );
    let failed = Failed::new(place(Some("debit")), None, missing().of("Note"));
    assert_eq!(
        failed.to_string(),
        "operation 2 (`debit`) of the transaction: Note: it is missing"
    );
    let source = failed.source().and_then(|source| source.downcast_ref());
    assert_eq!(source.map(Error::kind), Some(ErrorKind::NotFound));
}

#[test]
fn a_fault_begins_with_its_path() {
    let fault = CodecError::mismatch("a number", "a text");
    assert_eq!(fault.to_string(), "expected a number, found a text");
    let fault = fault.at("qty").at_index(3).at("lines");
    let text = "lines[3].qty: expected a number, found a text";
    assert_eq!(fault.to_string(), text);
    assert_eq!(format!("{fault:?}"), format!("CodecError({text})"));
    assert!(fault.source().is_none());
}

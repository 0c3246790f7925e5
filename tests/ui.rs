//! What the compiler says about mistakes: one transcript per rule.
//!
//! After a change of a message, `TRYBUILD=overwrite cargo test --test ui` writes the transcripts
//! anew; read each of them before it is kept.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

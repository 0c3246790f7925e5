//! What the compiler says about mistakes, with one transcript per rule.
//!
//! After a message has changed, `TRYBUILD=overwrite cargo test --test ui` writes the transcripts again. Read
//! each of them before you keep it.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}

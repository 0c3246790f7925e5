//! The declarations that `adopt` of the command line wrote for tables of other programs, with their tests. The test
//! `commands` of the command line compares them with the tables.

macro_rules! adopted {
    ($($name:ident = $path:literal)*) => {$(
        #[rustfmt::skip]
        #[path = $path]
        mod $name;
    )*};
}

adopted! {
    boto3 = "../golden/adopted/boto3_app_test.rs"
    discriminators = "../golden/adopted/discriminators_test.rs"
    document_client = "../golden/adopted/document_client_test.rs"
    electrodb = "../golden/adopted/electrodb_test.rs"
    java = "../golden/adopted/java_test.rs"
    nasty = "../golden/adopted/a_nasty_1_test.rs"
    one_table = "../golden/adopted/one_table_test.rs"
    pynamo = "../golden/adopted/pynamo_test.rs"
    two_programs = "../golden/adopted/two_programs_test.rs"
    toolbox = "../golden/adopted/toolbox_test.rs"
}

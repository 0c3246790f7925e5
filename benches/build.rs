//! Finds the versions that the instruction counts depend on, and writes the wide structs of the growth check.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").expect("set by cargo");
    let rustc = Command::new(rustc)
        .arg("--version")
        .output()
        .expect("rustc");
    let rustc = String::from_utf8(rustc.stdout).expect("text");
    let rustc = rustc.split(' ').nth(1).unwrap_or_default();
    let lock = std::fs::read_to_string("Cargo.lock").expect("the lock");
    let sdk = lock
        .split("name = \"aws-sdk-dynamodb\"\nversion = \"")
        .nth(1);
    let sdk = sdk
        .and_then(|rest| rest.split('"').next())
        .expect("the SDK");
    println!("cargo:rustc-env=BENCH_RUSTC={rustc}");
    println!("cargo:rustc-env=BENCH_SDK={sdk}");
    println!("cargo:rerun-if-changed=Cargo.lock");
    println!("cargo:rerun-if-changed=build.rs");
    let out = std::env::var("OUT_DIR").expect("set by cargo");
    let wide: String = [10, 100, 400].into_iter().map(wide).collect();
    std::fs::write(format!("{out}/wide.rs"), wide).expect("a file");
}

/// An entity of so many fields beside its key, with its value of each field.
fn wide(fields: usize) -> String {
    let list = |line: &dyn Fn(usize) -> String| (0..fields).map(line).collect::<String>();
    let declared = list(&|at| format!("    pub attribute_{at}: u32,\n"));
    let filled = list(&|at| format!("            attribute_{at}: {at} + more,\n"));
    format!(
        "#[derive(Debug, Clone, PartialEq, DynamoEntity)]\n\
         #[dynamo(table = \"wide\", key(pk = id))]\n\
         pub struct Wide{fields} {{\n    pub id: u32,\n{declared}}}\n\n\
         impl Wide{fields} {{\n    pub fn new(more: u32) -> Self {{\n        \
         Wide{fields} {{\n            id: 1,\n{filled}        }}\n    }}\n}}\n\n"
    )
}

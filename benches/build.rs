//! Finds the versions that the instruction counts depend on.

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
}

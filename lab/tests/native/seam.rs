//! The lab knows `rejitter`, of exactly its version; `rejitter` knows nothing of the lab.

use std::process::Command;

use serde_json::Value;

use crate::sources::{ROOT, sources};

/// The manifest of a package of the workspace, as cargo reads it.
fn manifest(package: &str) -> Value {
    let line = "metadata --no-deps --offline --format-version 1";
    let cargo = Command::new(env!("CARGO"))
        .args(line.split(' '))
        .current_dir(ROOT)
        .output()
        .unwrap();
    let all: Value = serde_json::from_slice(&cargo.stdout).unwrap();
    let mut packages = all["packages"].as_array().unwrap().iter();
    packages
        .find(|each| each["name"] == package)
        .unwrap()
        .clone()
}

/// The sections and requirements with which a package depends on another.
fn dependencies(package: &Value, on: &str) -> Vec<(Value, Value)> {
    let all = package["dependencies"].as_array().unwrap().iter();
    all.filter(|each| each["name"] == on)
        .map(|each| (each["kind"].clone(), each["req"].clone()))
        .collect()
}

#[test]
fn the_lab_requires_exactly_its_own_version() {
    let (lab, rejitter) = (manifest("rejitter-lab"), manifest("rejitter"));
    assert_eq!(lab["version"], rejitter["version"]);
    let exactly = format!("={}", lab["version"].as_str().unwrap());
    let expected = (Value::Null, Value::from(exactly));
    assert_eq!(dependencies(&lab, "rejitter"), [expected]);
}

#[test]
fn rejitter_knows_nothing_of_the_lab() {
    assert_eq!(dependencies(&manifest("rejitter"), "rejitter-lab"), []);
    // The wasm tests of the root package run the simulations.
    let of_root = dependencies(&manifest("rejitter-wasm"), "rejitter-lab");
    assert!(of_root.iter().all(|(kind, _)| kind == "dev"), "{of_root:?}");
    let all = [sources("crates/rejitter/src"), sources("src")].concat();
    assert!(all.len() > 80, "only {} files", all.len());
    for (path, text) in all {
        assert!(!text.contains("rejitter_lab"), "{}", path.display());
    }
}

//! What `cargo publish` would send: the sources and what they include, and nothing of the tools.

#![cfg(not(target_arch = "wasm32"))]

use std::process::Command;

#[test]
fn the_crate_holds_its_sources_and_nothing_else() {
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--package", "rejitter", "--list"])
        .args(["--allow-dirty", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(listed.status.success(), "{listed:?}");
    let listed = String::from_utf8(listed.stdout).unwrap();
    let (sources, others): (Vec<&str>, Vec<&str>) =
        listed.lines().partition(|path| path.starts_with("src/"));
    assert!(sources.contains(&"src/lib.rs") && sources.contains(&"src/js/wasm-pack.js"));
    // Cargo adds its own, and what version control says depends on where this runs.
    let cargo_s = |path: &&&str| path.starts_with("Cargo.") || path.starts_with('.');
    let others: Vec<&str> = others
        .iter()
        .filter(|path| !cargo_s(path))
        .copied()
        .collect();
    let expected = [
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "README.md",
        "pkg-template/events.d.ts",
        "pkg-template/index.d.ts",
        "pkg-template/options.d.ts",
    ];
    assert_eq!(others, expected);
}

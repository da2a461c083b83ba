//! The sources of the repository, for tests of what they name.

use std::path::{Path, PathBuf};

pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The Rust sources under a folder of the repository, each with its text.
pub fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    collect(&Path::new(ROOT).join(folder), &mut all);
    all
}

fn collect(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, all);
        } else if path.extension().is_some_and(|name| name == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            all.push((path, text));
        }
    }
}

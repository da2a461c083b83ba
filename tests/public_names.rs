//! The list of public names, which a compiler of docs.rs writes, is as new as the source. That compiler runs before a
//! release, this test each day.

use std::collections::BTreeSet;

const LIST: &str = include_str!("crate/public-names/rejitter.txt");
/// The modules whose names are those of the crate's root.
const SOURCES: [&str; 2] = [
    include_str!("../crates/rejitter/src/lib.rs"),
    include_str!("../crates/rejitter/src/retry/mod.rs"),
];

/// Names of the root in the list: `kind Name: members`, or `kind Name Name`.
fn listed() -> BTreeSet<String> {
    let entries = LIST.replace("\n  ", " ");
    let names = entries.lines().flat_map(|line| {
        let line = line.split_once("] ").map_or(line, |(_, rest)| rest);
        let names = line.split_once(' ').unwrap().1;
        let is_in_module = names.split(' ').next().unwrap().contains("::");
        let names = names.split_once(": ").map_or(names, |(name, _)| name);
        if is_in_module { "" } else { names }.split(' ')
    });
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Names that a source exports, but for modules and for what other targets have.
fn exported(source: &str) -> BTreeSet<String> {
    // Of the root, not of the module `types` at its end.
    let root = source.split("pub mod types {").next().unwrap();
    let mut names = BTreeSet::new();
    for (before, exports) in root.split("pub use ").zip(root.split("pub use ").skip(1)) {
        let is_of_wasm = before
            .lines()
            .last()
            .is_some_and(|line| line.starts_with("#[cfg(all(target_family"));
        let path = exports.split(';').next().unwrap();
        let (_, path) = path
            .rsplit_once("::")
            .filter(|_| !path.contains('{'))
            .unwrap_or(("", path));
        let path = path.split_once('{').map_or(path, |(_, names)| names);
        let found = path.trim_end_matches('}').split(',').map(str::trim);
        names.extend(
            found
                .filter(|name| !is_of_wasm && !["", "*", "presets"].contains(name))
                .map(str::to_owned),
        );
    }
    names
}

#[test]
fn the_list_has_each_name_of_the_root_and_no_other() {
    let names: BTreeSet<String> = SOURCES.into_iter().flat_map(exported).collect();
    assert!(names.len() > 40);
    let listed = listed();
    let missing: Vec<_> = names.symmetric_difference(&listed).collect();
    assert_eq!(
        missing, [""; 0],
        "REJITTER_WRITE_NAMES=1 cargo xtask crate --only \"public names\""
    );
}

//! The simulations. All that they report is held by digests (golden.rs); what they should report, by models with known
//! results, computed independently of this crate (reference.rs).

mod golden;
mod queue;
mod reference;

/// The parts of the standard library that they may use: none has a clock, files or threads. That they use nothing else
/// of the crate is what tests/layers compiles.
const ALLOWED: [&str; 3] = ["array", "f64", "mem"];

#[test]
fn they_use_no_clock_and_no_host() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/crates/rejitter/src/simulation"
    );
    let mut names = Vec::new();
    names_in(folder.as_ref(), &mut names);
    assert!(names.len() >= 2, "{names:?}");
    names.retain(|name| !ALLOWED.contains(&name.as_str()));
    assert_eq!(names, [""; 0]);
}

/// The words after each `std::` in the sources under a folder.
fn names_in(folder: &std::path::Path, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names_in(&path, names);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let uses = text.split("std::").skip(1);
        names.extend(uses.map(|rest| {
            let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
            rest.chars().take_while(is_word).collect()
        }));
    }
}

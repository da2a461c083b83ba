//! The simulations. All that they report is held by digests (golden.rs); what they should report, by models with known
//! results, computed independently of this crate (reference.rs).

mod golden;
mod queue;
mod reference;

use crate::sources::sources;

/// The parts of the standard library that they may use: none has a clock, files or threads. That they use nothing else
/// of the lab is what lab/tests/layers.rs compiles.
const ALLOWED: [&str; 3] = ["array", "f64", "mem"];

#[test]
fn they_use_no_clock_and_no_host() {
    let mut names = Vec::new();
    for (_, text) in sources("lab/src/simulation") {
        // The words after each `std::`.
        names.extend(text.split("std::").skip(1).map(|rest| {
            let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
            rest.chars().take_while(is_word).collect::<String>()
        }));
    }
    assert!(names.len() >= 2, "{names:?}");
    names.retain(|name| !ALLOWED.contains(&name.as_str()));
    assert_eq!(names, [""; 0]);
}

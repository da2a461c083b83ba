//! A million random policies have the delays that they always had, on every platform.
//!
//! `tests/vectors/differential.json` is written by `REJITTER_WRITE_VECTORS=1 cargo test --test
//! native differential::`, which is right only when the drawing of the policies was changed, never to make a
//! failing test pass: users rely on their seeds.

use crate::common::differential::{BLOCKS, block, first_difference};

#[test]
fn a_million_policies_have_the_golden_delays() {
    if std::env::var_os("REJITTER_WRITE_VECTORS").is_some() {
        let blocks: Vec<_> = (0..BLOCKS).map(|n| block(n).to_string()).collect();
        let lines: Vec<_> = blocks.chunks(9).map(|line| line.join(", ")).collect();
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/vectors/differential.json"
        );
        let text = format!(
            "{{\n  \"blocks\": [\n    {}\n  ]\n}}\n",
            lines.join(",\n    ")
        );
        std::fs::write(path, text).expect("written");
        return;
    }
    assert_eq!(first_difference(), None);
}

//! A million random policies have the delays that they always had, on every platform.
//!
//! `tests/vectors/differential.json` is written by `REJITTER_WRITE_VECTORS=1 cargo test --test
//! native differential::`, which is right only when the drawing of the policies was changed, never to make a
//! failing test pass: users rely on their seeds.

use std::collections::HashSet;

use crate::common::differential::{BLOCK, block, delays, digest, first_difference, policy};
use serde_json::json;

#[test]
fn a_million_policies_have_the_golden_delays() {
    if std::env::var_os("REJITTER_WRITE_VECTORS").is_some() {
        let blocks: Vec<u32> = (0..10).map(block).collect();
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/vectors/differential.json"
        );
        std::fs::write(path, format!("{}\n", json!({ "blocks": blocks }))).expect("written");
        return;
    }
    assert_eq!(first_difference(), None);
}

/// For `tests/package/engine/differential.cargo.test.mjs`, which names the file: a digest per policy, so that it
/// can name the first policy that differs. Without a name, a few.
#[test]
fn digests_are_written_per_policy() {
    let file = std::env::var_os("REJITTER_DIGESTS");
    let policies = if file.is_some() { 10 * BLOCK } else { 1_000 };
    let digests: Vec<u32> = (0..policies).map(|i| digest(&delays(&policy(i)))).collect();
    if let Some(file) = file {
        let bytes: Vec<u8> = digests.iter().flat_map(|d| d.to_le_bytes()).collect();
        std::fs::write(file, bytes).expect("written");
    }
    // Different policies, seeds and delays: digests that say something.
    let distinct: HashSet<u32> = digests.iter().copied().collect();
    assert!(
        distinct.len() > digests.len() * 9 / 10,
        "{}",
        distinct.len()
    );
}

#!/bin/sh
# Guess: No wait of backon is longer than `with_max_delay`.
# Found: Jitter is added after the cap, up to as much again. Fibonacci waits may exceed it even without jitter.
# Versions: backon@1.6.0
# Day: 2026-11-28
set -eu
grep '^# ' "$0"
cd "$(mktemp -d)"
trap 'rm -rf "$PWD"' EXIT
trap exit HUP INT TERM
export CARGO_TARGET_DIR="$PWD/target"
mkdir src
cat > Cargo.toml <<'EOF'
[package]
name = "run"
version = "0.0.0"
edition = "2021"

[dependencies]
backon = { version = "=1.6.0", default-features = false, features = ["std"] }
EOF
cat > src/main.rs <<'EOF'
use backon::{BackoffBuilder, ExponentialBuilder, FibonacciBuilder};
use std::time::Duration;

fn main() {
    let cap = Duration::from_secs(4);
    let exponential = ExponentialBuilder::default().with_max_delay(cap).with_max_times(8);
    // One of a hundred seeds draws above 1.9 times, if any draw can.
    let longest = (0..100).flat_map(|seed| exponential.with_jitter().with_jitter_seed(seed).build()).max();
    println!("exponential with jitter, cap 4 s: above 7.6 s {}", longest > Some(Duration::from_millis(7600)));
    let fibonacci = FibonacciBuilder::default().with_max_delay(cap).with_max_times(7);
    println!("Fibonacci without jitter, cap 4 s: {:?}", fibonacci.build().collect::<Vec<_>>());
}
EOF
cargo run --quiet | tee seen
diff - seen <<'EOF'
exponential with jitter, cap 4 s: above 7.6 s true
Fibonacci without jitter, cap 4 s: [1s, 1s, 2s, 3s, 5s, 5s, 5s]
EOF

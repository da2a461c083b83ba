#!/bin/sh
# Guess: In tokio-retry2, an attempt that ends with `RetryError::retry_after` is followed by that wait.
# Found: Only the notification gets it. The wait is that of the strategy, here 100 ms instead of 7 s.
# Versions: tokio-retry2@0.9.1 tokio@1.54.1
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
tokio-retry2 = "=0.9.1"
tokio = { version = "=1.54.1", features = ["rt", "time", "test-util"] }
EOF
cat > src/main.rs <<'EOF'
use std::time::Duration;
use tokio::time::Instant;
use tokio_retry2::{Retry, RetryError, strategy::FixedInterval};

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let start = Instant::now();
        let mut attempts = Vec::new();
        let busy = || {
            attempts.push(start.elapsed().as_millis());
            async { Err::<(), _>(RetryError::retry_after("busy", Duration::from_secs(7))) }
        };
        let _ = Retry::spawn(FixedInterval::from_millis(100).take(3), busy).await;
        println!("attempts at {attempts:?} ms");
    });
}
EOF
cargo run --quiet | tee seen
diff - seen <<'EOF'
attempts at [0, 100, 200, 300] ms
EOF

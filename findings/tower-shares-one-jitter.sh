#!/bin/sh
# Guess: Calls through one tower service with `ExponentialBackoffMaker` draw their waits independently.
# Found: Each clone copies the state of the generator: calls that fail together wait the same, each time.
# Versions: tower@0.5.3 tokio@1.54.1
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
tower = { version = "=0.5.3", features = ["retry", "util"] }
tokio = { version = "=1.54.1", features = ["rt", "time", "test-util"] }
EOF
cat > src/main.rs <<'EOF'
use std::time::Duration;
use tower::retry::backoff::{Backoff, ExponentialBackoffMaker, MakeBackoff};
use tower::util::rng::HasherRng;

async fn waits(mut maker: ExponentialBackoffMaker) -> Vec<Duration> {
    let mut backoff = maker.make_backoff();
    let mut waits = Vec::new();
    for _ in 0..8 {
        let start = tokio::time::Instant::now();
        backoff.next_backoff().await;
        waits.push(start.elapsed());
    }
    waits
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.unwrap().block_on(async {
        let (least, most) = (Duration::from_millis(100), Duration::from_secs(60));
        let maker = || ExponentialBackoffMaker::new(least, most, 1.0, HasherRng::new()).unwrap();
        // As each call does: a clone of the policy makes its backoff.
        let policy = maker();
        let calls = [waits(policy.clone()).await, waits(policy.clone()).await];
        println!("two calls of one policy wait the same: {}", calls[0] == calls[1]);
        println!("a call of another policy, too: {}", calls[0] == waits(maker()).await);
    });
}
EOF
cargo run --quiet | tee seen
diff - seen <<'EOF'
two calls of one policy wait the same: true
a call of another policy, too: false
EOF

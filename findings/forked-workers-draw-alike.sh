#!/bin/sh
# Guess: Each process of a forking server draws waits of its own from backon's jitter.
# Found: A thread seeds its generator at the first draw. Processes that are forked after it all draw the same waits.
# Versions: backon@1.6.0 libc@0.2.177
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
libc = "=0.2.177"
EOF
cat > src/main.rs <<'EOF'
use backon::{BackoffBuilder, ExponentialBuilder};
use std::{fs, io};

fn waits() -> String {
    format!("{:?}", ExponentialBuilder::default().with_jitter().build().collect::<Vec<_>>())
}

/// Two children, one after the other: whether both draw the same.
fn same_in_children() -> io::Result<bool> {
    for name in ["a", "b"] {
        match unsafe { libc::fork() } {
            0 => {
                fs::write(name, waits())?;
                unsafe { libc::_exit(0) };
            }
            child => unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) },
        };
    }
    Ok(fs::read("a")? == fs::read("b")?)
}

fn main() -> io::Result<()> {
    println!("forked before the first draw: the same waits {}", same_in_children()?);
    waits();
    println!("forked after it: the same waits {}", same_in_children()?);
    Ok(())
}
EOF
cargo run --quiet | tee seen
diff - seen <<'EOF'
forked before the first draw: the same waits false
forked after it: the same waits true
EOF

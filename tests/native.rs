//! The native tests, one program: to build one takes a fraction of the time of one for each file.
//!
//! `cargo test --all-features --test native tower::` runs those of `tower.rs`. Apart from it are the tests that count
//! allocations, which need an allocator of their own, and those of wasm.

#![cfg(not(target_family = "wasm"))]

mod common;

mod constants;
mod data;
mod differential;
mod features;
mod http;
mod kinds;
mod misuse;
mod policy;
mod presets;
mod programs;
mod protection;
mod public_names;
mod refusals;
mod retry;
mod tower;
mod vectors;

/// Features of native programs.
mod native {
    mod always_ready;
    mod blocking;
    #[cfg(unix)]
    mod forks;
    mod parts;
    mod protection;
    mod tokio_timers;
}

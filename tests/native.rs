//! The native tests, one program: to build one takes a fraction of the time of one for each file.
//!
//! `cargo test --all-features --test native tower::` runs those of `tower.rs`. Apart from it are the tests that count
//! allocations, which need an allocator of their own, and those of wasm.

#![cfg(not(target_family = "wasm"))]

mod common;

mod constants;
mod data;
mod http;
mod kinds;
mod policy;
mod presets;
mod programs;
mod protection;
mod refusals;
mod retry;
mod tower;
mod vectors;

// Not in Miri: they start processes, read sources, or compare digests, of which a sample has another one.
#[cfg(not(miri))]
mod differential;
#[cfg(not(miri))]
mod features;
#[cfg(not(miri))]
mod misuse;
#[cfg(not(miri))]
mod modules;
#[cfg(not(miri))]
mod public_names;

/// Features of native programs.
mod native {
    mod always_ready;
    mod blocking;
    #[cfg(all(unix, not(miri)))] // processes
    mod forks;
    mod parts;
    mod protection;
    mod tokio_timers;
}

//! What JavaScript gets: the decisions of the crate `rejitter` as wasm exports, and the driver over them in `src/js`.

#![warn(
    clippy::pedantic,
    missing_debug_implementations,
    missing_docs,
    rust_2018_idioms,
    unreachable_pub
)]

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub mod bindings;

/// READMEs and guides whose Rust examples are compiled and run.
#[cfg(all(doctest, not(target_family = "wasm")))]
mod documents {
    #[doc = include_str!("../README.md")]
    struct Readme;
    #[doc = include_str!("../docs/guide/rust.md")]
    struct Guide;
    #[doc = include_str!("../docs/migration/backon-tokio-retry.md")]
    struct Migration;
    #[doc = include_str!("../crates/rejitter/README.md")]
    struct CrateReadme;
}

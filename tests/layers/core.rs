//! No clock, no entropy, no JavaScript: there is nothing here to take them from.
#![no_std]
// Most of it serves the rest of the crate, which is not here.
#![allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    unused_macros,
    rustdoc::all
)]

extern crate alloc;

#[path = "../../crates/rejitter/src/core/mod.rs"]
pub mod core;

//! The simulations know the core and nothing else. They use the standard library for its functions of numbers.
// Most of it serves the rest of the crate, which is not here.
#![allow(dead_code, unreachable_pub, unused_imports)]

extern crate alloc;

#[path = "../../crates/rejitter/src/core/mod.rs"]
mod core;
#[path = "../../crates/rejitter/src/simulation/mod.rs"]
mod simulation;

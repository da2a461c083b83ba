//! The simulations know the core of `rejitter` and nothing else of the lab: they compile alone.
// Most of it serves the rest of the lab, which is not here.
#![allow(dead_code, unreachable_pub, unused_imports)]

#[path = "../src/simulation/mod.rs"]
mod simulation;

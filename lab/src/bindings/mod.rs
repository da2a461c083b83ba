//! What the npm package `rejitter-lab` calls: the lab's functions as wasm exports.

pub mod analysis;
pub mod simulation;
mod values;

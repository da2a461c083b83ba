//! The native tests of the lab, one program.

#![cfg(not(target_family = "wasm"))]

#[path = "../../../tests/common/rows.rs"]
mod common;

mod draws;
mod explain;
mod plan;
mod seam;
mod simulation;
mod sources;

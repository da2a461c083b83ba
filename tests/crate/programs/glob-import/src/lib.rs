//! A glob import of the crate leaves the names of other crates, and those of the prelude, what they are. Nor does it
//! compete with another glob for words that programs have.

use own::*;
use rejitter::*;

use alloc::vec::Vec as AllocVec;
use core::time::Duration as CoreDuration;
use std::time::Duration;

extern crate alloc;

mod own {
    pub enum Outcome {
        Plain,
    }
    pub struct Failure(pub Outcome);
    pub struct Hint;
    pub struct Decision(pub Hint);
    pub struct Draws;
    pub struct Previous(pub Draws);
    pub struct Callback(pub Previous);
    pub struct Plain;
    pub struct Protected(pub Plain);
    pub struct Reported;
}

pub fn own(failure: Failure, _: Decision, _: Callback, _: Protected, _: Reported) -> bool {
    matches!(failure, Failure(Outcome::Plain))
}

pub fn swapped(mut a: Option<u8>) -> (Option<u8>, AllocVec<Duration>) {
    let mut b = None;
    core::mem::swap(&mut a, &mut b);
    let waits: Result<_, OptionErrors> = RetryPolicy::from_options(RetryOptions::default());
    let waits: Vec<CoreDuration> = match waits {
        Ok(_) => Vec::from([CoreDuration::ZERO]),
        Err(_) => Vec::new(),
    };
    (b, waits)
}

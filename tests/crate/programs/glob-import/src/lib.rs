//! A glob import of the crate leaves the names of other crates, and those of the prelude, what they are.

use rejitter::*;

use alloc::vec::Vec as AllocVec;
use core::time::Duration as CoreDuration;
use std::time::Duration;

extern crate alloc;

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

//! Attempts that end at once or never, and operations that have started.

use std::future::{Pending, Ready, pending, ready};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub fn down() -> Ready<Result<(), &'static str>> {
    ready(Err("down"))
}

pub fn done() -> Ready<Result<(), &'static str>> {
    ready(Ok(()))
}

pub fn hangs() -> Pending<Result<(), &'static str>> {
    pending()
}

pub fn poll<F: Future + ?Sized>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// A future that was polled once, and has not ended.
pub fn begun<F: IntoFuture>(future: F) -> Pin<Box<F::IntoFuture>> {
    let mut begun = Box::pin(future.into_future());
    assert!(poll(begun.as_mut()).is_pending());
    begun
}

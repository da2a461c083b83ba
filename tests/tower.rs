//! The layer for Tower: readiness, classification of responses and errors, requests that cannot be copied.

#![cfg(all(not(target_family = "wasm"), feature = "tower"))]

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::{Ready, ready};
use std::io;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use rejitter::testing::VirtualTime;
use rejitter::{Classify, RetryLayer, RetryPolicy, Verdict};
use tower::{Layer, Service, ServiceExt, service_fn};

const POLICY: RetryPolicy = RetryPolicy::exponential().with_max_attempts(4);

type Outcome = Result<u16, &'static str>;

fn transient(outcome: Result<&u16, &&'static str>) -> Verdict {
    match outcome {
        Ok(429) => Verdict::RetryAtLeast(Duration::from_secs(7)),
        Ok(status) => (*status >= 500).into(),
        Err(error) => (*error != "bad request").into(),
    }
}

/// The outcome of a request whose attempts have these outcomes, and how many there were.
fn run(outcomes: &[Outcome]) -> (Outcome, usize) {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let service = service_fn(|()| {
        calls.set(calls.get() + 1);
        ready(outcomes[calls.get() - 1])
    });
    let service = RetryLayer::new(POLICY, transient)
        .sleeper(time.clone())
        .layer(service);
    (time.block_on(service.oneshot(())), calls.get())
}

#[test]
fn retries_responses_and_errors_until_one_is_good() {
    let outcomes = [Ok(503), Err("reset"), Ok(200)];
    assert_eq!(run(&outcomes), (Ok(200), 3));
}

#[test]
fn returns_the_last_outcome_when_no_attempt_is_left() {
    assert_eq!(run(&[Ok(500), Ok(501), Ok(502), Ok(503)]), (Ok(503), 4));
    assert_eq!(
        run(&[Ok(500), Ok(501), Ok(502), Err("reset")]),
        (Err("reset"), 4)
    );
}

#[test]
fn stops_where_the_classification_says_so() {
    assert_eq!(run(&[Ok(404)]), (Ok(404), 1));
    assert_eq!(
        run(&[Err("reset"), Err("bad request")]),
        (Err("bad request"), 2)
    );
}

#[test]
fn a_verdict_sets_the_wait() {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let service = service_fn(|()| {
        calls.set(calls.get() + 1);
        ready(Outcome::Ok(if calls.get() == 1 { 429 } else { 200 }))
    });
    let service = RetryLayer::new(POLICY, transient)
        .sleeper(time.clone())
        .layer(service);
    assert_eq!(time.block_on(service.oneshot(())), Ok(200));
    assert!(time.now() >= Duration::from_secs(7));
}

#[test]
fn no_wait_passes_the_total_timeout() {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let service = service_fn(|()| {
        calls.set(calls.get() + 1);
        ready(Outcome::Ok(429))
    });
    let service = RetryLayer::new(POLICY, transient)
        .sleeper(time.clone())
        .total_timeout(Duration::from_secs(20))
        .layer(service);
    assert_eq!(time.block_on(service.oneshot(())), Ok(429));
    assert!(calls.get() < 4 && time.now() < Duration::from_secs(20));
}

type Readiness = Poll<Result<(), &'static str>>;

/// A service that panics if it is called before it was polled ready. A clone is not ready.
struct Strict {
    is_ready: bool,
    readiness: Rc<RefCell<VecDeque<Readiness>>>,
    calls: Rc<Cell<u32>>,
}

impl Strict {
    fn new(readiness: [Readiness; 3]) -> Self {
        Self {
            is_ready: false,
            readiness: Rc::new(RefCell::new(readiness.into())),
            calls: Rc::default(),
        }
    }
}

impl Clone for Strict {
    fn clone(&self) -> Self {
        Self {
            is_ready: false,
            readiness: self.readiness.clone(),
            calls: self.calls.clone(),
        }
    }
}

impl Service<()> for Strict {
    type Response = u16;
    type Error = &'static str;
    type Future = Ready<Outcome>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), &'static str>> {
        if self.is_ready {
            return Poll::Ready(Ok(()));
        }
        let answer = self.readiness.borrow_mut().pop_front();
        let answer = answer.expect("it was polled too often");
        self.is_ready = answer == Poll::Ready(Ok(()));
        answer
    }

    fn call(&mut self, (): ()) -> Self::Future {
        assert!(self.is_ready, "it was called without being ready");
        self.is_ready = false;
        self.calls.set(self.calls.get() + 1);
        ready(Ok(503))
    }
}

#[test]
fn readiness_is_the_services_own_answer() {
    let answers = [
        Poll::Pending,
        Poll::Ready(Err("closed")),
        Poll::Ready(Ok(())),
    ];
    let strict = Strict::new(answers);
    let time = VirtualTime::new();
    let mut service = RetryLayer::new(POLICY, transient)
        .sleeper(time)
        .layer(strict);
    let mut context = Context::from_waker(Waker::noop());
    for answer in answers {
        assert_eq!(service.poll_ready(&mut context), answer);
    }
}

#[test]
fn the_service_is_ready_before_each_attempt() {
    let answers = [Ok(()), Ok(()), Err("bad request")].map(Poll::Ready);
    let strict = Strict::new(answers);
    let (readiness, calls) = (strict.readiness.clone(), strict.calls.clone());
    let time = VirtualTime::new();
    let service = RetryLayer::new(POLICY, transient)
        .sleeper(time.clone())
        .layer(strict);
    assert_eq!(time.block_on(service.oneshot(())), Err("bad request"));
    assert_eq!((calls.get(), readiness.borrow().len()), (2, 0));
}

#[test]
fn a_request_that_cannot_be_copied_is_sent_once() {
    #[derive(Clone)]
    struct Streams;
    struct Stream;

    impl Classify<Stream, u16, &'static str> for Streams {
        fn classify(&mut self, outcome: Result<&u16, &&'static str>) -> Verdict {
            transient(outcome)
        }
        fn clone_request(&mut self, _: &Stream) -> Option<Stream> {
            None
        }
    }

    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let service = service_fn(|_: Stream| {
        calls.set(calls.get() + 1);
        ready(Outcome::Ok(503))
    });
    let service = RetryLayer::new(POLICY, Streams)
        .sleeper(time.clone())
        .layer(service);
    assert_eq!(time.block_on(service.oneshot(Stream)), Ok(503));
    assert_eq!(calls.get(), 1);
}

#[test]
fn the_response_is_sent_between_threads() {
    fn assert_send<T: Send>(_: &T) {}
    let service = service_fn(|(): ()| ready(Ok::<u16, io::Error>(200)));
    let classify = |_: Result<&u16, &io::Error>| false;
    let time = VirtualTime::new();
    let service = RetryLayer::new(POLICY, classify)
        .sleeper(time)
        .layer(service);
    assert_send(&service.oneshot(()));
}

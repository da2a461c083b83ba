//! The layer for Tower: readiness, classification of responses and errors, requests that cannot be copied,
//! protection.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::io;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures_util::future::join_all;
use rejitter::testing::VirtualTime;
use rejitter::{
    BreakerOptions, BudgetOptions, Classify, CooldownOptions, HedgeOptions, Jitter, Protection,
    RetryLayer, RetryPolicy, Signal, Sleeper, StopReason, Verdict,
};
use tower::{Layer, Service, ServiceExt, service_fn};

use crate::common::clockless::Clockless;
use crate::common::protected::{ONE_AT_A_TIME, on};

const POLICY: RetryPolicy = RetryPolicy::exponential().with_max_attempts(4);

type Outcome = Result<u16, &'static str>;

fn transient(outcome: Result<&u16, &&'static str>) -> Verdict {
    match outcome {
        Ok(429) => Verdict::RetryAtLeast(Duration::from_secs(7)),
        Ok(status) => (*status >= 500).into(),
        Err(error) => (*error != "bad request").into(),
    }
}

/// A service whose calls end so by their numbers, from 1, after a time in seconds. The cell has the number of calls.
fn slow<'a, Request>(
    (time, calls): (&'a VirtualTime, &'a Cell<usize>),
    end: impl Fn(usize) -> (u64, Outcome) + Clone + 'a,
) -> impl Service<Request, Response = u16, Error = &'static str> + Clone + 'a {
    service_fn(move |_| {
        calls.set(calls.get() + 1);
        let (seconds, outcome) = end(calls.get());
        let busy = Sleeper::sleep(time, Duration::from_secs(seconds));
        async move {
            busy.await;
            outcome
        }
    })
}

/// Waits of 10 s, and 25 s for them.
#[test]
fn without_a_clock_the_waits_are_the_time() {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let policy = RetryPolicy::fixed(Duration::from_secs(10)).with_jitter(Jitter::None);
    let service = RetryLayer::new(policy, transient)
        .sleeper(Clockless(&time))
        .total_timeout(Duration::from_secs(25))
        .layer(slow((&time, &calls), |_| (0, Ok(503))));
    assert_eq!(time.block_on(service.oneshot(())), Ok(503));
    assert_eq!((calls.get(), time.now().as_secs()), (3, 20));
}

/// Calls of 30 s: each wait is the first of a row, until the calls are as short as the last wait.
#[test]
fn a_call_that_made_progress_begins_the_row_anew() {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let policy = RetryPolicy::exponential()
        .with_base(Duration::from_secs(10))
        .with_cap(Duration::from_secs(60))
        .with_jitter(Jitter::None)
        .with_max_attempts(2);
    let classify = |outcome: Result<&u16, &&'static str>| match outcome {
        Ok(206) => Verdict::RetryAnew,
        Ok(status) => (*status >= 500).into(),
        Err(_) => Verdict::Stop,
    };
    let ends = [(30, Ok(206)), (30, Ok(206)), (0, Ok(206)), (0, Ok(503))];
    let service = RetryLayer::new(policy, classify)
        .sleeper(&time)
        .layer(slow((&time, &calls), |call| ends[call - 1]));
    assert_eq!(time.block_on(service.oneshot(())), Ok(503));
    assert_eq!((calls.get(), time.now().as_secs()), (4, 60 + 10 + 10 + 20));
}

/// One call at a time, of 10 s each, whose first fails.
#[test]
fn calls_wait_for_their_turn_and_need_no_readiness_meanwhile() {
    let (time, api) = on(|p| p.limiter(ONE_AT_A_TIME));
    let calls = Cell::new(0);
    let inner = slow((&time, &calls), |call| {
        (10, if call == 1 { Ok(503) } else { Ok(200) })
    });
    let policy = RetryPolicy::fixed(Duration::ZERO).with_jitter(Jitter::None);
    let service = RetryLayer::new(policy, transient)
        .sleeper(&time)
        .protection(&api, |rejected| {
            assert_eq!(rejected.by, StopReason::Limiter);
            Err("rejected")
        })
        .total_timeout(Duration::from_secs(35))
        .layer(inner);
    let request = || {
        let call = service.clone().oneshot(());
        let time = &time;
        async move { (call.await, time.now().as_secs()) }
    };
    let ended = time.block_on(join_all([request(), request(), request(), request()]));
    // The retry of request 1 goes before request 3, and the last one has no time left.
    assert_eq!(
        ended,
        [
            (Ok(200), 30),
            (Ok(200), 20),
            (Ok(200), 40),
            (Err("rejected"), 35)
        ]
    );
    assert_eq!(api.status().limiter.unwrap().queued, 0);
}

/// The outcome of a request whose attempts have these outcomes, how many there were, and seconds until it ended.
fn timed(outcomes: &[Outcome], total: Duration) -> (Outcome, usize, u64) {
    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let service = slow((&time, &calls), |call| (0, outcomes[call - 1]));
    let service = RetryLayer::new(POLICY, transient)
        .sleeper(time.clone())
        .total_timeout(total)
        .layer(service);
    let outcome = time.block_on(service.oneshot(()));
    (outcome, calls.get(), time.now().as_secs())
}

#[test]
fn retries_responses_and_errors_as_long_as_the_classification_says_so() {
    for (outcomes, expected, calls) in [
        (&[Ok(503), Err("reset"), Ok(200)][..], Ok(200), 3),
        (&[Ok(500), Ok(501), Ok(502), Ok(503)], Ok(503), 4),
        (&[Ok(500), Ok(501), Ok(502), Err("reset")], Err("reset"), 4),
        (&[Ok(404)], Ok(404), 1),
        (&[Err("reset"), Err("bad request")], Err("bad request"), 2),
    ] {
        let (outcome, made, _) = timed(outcomes, Duration::MAX);
        assert_eq!((outcome, made), (expected, calls), "{outcomes:?}");
    }
    // A verdict sets the wait, and no wait passes the total timeout.
    let (outcome, _, ended) = timed(&[Ok(429), Ok(200)], Duration::MAX);
    assert!(outcome == Ok(200) && ended >= 7);
    let (outcome, calls, ended) = timed(&[Ok(429); 4], Duration::from_secs(20));
    assert!(outcome == Ok(429) && calls < 4 && ended < 20);
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
    // Not a type that can be cloned.
    #[derive(Default)]
    struct Stream;

    let (time, calls) = (VirtualTime::new(), Cell::new(0));
    let service = slow((&time, &calls), |_| (0, Ok(503)));
    let service = RetryLayer::new(POLICY, Copies(Rc::default()))
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

/// Opens after two failures in a row.
const TWO_IN_A_ROW: BreakerOptions = BreakerOptions {
    consecutive_failures: Some(2),
    ..BreakerOptions::DEFAULT
};

#[test]
fn requests_share_a_protection_and_a_refused_one_gets_the_answer_of_the_layer() {
    let calls = Cell::new(0);
    let (time, api) = on(|p| p.breaker(TWO_IN_A_ROW));
    let layer = RetryLayer::new(POLICY.with_max_attempts(1), transient)
        .protection(&api, |rejected| {
            assert_eq!(rejected.by, StopReason::Breaker);
            Outcome::Err("rejected")
        })
        .sleeper(time.clone());
    let service = layer.layer(service_fn(|status: u16| {
        calls.set(calls.get() + 1);
        ready(Outcome::Ok(status))
    }));
    let ask = |status| time.block_on(service.clone().oneshot(status));
    // A response that is not retried is a success, one that asks for fewer requests says nothing.
    for status in [503, 404, 503, 429, 503] {
        assert_eq!(ask(status), Ok(status));
    }
    assert_eq!(ask(200), Err("rejected"));
    assert_eq!(
        (calls.get(), api.status().breaker.unwrap().rejected),
        (5, 1)
    );

    // A rejection may be a response, for services that have no errors.
    let teapot = RetryLayer::new(POLICY, |_: Result<&u16, &Infallible>| false)
        .sleeper(time.clone())
        .protection(&api, |_| Ok(418))
        .layer(service_fn(|()| ready(Ok::<u16, Infallible>(200))));
    assert_eq!(time.block_on(teapot.oneshot(())), Ok(418));
}

/// A worker that is gone: no request is sent, so none is the budget's or the breaker's business.
#[test]
fn a_service_that_is_not_ready_costs_no_token() {
    let (time, api) = on(|p| p.budget(BudgetOptions::default()).breaker(TWO_IN_A_ROW));
    let strict = Strict::new([Poll::Ready(Err("gone")); 3]);
    let (calls, readiness) = (strict.calls.clone(), strict.readiness.clone());
    let layer = RetryLayer::new(POLICY.with_max_attempts(3), transient)
        .protection(&api, |_| Err("rejected"))
        .signal(|_: Result<&u16, &&'static str>| Some(Signal::Failure))
        .sleeper(time.clone());
    let mut service = layer.layer(strict);
    assert_eq!(time.block_on(service.call(())), Err("gone"));
    assert_eq!((calls.get(), readiness.borrow().len()), (0, 0));
    let status = api.status();
    let budget = status.budget.unwrap();
    assert_eq!(
        (budget.tokens, budget.capacity),
        (budget.capacity, budget.capacity)
    );
    assert_eq!(status.breaker.unwrap().failures, 0.0);
}

#[test]
fn a_protected_request_ends_with_the_last_outcome_of_the_service() {
    let calls = Cell::new(0);
    let (time, api) = on(|p| {
        p.budget(BudgetOptions {
            capacity: Some(1.0),
            ..BudgetOptions::default()
        })
    });
    let service = slow((&time, &calls), |call| (0, Ok([501, 502, 503][call - 1])));
    let service = RetryLayer::new(POLICY, transient)
        .sleeper(time.clone())
        .protection(&api, |_| unreachable!("no budget rejects a first attempt"))
        .layer(service);
    assert_eq!(time.block_on(service.clone().oneshot(())), Ok(502));
    assert_eq!(time.block_on(service.oneshot(())), Ok(503));
    assert_eq!(api.status().budget.unwrap().rejected, 2);
}

#[test]
fn a_verdict_holds_the_requests_of_others() {
    let (time, api) = on(|p| p.cooldown(CooldownOptions::default()));
    let layer = RetryLayer::new(POLICY.with_max_attempts(1), transient)
        .sleeper(time.clone())
        .protection(&api, |rejected| panic!("{rejected}"));
    let busy = layer.layer(service_fn(|()| ready(Outcome::Ok(429))));
    assert_eq!(time.block_on(busy.clone().oneshot(())), Ok(429));
    // The hold's probe.
    assert_eq!(time.block_on(busy.oneshot(())), Ok(429));
    assert_eq!(time.now(), Duration::ZERO);
    let strict = Strict::new([Poll::Ready(Ok(())); 3]);
    let clones = strict.calls.clone();
    let mut held = pin!(layer.layer(strict).oneshot(()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(held.as_mut().poll(&mut context).is_pending());
    // The one that was ready is dropped, with the place that it may have reserved: one for later calls is left.
    assert_eq!(Rc::strong_count(&clones), 2);
    assert_eq!(time.block_on(held), Ok(503));
    assert!(time.now() >= Duration::from_secs(7));
}

/// The deadline leaves a first attempt alone, as without a protection, and ends a later one.
#[test]
fn a_protected_request_keeps_its_outcome_at_the_deadline() {
    let end = |first: u64, second: u64| {
        let calls = Cell::new(0);
        let (time, api) = on(|p| p.budget(BudgetOptions::default()));
        let ends = [(first, Ok(503)), (second, Ok(504))];
        let service = slow((&time, &calls), |call| ends[call - 1]);
        let service = RetryLayer::new(POLICY, transient)
            .sleeper(time.clone())
            .total_timeout(Duration::from_secs(10))
            .protection(&api, |rejected| panic!("{rejected}"))
            .layer(service);
        (
            time.block_on(service.oneshot(())),
            time.now().as_secs(),
            calls.get(),
        )
    };
    assert_eq!(end(30, 0), (Ok(503), 30, 1));
    assert_eq!(end(1, 30), (Ok(503), 10, 2));
}

#[test]
fn a_request_that_cannot_be_copied_tells_the_breaker_of_its_failure() {
    let (time, api) = on(|p| p.breaker(TWO_IN_A_ROW));
    let service = RetryLayer::new(POLICY, Copies(Rc::default()))
        .sleeper(time.clone())
        .protection(&api, |_| Outcome::Err("rejected"))
        .layer(service_fn(|()| ready(Outcome::Err("reset"))));
    let ask = || time.block_on(service.clone().oneshot(()));
    assert_eq!(
        [ask(), ask(), ask()],
        [Err("reset"), Err("reset"), Err("rejected")]
    );
}

/// The outcome of a request whose calls take these seconds and end so, when that was, and how many calls there were.
fn hedged<C>(classify: C, ends: &[(u64, u16)]) -> (Outcome, u64, usize, Protection)
where
    C: Classify<(), u16, &'static str> + Clone,
{
    let calls = Cell::new(0);
    let (time, api) = on(|p| p.hedge(HedgeOptions::DEFAULT.with_delay(Duration::from_secs(1))));
    let service = slow((&time, &calls), |call| {
        let (seconds, status) = ends[call - 1];
        (seconds, Ok(status))
    });
    let service = RetryLayer::new(POLICY, classify)
        .sleeper(time.clone())
        .total_timeout(Duration::from_secs(10))
        .protection(&api, |rejected| panic!("{rejected}"))
        .hedge()
        .layer(service);
    let outcome = time.block_on(service.oneshot(()));
    assert_eq!(time.waits(), 0);
    (outcome, time.now().as_secs(), calls.get(), api)
}

#[test]
fn a_slow_request_is_sent_again_beside_the_first_one() {
    let (outcome, ended, calls, api) = hedged(transient, &[(5, 200), (2, 201)]);
    assert_eq!((outcome, ended, calls), (Ok(201), 3, 2));
    let hedge = api.status().hedge.unwrap();
    assert_eq!((hedge.hedges, hedge.won), (1, 1));
    let (outcome, ended, calls, _) = hedged(transient, &[(5, 404), (2, 503)]);
    assert_eq!((outcome, ended, calls), (Ok(404), 5, 2));
}

/// Before there is an outcome to return, the deadline spares the first round.
#[test]
fn the_deadline_ends_a_round_as_soon_as_that_has_an_outcome() {
    let end = |ends| {
        let (outcome, ended, calls, _) = hedged(transient, ends);
        (outcome, ended, calls)
    };
    assert_eq!(end(&[(30, 200), (30, 201)]), (Ok(200), 30, 2));
    assert_eq!(end(&[(2, 503), (30, 201)]), (Ok(503), 10, 2));
    assert_eq!(end(&[(30, 200), (2, 504)]), (Ok(504), 10, 2));
    assert_eq!(end(&[(12, 503), (30, 201)]), (Ok(503), 12, 2));
}

/// A request that can be copied a few times.
#[derive(Clone)]
struct Copies(Rc<Cell<u32>>);

impl<Request: Default> Classify<Request, u16, &'static str> for Copies {
    fn classify(&mut self, outcome: Result<&u16, &&'static str>) -> Verdict {
        transient(outcome)
    }
    fn clone_request(&mut self, _: &Request) -> Option<Request> {
        let left = self.0.get().checked_sub(1)?;
        self.0.set(left);
        Some(Request::default())
    }
}

#[test]
fn a_hedge_does_not_take_the_last_copy_of_a_request() {
    let end = |copies| {
        let copies = Copies(Rc::new(Cell::new(copies)));
        let (outcome, _, calls, api) = hedged(copies, &[(2, 500), (2, 501), (0, 502)]);
        (outcome, calls, api.status().hedge.unwrap().hedges)
    };
    assert_eq!(end(0), (Ok(500), 1, 0));
    // The copy is for the retry, which has none for another.
    assert_eq!(end(1), (Ok(501), 2, 0));
    assert_eq!(end(2), (Ok(502), 3, 1));
}

#[test]
#[should_panic(expected = "this layer's protection has no hedge")]
fn a_layer_hedges_only_with_a_hedge() {
    let api = Protection::new();
    let layer = RetryLayer::new(POLICY, transient).protection(&api, |_| Outcome::Err("rejected"));
    let _ = layer.hedge();
}

/// Tokens left, and failures and calls of the breaker, after a request whose responses have these statuses.
fn signalled<C>(layer: RetryLayer<C>, statuses: &[u16]) -> (Outcome, f64, f64, f64)
where
    C: Classify<(), u16, &'static str> + Clone,
{
    let calls = Cell::new(0);
    let (time, api) = on(|p| {
        p.budget(BudgetOptions::default())
            .breaker(BreakerOptions::default())
    });
    let service = slow((&time, &calls), |call| (0, Ok(statuses[call - 1])));
    let service = layer
        .sleeper(time.clone())
        .protection(&api, |rejected| panic!("{rejected}"))
        .layer(service);
    let outcome = time.block_on(service.oneshot(()));
    assert_eq!(calls.get(), statuses.len());
    let status = api.status();
    let breaker = status.breaker.unwrap();
    let tokens = status.budget.unwrap().tokens;
    (outcome, tokens, breaker.failures, breaker.calls)
}

/// Polls on 202, and retries 404 and from 500 on.
fn polls(outcome: Result<&u16, &&'static str>) -> Verdict {
    let again = outcome.is_ok_and(|status| matches!(status, 202 | 404 | 500..));
    again.into()
}

fn of_status(outcome: Result<&u16, &&'static str>) -> Option<Signal> {
    Some(match outcome.ok()? {
        202 => Signal::Success,
        status => Signal::of_status(*status),
    })
}

#[test]
fn a_retried_response_is_a_failure_unless_a_signal_overrides_it() {
    let by_verdict = || RetryLayer::new(POLICY.with_max_attempts(3), polls);
    let by_signal = || by_verdict().signal(of_status);
    // The last attempt is not followed by a retry, and retries that fail do not count.
    assert_eq!(
        signalled(by_verdict(), &[202; 3]),
        (Ok(202), 48.0, 1.0, 1.0)
    );
    assert_eq!(signalled(by_signal(), &[202; 3]), (Ok(202), 50.0, 0.0, 3.0));
    assert_eq!(signalled(by_signal(), &[404; 3]), (Ok(404), 48.0, 0.0, 3.0));
    assert_eq!(signalled(by_signal(), &[503; 3]), (Ok(503), 48.0, 1.0, 1.0));
    // What the last retry took comes back.
    let ends = signalled(by_signal(), &[503, 202, 200]);
    assert_eq!(ends, (Ok(200), 50.0, 1.0, 3.0));
}

#[test]
fn an_accepted_response_says_what_its_signal_says() {
    let accepts = || RetryLayer::new(POLICY, |_: Result<&u16, &&'static str>| false);
    assert_eq!(signalled(accepts(), &[503]), (Ok(503), 50.0, 0.0, 1.0));
    let by_signal = || accepts().signal(of_status);
    assert_eq!(signalled(by_signal(), &[503]), (Ok(503), 50.0, 1.0, 1.0));
    assert_eq!(signalled(by_signal(), &[404]), (Ok(404), 50.0, 0.0, 1.0));
    assert_eq!(signalled(by_signal(), &[429]), (Ok(429), 50.0, 0.0, 0.0));
}

/// A classification with signals of its own.
#[derive(Clone)]
struct Ours;

impl Classify<(), u16, &'static str> for Ours {
    fn classify(&mut self, outcome: Result<&u16, &&'static str>) -> Verdict {
        polls(outcome)
    }
    fn clone_request(&mut self, (): &()) -> Option<()> {
        Some(())
    }
    fn signal(&mut self, outcome: Result<&u16, &&'static str>) -> Option<Signal> {
        of_status(outcome)
    }
}

#[test]
fn a_classification_has_signals_which_those_of_the_layer_replace() {
    let ours = || RetryLayer::new(POLICY.with_max_attempts(2), Ours);
    assert_eq!(signalled(ours(), &[202; 2]), (Ok(202), 50.0, 0.0, 2.0));
    let replaced = ours().signal(|_: Result<&u16, &&'static str>| None);
    assert_eq!(signalled(replaced, &[202; 2]), (Ok(202), 49.0, 1.0, 1.0));
}

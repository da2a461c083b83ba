//! The setters that the asynchronous and the blocking operations share.

/// An example that starts with an operation on `send`, a policy and a virtual time.
macro_rules! example {
    ($send:literal, $($rest:tt)*) => {
        concat!("```\n# use rejitter::testing::VirtualTime;\n# fn send() -> ", $send, "\n\
            # const POLICY: rejitter::RetryPolicy = rejitter::RetryPolicy::exponential();\n\
            # let time = VirtualTime::new();\n", $($rest)*)
    };
}

/// The setters of an operation's type. `start` and `end` surround the chain of setters in examples. Names that are in
/// messages of the compiler come from the caller: with them, a message would show the macro.
macro_rules! setters {
    (
        $type:ident<$($parameter:ident),+>,
        sleeper: $sleeper:ident,
        bound: $bound:ident,
        deciders: [$when:ident, $when_attempt:ident]($($verdict:tt)*),
        start: $start:literal,
        end: $end:literal,
    ) => {
        impl<$($parameter,)+ M: Outcome, S: $bound, H>
            $type<$($parameter,)+ M, S, H>
        {
            /// Sets the function that decides whether to retry an error. It returns a
            /// `bool` or a [`Verdict`](crate::Verdict), which may also set the wait. Defaults to
            /// retrying every error.
            ///
            /// It is called once after each attempt that failed with an error, including the last one,
            /// whose reason it decides as well. It is not called for timeouts.
            ///
            #[doc = example!("Result<(), u16> { Err(404) }", "\
                use rejitter::{StopReason, Verdict};\n\
                use std::time::Duration;\n\
                \n\
                let failed = ", $start, "\n\
                \x20   .when(|status| match status {\n\
                \x20       409 => Verdict::RetryExactly(Duration::from_millis(5)),\n\
                \x20       500.. => Verdict::Retry,\n\
                \x20       _ => Verdict::Stop,\n\
                \x20   })\n\
                \x20   .report()\n\
                \x20   .sleeper(&time)", $end, ".unwrap_err();\n\
                assert_eq!(failed.reason, StopReason::NotRetryable);\n\
                assert_eq!(failed.report.attempts, 1);\n\
                ```")]
            #[doc(alias = "RetryIf")]
            pub fn $when<C, $($verdict)*>(
                self,
                condition: C,
            ) -> $type<$($parameter,)+ M, S, When<C, H, V>>
            where
                C: FnMut(&M::Attempt) -> V,
            {
                self.with(|parts| parts.hooks(|hooks| When(condition, hooks, V::into_verdict)))
            }

            /// Like [`when`](Self::when), for a function that needs to know the attempt, such as whether
            /// any is left.
            ///
            #[doc = example!("Result<(), u16> { Err(503) }", "\
                let mut tokens = 10;\n\
                let failed = ", $start, "\n\
                \x20   .when_attempt(|_, attempt| {\n\
                \x20       if attempt.attempts_left > 0 {\n\
                \x20           tokens -= 2;\n\
                \x20       }\n\
                \x20       tokens >= 0\n\
                \x20   })\n\
                \x20   .sleeper(&time)", $end, ";\n\
                assert!(failed.is_err());\n\
                assert_eq!(tokens, 0); // five retries, although six attempts failed\n\
                ```")]
            pub fn $when_attempt<C, $($verdict)*>(
                self,
                condition: C,
            ) -> $type<$($parameter,)+ M, S, WhenAttempt<C, H, V>>
            where
                C: FnMut(&M::Attempt, &Attempt) -> V,
            {
                self.with(|parts| parts.hooks(|hooks| WhenAttempt(condition, hooks, V::into_verdict)))
            }

            /// Sets the function that reads from an error the wait that a server requested, as in HTTP's
            /// `Retry-After`. Defaults to none.
            ///
            /// It is called after each attempt that failed with an error, unless [`when`](Self::when)
            /// stopped. `None` and zero mean no hint. The wait is the longer of `h + r·max(base, h/2)`, with r
            /// in [0, 1), and the policy's own wait: never less than the server requests, spread out
            /// because a server sends many clients the same hint, and never shorter than without the
            /// hint. A hint above the policy's `max_retry_after` ends the operation with
            /// [`StopReason::Hint`](crate::StopReason::Hint).
            /// [`Verdict::RetryExactly`](crate::Verdict::RetryExactly) overrides a hint.
            ///
            #[doc = example!("Result<(), Busy> { Err(Busy { retry_after: Some(Duration::from_secs(3_600)) }) }", "\
                # use std::time::Duration;\n\
                use rejitter::StopReason;\n\
                \n\
                # #[derive(Debug)]\n\
                struct Busy { retry_after: Option<Duration> }\n\
                \n\
                let failed = ", $start, "\n\
                \x20   .hint(|error| error.retry_after)\n\
                \x20   .report()\n\
                \x20   .sleeper(&time)", $end, ".unwrap_err();\n\
                assert_eq!(failed.reason, StopReason::Hint); // the policy follows hints up to 60 s\n\
                assert_eq!(failed.report.hint, Some(Duration::from_secs(3_600)));\n\
                ```")]
            #[doc(alias = "adjust")]
            #[doc(alias = "retry_after")]
            pub fn hint<C: FnMut(&M::Attempt) -> Option<Duration>>(
                self,
                hint: C,
            ) -> $type<$($parameter,)+ M, S, HintOf<C, H>> {
                self.with(|parts| parts.hooks(|hooks| HintOf(hint, hooks)))
            }

            #[cfg(feature = "protection")]
            /// Sets the function that decides what an error says about the destination, for the
            /// [`Protection`](crate::Protection). Defaults to what [`when`](Self::when) decided: see
            /// [`Signal`](crate::Signal). `None` means the default.
            ///
            /// It is called once after each attempt that failed with an error, in protected operations alone. It
            /// does not decide about the retry, only whether the retry takes tokens of the
            /// [`budget`](crate::Protection::budget): it is free after [`Signal::Success`](crate::Signal::Success)
            /// and [`Signal::Nothing`](crate::Signal::Nothing).
            ///
            #[doc = example!("Result<(), u16> { Err(404) }", "\
                use rejitter::{BreakerOptions, Protection, Signal};\n\
                \n\
                let options = BreakerOptions { consecutive_failures: Some(1), ..BreakerOptions::default() };\n\
                let api = Protection::new().breaker(options);\n\
                let failed = ", $start, "\n\
                \x20   .protection(&api)\n\
                \x20   .signal(|status| Some(Signal::of_status(*status))) // a server that answers 404 works\n\
                \x20   .sleeper(&time)", $end, ".unwrap_err();\n\
                assert_eq!(failed.own_error(), Some(&404));\n\
                assert_eq!(api.status().breaker.unwrap().opens, 0);\n\
                ```")]
            pub fn signal<C: FnMut(&M::Attempt) -> Option<Signal>>(
                self,
                signal: C,
            ) -> $type<$($parameter,)+ M, S, SignalOf<C, H>> {
                self.with(|parts| parts.hooks(|hooks| SignalOf(signal, hooks)))
            }

            /// Sets the backoff of [`RetryPolicy::custom`](crate::RetryPolicy::custom): a function that
            /// returns the ceiling of wait k, which follows failed attempt k (the first is number 1), before
            /// cap and jitter. Only policies with that backoff call it, once for each wait that is not
            /// exact. Defaults to 10 s.
            ///
            #[doc = concat!("```\n\
                # use rejitter::testing::VirtualTime;\n\
                # use std::time::Duration;\n\
                # fn send() -> Result<(), u16> { Err(503) }\n\
                use rejitter::{Jitter, RetryPolicy};\n\
                \n\
                const POLICY: RetryPolicy = RetryPolicy::custom().with_jitter(Jitter::None);\n\
                # let time = VirtualTime::new();\n\
                let outcome = ", $start, "\n\
                \x20   .curve(|k| Duration::from_secs(k * k))\n\
                \x20   .sleeper(&time)", $end, ";\n\
                assert_eq!(time.now(), Duration::from_secs(1 + 4 + 9 + 16 + 25));\n\
                # assert!(outcome.is_err());\n\
                ```")]
            pub fn curve<C: FnMut(u64) -> Duration>(
                self,
                curve: C,
            ) -> $type<$($parameter,)+ M, S, Curve<C, H>> {
                self.with(|parts| parts.hooks(|hooks| Curve(curve, hooks)))
            }

            /// Sets a function that is notified of each failed attempt, including timeouts and the last
            /// attempt, once it is decided what follows.
            ///
            #[doc = example!("Result<(), u16> { Err(503) }", "\
                let mut waits = Vec::new();\n\
                let failed = ", $start, "\n\
                \x20   .seed(7)\n\
                \x20   .notify(|event| waits.extend(event.delay)) // no wait after the last attempt\n\
                \x20   .sleeper(&time)", $end, ";\n\
                assert!(failed.is_err());\n\
                assert!(POLICY.delays(7).eq(waits));\n\
                ```")]
            pub fn notify<C: FnMut(&FailureEvent<'_, M::Attempt>)>(
                self,
                notify: C,
            ) -> $type<$($parameter,)+ M, S, Notify<C, H>> {
                self.with(|parts| parts.hooks(|hooks| Notify(notify, hooks)))
            }

            /// Sets a function that is called after a success, with the number of attempts and the time since the start
            /// of the operation: for metrics.
            ///
            #[doc = example!("Result<u8, u16> { Ok(1) }", "\
                let mut attempts = 0;\n\
                let outcome = ", $start, "\n\
                \x20   .notify_success(|number, _| attempts = number)\n\
                \x20   .sleeper(&time)", $end, ";\n\
                assert_eq!((outcome, attempts), (Ok(1), 1));\n\
                ```")]
            pub fn notify_success<C: FnMut(u64, Duration)>(
                self,
                notify: C,
            ) -> $type<$($parameter,)+ M, S, NotifySuccess<C, H>> {
                self.with(|parts| parts.hooks(|hooks| NotifySuccess(notify, hooks)))
            }

            /// Sets all callbacks at once: see [`Hooks`](crate::Hooks). It takes them by value. To read the type
            /// afterwards, implement the trait for a reference to it.
            pub fn hooks<H2: Hooks<M::Attempt>>(
                self,
                hooks: H2,
            ) -> $type<$($parameter,)+ M, S, H2> {
                self.with(|parts| parts.hooks(|_| hooks))
            }

            /// Makes the waits reproducible: those of [`RetryPolicy::delays`](crate::RetryPolicy::delays) with this
            /// seed. Defaults to one of the system's randomness when the first wait is drawn. If the system has no
            /// randomness to give, the operation then ends with
            /// [`StopReason::Randomness`](crate::StopReason::Randomness).
            ///
            /// Operations that share a seed wait equally long, which is what jitter prevents: use seeds
            /// for tests and simulations.
            ///
            #[doc = example!("Result<(), u16> { Err(503) }", "\
                let failed = ", $start, "\n\
                \x20   .seed(\"a test\")\n\
                \x20   .sleeper(&time)", $end, ";\n\
                assert_eq!(time.now(), POLICY.delays(\"a test\").sum());\n\
                # assert!(failed.is_err());\n\
                ```")]
            pub fn seed(self, seed: impl Into<Seed>) -> Self {
                self.with(|mut parts| {
                    parts.operation.seed = Some(seed.into());
                    parts
                })
            }

            #[doc = concat!("Waits and reads the time with this [`", stringify!($sleeper),
                "`](crate::", stringify!($sleeper), ").")]
            ///
            #[doc = concat!("```\n\
                # fn send() -> Result<(), u16> { Err(503) }\n\
                # const POLICY: rejitter::RetryPolicy = rejitter::RetryPolicy::exponential();\n\
                use rejitter::testing::VirtualTime;\n\
                \n\
                let time = VirtualTime::new();\n\
                let failed = ", $start, ".sleeper(&time)", $end, ";\n\
                assert_eq!(failed, Err(503));\n\
                ```")]
            pub fn sleeper<S2: $sleeper>(
                self,
                sleeper: S2,
            ) -> $type<$($parameter,)+ M, S2, H> {
                self.with(|parts| parts.sleeper(sleeper))
            }

            /// Switches the failure from the callback's last error to a [`RetryError`](crate::RetryError),
            /// which holds that error, the reason and a report of all attempts.
            ///
            #[doc = example!("Result<(), &'static str> { Err(\"boom\") }", "\
                let failed = ", $start, ".report().sleeper(&time)", $end, ".unwrap_err();\n\
                assert_eq!(failed.to_string(), \"boom (after 6 attempts: exhausted)\");\n\
                assert_eq!(failed.report.records.len(), 6);\n\
                ```")]
            pub fn report(
                self,
            ) -> $type<$($parameter,)+ Reported<M::Attempt, M::Protection>, S, H> {
                self.with(Parts::report)
            }

            #[cfg(feature = "protection")]
            /// Shares this [`Protection`](crate::Protection) with other operations: its parts may reject an
            /// attempt, or hold it.
            ///
            /// Before each attempt, in this order: the breaker rejects while it is open, the cooldown holds the
            /// attempt, rejects it or lets it pass, the breaker admits it. After a hold, the attempt passes the
            /// cooldown. After a failed attempt, once the wait is computed: the
            /// wait is at least as long as the cooldown holds others. Then the breaker rejects if it is open
            /// beyond its end, and the budget gives a token or rejects. So nothing waits for a rejection.
            ///
            /// A rejection after an attempt ends the operation with its own last error. A rejection before the first
            /// attempt has no error of the callback to return. Therefore the failure becomes a
            /// [`RetryError`](crate::RetryError), as with [`report`](Self::report), which can say so:
            /// [`RetryError::rejected_by`](crate::RetryError::rejected_by). To ask for an
            /// `E: From<RejectedError>` instead would exclude errors of other crates.
            ///
            #[doc = example!("Result<(), &'static str> { Err(\"boom\") }", "\
                use rejitter::{BreakerOptions, Protection, StopReason};\n\
                \n\
                let api = Protection::new().breaker(BreakerOptions::default());\n\
                api.open();\n\
                let failed = ", $start, ".protection(&api).sleeper(&time)", $end, ".unwrap_err();\n\
                assert_eq!(failed.rejected_by(), Some(StopReason::Breaker));\n\
                assert_eq!(failed.report.attempts, 0);\n\
                assert_eq!(failed.to_string(), \"rejected by breaker: the circuit is open\");\n\
                ```")]
            pub fn protection(
                self,
                protection: &Protection,
            ) -> $type<$($parameter,)+ Reported<M::Attempt, Protected>, S, H> {
                self.with(|parts| parts.protect(protection))
            }
        }

        impl<$($parameter,)+ E, P: Protect, S: $bound, H>
            $type<$($parameter,)+ Reported<E, P>, S, H>
        {
            /// Keeps at most this number of the callback's errors in the report: the latest ones, of the
            /// attempts whose records are kept, which the latest of all is. Defaults to 1, the last error, because
            /// an error may hold a response or a connection. 0 counts as 1.
            ///
            #[doc = concat!("```\n\
                # use rejitter::testing::VirtualTime;\n\
                # let mut number = 0;\n\
                # let mut send = || { number += 1; Err::<(), u8>(number) };\n\
                # const POLICY: rejitter::RetryPolicy = rejitter::RetryPolicy::exponential();\n\
                # let time = VirtualTime::new();\n\
                let failed = ", $start, ".report().keep_errors(3).sleeper(&time)", $end,
                ".unwrap_err();\n\
                let kept: Vec<String> = failed.errors().map(ToString::to_string).collect();\n\
                assert_eq!(kept, [\"4\", \"5\", \"6\"]);\n\
                ```")]
            pub fn keep_errors(self, errors: usize) -> Self {
                self.with(|mut parts| {
                    parts.operation.outcome.keep_errors(errors);
                    parts
                })
            }
        }
    };
}

pub(super) use {example, setters};

//! The setters that the asynchronous and the blocking operations share.

/// The setters of an operation's type. Names that are in messages of the compiler come from the caller: with them, a
/// message would show the macro.
macro_rules! setters {
    (
        $type:ident<$($parameter:ident),+>,
        sleeper: $sleeper:ident,
        bound: $bound:ident,
        deciders: [$when:ident, $when_attempt:ident]($($verdict:tt)*),
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
            /// Examples: [`guide::errors`](crate::guide::errors).
            #[doc(alias = "RetryIf")]
            pub fn $when<C, $($verdict)*>(
                self,
                condition: C,
            ) -> $type<$($parameter,)+ M, S, hooks::When<C, H, V>>
            where
                C: FnMut(&M::Attempt) -> V,
            {
                self.with(|parts| parts.hooks(|hooks| hooks::When(condition, hooks, V::into_verdict)))
            }

            /// Like [`when`](Self::when), for a function that needs to know the attempt, such as whether
            /// any is left.
            pub fn $when_attempt<C, $($verdict)*>(
                self,
                condition: C,
            ) -> $type<$($parameter,)+ M, S, hooks::WhenAttempt<C, H, V>>
            where
                C: FnMut(&M::Attempt, &Attempt) -> V,
            {
                self.with(|parts| parts.hooks(|hooks| hooks::WhenAttempt(condition, hooks, V::into_verdict)))
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
            /// Examples: [`guide::errors`](crate::guide::errors).
            #[doc(alias = "adjust")]
            #[doc(alias = "retry_after")]
            pub fn hint<C: FnMut(&M::Attempt) -> Option<Duration>>(
                self,
                hint: C,
            ) -> $type<$($parameter,)+ M, S, hooks::HintOf<C, H>> {
                self.with(|parts| parts.hooks(|hooks| hooks::HintOf(hint, hooks)))
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
            /// Examples: [`guide::protection`](crate::guide::protection).
            pub fn signal<C: FnMut(&M::Attempt) -> Option<Signal>>(
                self,
                signal: C,
            ) -> $type<$($parameter,)+ M, S, hooks::SignalOf<C, H>> {
                self.with(|parts| parts.hooks(|hooks| hooks::SignalOf(signal, hooks)))
            }

            #[cfg(feature = "protection")]
            /// Sets the units that an attempt takes of a [`limiter`](crate::Protection::limiter)'s rate, such as the
            /// tokens of a language model, by the attempt's number. Defaults to 1. Any number that is not positive and
            /// finite counts as 1.
            ///
            /// It is called once for each attempt, before its wait, in operations alone whose protection has a limiter.
            pub fn weight<C: FnMut(u64) -> f64>(
                self,
                weight: C,
            ) -> $type<$($parameter,)+ M, S, hooks::Weight<C, H>> {
                self.with(|parts| parts.hooks(|hooks| hooks::Weight(weight, hooks)))
            }

            /// Sets the backoff of [`RetryPolicy::custom`](crate::RetryPolicy::custom): a function that
            /// returns the ceiling of wait k, which follows failed attempt k (the first is number 1), before
            /// cap and jitter. Only policies with that backoff call it, once for each wait that is not
            /// exact. Defaults to 10 s.
            pub fn curve<C: FnMut(u64) -> Duration>(
                self,
                curve: C,
            ) -> $type<$($parameter,)+ M, S, hooks::Curve<C, H>> {
                self.with(|parts| parts.hooks(|hooks| hooks::Curve(curve, hooks)))
            }

            /// Sets a function that is notified of each failed attempt, including timeouts and the last
            /// attempt, once it is decided what follows.
            ///
            /// Examples: [`guide::reports`](crate::guide::reports).
            pub fn notify<C: FnMut(&FailureEvent<'_, M::Attempt>)>(
                self,
                notify: C,
            ) -> $type<$($parameter,)+ M, S, hooks::Notify<C, H>> {
                self.with(|parts| parts.hooks(|hooks| hooks::Notify(notify, hooks)))
            }

            /// Sets a function that is called after a success, with the number of attempts and the time since the start
            /// of the operation: for metrics.
            pub fn notify_success<C: FnMut(u64, Duration)>(
                self,
                notify: C,
            ) -> $type<$($parameter,)+ M, S, hooks::NotifySuccess<C, H>> {
                self.with(|parts| parts.hooks(|hooks| hooks::NotifySuccess(notify, hooks)))
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
            pub fn seed(self, seed: impl Into<Seed>) -> Self {
                self.with(|mut parts| {
                    parts.operation.draws = seed.into().start(0).into();
                    parts
                })
            }

            #[doc = concat!("Waits and reads the time with this [`", stringify!($sleeper),
                "`](crate::", stringify!($sleeper), ").")]
            pub fn sleeper<S2: $sleeper>(
                self,
                sleeper: S2,
            ) -> $type<$($parameter,)+ M, S2, H> {
                self.with(|parts| parts.sleeper(sleeper))
            }

            /// Switches the failure from the callback's last error to a [`RetryError`](crate::RetryError),
            /// which holds that error, the reason and a report of all attempts.
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
            /// attempt, rejects it or lets it pass, it waits for its turn in the limiter's queue, the breaker admits
            /// it. After a hold, the attempt passes the cooldown. After a failed attempt, once the wait is computed:
            /// the limiter rejects if the retry could not start in time. Without a limiter, the wait is at least as
            /// long as the cooldown holds others. Then the breaker rejects if it is open beyond its end, and the
            /// budget gives a token or rejects. So nothing waits for a rejection.
            ///
            /// A rejection after an attempt ends the operation with its own last error. A rejection before the first
            /// attempt has no error of the callback to return. Therefore the failure becomes a
            /// [`RetryError`](crate::RetryError), as with [`report`](Self::report), which can say so:
            /// [`RetryError::rejected_by`](crate::RetryError::rejected_by). To ask for an
            /// `E: From<RejectedError>` instead would exclude errors of other crates.
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
            pub fn keep_errors(self, errors: usize) -> Self {
                self.with(|mut parts| {
                    parts.operation.outcome.records.keep_errors(errors);
                    parts
                })
            }
        }
    };
}

pub(super) use setters;

//! Protection of a simulated server: the machines of `rejitter/protection`, and rules to compare them with.

use rejitter::internals::protection::{
    Admission, Breaker, BreakerOptions, BreakerSettings, Budget, BudgetOptions, Change, Phase,
    Verdict,
};
use rejitter::internals::{PartOptions, thousandths};

use super::check::Check;
use super::set::Set;

/// Parts that the clients of one process share. This bounds their retries, and stops them while most attempts fail.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoadProtection {
    /// How many retries there may be. Defaults to no limit.
    pub budget: Option<LoadBudget>,
    /// When there are no attempts at all. Defaults to never.
    pub breaker: Option<LoadBreaker>,
}

impl Set for LoadProtection {}

/// A budget for retries.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum LoadBudget {
    /// The budget of `rejitter/protection`, and two sources of tokens that it does not have.
    ///
    /// Tokens for each *request* keep coming when nothing succeeds, and so keep an overload alive. Tokens by
    /// *time* do so when they are more than the server has to spare.
    Tokens {
        /// Options of the package's budget.
        options: BudgetOptions,
        /// Tokens for each first attempt, as in Finagle and linkerd. Between 0 and 1000.
        per_request: f64,
        /// Tokens that come back each second, as in tower. Between 0 and 10^9.
        per_second: f64,
    },
    /// The rule of gRPC (proposal A6): a failed attempt takes a token, a success adds `token_ratio`, and there are
    /// retries while more than half of the tokens are left.
    Grpc {
        /// Tokens when it is full. Between 1 and 1000.
        max_tokens: f64,
        /// Above 0, at most 1000.
        token_ratio: f64,
    },
}

impl From<BudgetOptions> for LoadBudget {
    fn from(options: BudgetOptions) -> Self {
        Self::Tokens {
            options,
            per_request: 0.0,
            per_second: 0.0,
        }
    }
}

/// A breaker for all attempts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LoadBreaker {
    /// Options of the package's breaker.
    pub options: BreakerOptions,
    /// The draw that varies the length of each opening, between 0 and 1. Defaults to draws from the seed.
    pub draw: Option<f64>,
}

impl From<BreakerOptions> for LoadBreaker {
    fn from(options: BreakerOptions) -> Self {
        Self {
            options,
            draw: None,
        }
    }
}

impl LoadProtection {
    /// The draw that varies every opening, where it is fixed.
    pub(super) fn draw(&self) -> Option<f64> {
        self.breaker.as_ref()?.draw
    }

    pub(super) fn check(&self, check: &mut Check) {
        match &self.budget {
            Some(LoadBudget::Tokens {
                options,
                per_request,
                per_second,
            }) => {
                check.listed(options.check_part());
                let rule = "between 0 and 1,000 tokens";
                check.range("budget.per_request", Some(*per_request), (0.0, 1e3, rule));
                let rule = "between 0 and 10^9 tokens";
                check.range("budget.per_second", Some(*per_second), (0.0, 1e9, rule));
            }
            Some(LoadBudget::Grpc {
                max_tokens,
                token_ratio,
            }) => {
                let rule = "between 1 and 1,000 tokens";
                check.range("budget.max_tokens", Some(*max_tokens), (1.0, 1e3, rule));
                let allowed = *token_ratio > 0.0 && *token_ratio <= 1e3;
                let rule = "above 0 and at most 1,000 tokens";
                check.require("budget.token_ratio", Some(*token_ratio), rule, allowed);
            }
            None => {}
        }
        if let Some(LoadBreaker { options, draw }) = &self.breaker {
            check.listed(options.check_part());
            check.range("breaker.draw", *draw, (0.0, 1.0, "between 0 and 1"));
        }
    }
}

/// The breaker's ticket and the tokens of an attempt, from its start to its end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ticket {
    breaker: f64,
    /// Tokens that the operation's last retry took, in thousandths of a token.
    taken: f64,
}

/// Why there is no retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Breaker,
    Budget,
}

/// The state of one process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guard {
    budget: Option<Tokens>,
    breaker: Option<(BreakerSettings, Breaker)>,
}

impl Guard {
    /// At time 0.
    pub(super) fn new(protection: &LoadProtection) -> Self {
        Self {
            budget: protection.budget.map(Tokens::new),
            breaker: protection
                .breaker
                .map(|LoadBreaker { options, .. }| (options.settings(), Breaker::new(0.0))),
        }
    }

    /// Whether an attempt may start. If not, its tokens are put back.
    pub(super) fn admits(&mut self, now: f64, first: bool, ticket: &mut Ticket) -> bool {
        let Some((options, breaker)) = &mut self.breaker else {
            return true;
        };
        match breaker.admit(options, now, first) {
            Admission::Admitted { ticket: given } => {
                ticket.breaker = given;
                true
            }
            Admission::Rejected { .. } => {
                if let Some(tokens) = &mut self.budget {
                    tokens.budget.credit(ticket.taken);
                }
                false
            }
        }
    }

    /// A first attempt has started.
    pub(super) fn requested(&mut self) {
        if let Some(tokens) = &mut self.budget {
            tokens.budget.credit(tokens.per_request);
        }
    }

    pub(super) fn succeeded(&mut self, now: f64, ticket: &Ticket) -> Change {
        if let Some(tokens) = &mut self.budget {
            let refunds = tokens.refund && ticket.taken > 0.0;
            tokens.budget.credit(if refunds {
                ticket.taken
            } else {
                tokens.per_success
            });
        }
        self.hears(now, 0.0, ticket, Verdict::Success)
    }

    /// The draw is for the length of an opening.
    pub(super) fn failed(&mut self, now: f64, draw: f64, ticket: &Ticket) -> Change {
        if let Some(tokens) = &mut self.budget {
            tokens.fail();
        }
        self.hears(now, draw, ticket, Verdict::Failure)
    }

    /// After a failure: may there be a retry after this wait?
    pub(super) fn retries(
        &mut self,
        now: f64,
        wait_ms: f64,
        ticket: &mut Ticket,
    ) -> Result<(), Stop> {
        if let Some((_, breaker)) = &mut self.breaker {
            if breaker.look(now) > wait_ms {
                return Err(Stop::Breaker);
            }
        }
        if let Some(tokens) = &mut self.budget {
            if !tokens.take(now) {
                return Err(Stop::Budget);
            }
            ticket.taken = tokens.cost;
        }
        Ok(())
    }

    pub(super) fn phase(&self) -> Phase {
        let breaker = self.breaker.as_ref();
        breaker.map_or(Phase::Closed, |(_, breaker)| breaker.phase())
    }

    fn hears(&mut self, now: f64, draw: f64, ticket: &Ticket, verdict: Verdict) -> Change {
        let Some((options, breaker)) = &mut self.breaker else {
            return Change::None;
        };
        breaker.ended(options, now, draw, ticket.breaker, verdict, 0.0)
    }
}

/// A budget with its rules, in thousandths of a token.
#[derive(Debug, Clone, Copy)]
struct Tokens {
    budget: Budget,
    capacity: f64,
    cost: f64,
    per_success: f64,
    refund: bool,
    per_request: f64,
    per_ms: f64,
    /// Until when tokens by time have been added.
    since: f64,
    /// gRPC's rule.
    is_grpc: bool,
}

impl Tokens {
    fn new(rule: LoadBudget) -> Self {
        let full = |capacity, per_success| Self {
            budget: Budget::new(capacity),
            capacity,
            cost: 0.0,
            per_success,
            refund: false,
            per_request: 0.0,
            per_ms: 0.0,
            since: 0.0,
            is_grpc: true,
        };
        match rule {
            LoadBudget::Tokens {
                options,
                per_request,
                per_second,
            } => {
                let options = options.settings();
                Self {
                    cost: options.cost,
                    refund: options.refund,
                    per_request: thousandths(per_request),
                    // A token in a second is a thousandth of one in a millisecond.
                    per_ms: per_second,
                    is_grpc: false,
                    ..full(options.capacity, options.per_success)
                }
            }
            LoadBudget::Grpc {
                max_tokens,
                token_ratio,
            } => full(thousandths(max_tokens), thousandths(token_ratio)),
        }
    }

    fn fail(&mut self) {
        if self.is_grpc {
            // A budget below a token falls to 0.
            let cost = self.budget.tokens(self.capacity).min(1e3);
            let _ = self.budget.take(self.capacity, cost);
        }
    }

    fn take(&mut self, now: f64) -> bool {
        if self.is_grpc {
            return self.budget.tokens(self.capacity) > self.capacity / 2.0;
        }
        if self.per_ms > 0.0 {
            self.budget.credit((now - self.since) * self.per_ms);
            self.since = now;
        }
        self.budget.take(self.capacity, self.cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sequence of gRPC's own test (`retry_throttle_test.cc`): 4 tokens, 1.6 for a success, `s`. A failure after
    /// which there may be a retry is `F`, another is `f`.
    #[test]
    fn the_rule_of_grpc() {
        let mut guard = Guard::new(&LoadProtection {
            budget: Some(LoadBudget::Grpc {
                max_tokens: 4.0,
                token_ratio: 1.6,
            }),
            breaker: None,
        });
        for (i, event) in "FsFffffssFfsfsF".chars().enumerate() {
            let mut ticket = Ticket::default();
            if event == 's' {
                let _ = guard.succeeded(0.0, &ticket);
            } else {
                let _ = guard.failed(0.0, 0.0, &ticket);
                let retries = guard.retries(0.0, 0.0, &mut ticket).is_ok();
                assert_eq!(retries, event == 'F', "event {i}");
            }
        }
    }
}

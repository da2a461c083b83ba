//! Simulations of data: options by their names in the npm package.
//!
//! A missing option keeps its default. lab/js/simulations.js checks names and types, and takes no others.

use rejitter::data::{DataErrors, PolicyData, Value};
use rejitter::decide::OptionError;
use rejitter::internals::{camel_case, data_errors, rejection};
use rejitter::{OptionErrors, RetryPolicy, Seed};

use super::results::Study;
use crate::simulation::set::{Set, SetByName};
use crate::simulation::{
    Arrivals, BudgetOptions, Contention, ContentionOptions, HedgeDelay, HedgeRule, Hedging,
    HedgingOptions, Load, LoadBreaker, LoadBudget, LoadOptions, Outage, OutageOptions, RateHints,
    RateLimit, RateLimitOptions, RateLimiter, ServerLoad, Strategy,
};

type Made = Result<Box<dyn Study>, DataErrors>;

/// Makes the simulation with this name of options and of a policy's data, or of a line of the figure of [`Contention`].
/// Hedging takes no policy.
///
/// # Errors
/// Lists what is invalid, with the names and values as they are in the data.
pub fn simulate(name: &str, policy: &Value, seed: Seed, options: &Value) -> Made {
    let given = Given::new(options);
    if name == "hedging" {
        return hedging(given, seed);
    }
    let line = Given::new(policy);
    let (policy, data) = if line.has("figure") {
        (line.figure()?, PolicyData::default())
    } else {
        let data = PolicyData::try_from(policy)?;
        (line.finish(data.policy())?, data)
    };
    let curve = data.curve.unwrap_or_default();
    // Options that are no numbers, or have another default than that of the simulation, come first.
    macro_rules! study {
        ($model:ident $type:ident $options:ident $(, $($field:ident).+ = $value:expr)*) => {{
            let mut $options = $type { curve, ..$type::new(policy, seed) };
            $($options.$($field).+ = $value;)*
            given.numbers("", &mut |name, number| $options.set(name, number));
            given.study($model::new($options))
        }};
    }
    match name {
        "contention" => study!(Contention ContentionOptions options),
        "outage" => study!(
            Outage OutageOptions options,
            deadline_ms = data.total_timeout_ms.unwrap_or(options.deadline_ms)
        ),
        "load" => study!(
            Load LoadOptions options,
            timeout_ms = data.attempt_timeout_ms.unwrap_or(options.timeout_ms),
            arrivals = given.arrivals().unwrap_or(options.arrivals),
            protection.budget = given.has("budget").then(|| given.budget()),
            protection.breaker = given.has("breaker").then(|| given.breaker())
        ),
        _ => study!(
            RateLimit RateLimitOptions options,
            hints = given.hints(policy.max_retry_after_ms()),
            limiter = given.limiter()
        ),
    }
}

fn hedging(mut given: Given<'_>, seed: Seed) -> Made {
    let mut options = HedgingOptions::new(seed);
    given.numbers("", &mut |name, number| options.set(name, number));
    let service = &mut options.service;
    given.numbers("service.", &mut |name, number| service.set(name, number));
    if given.has("hedge") {
        options.hedge = Some(given.hedge());
    }
    if given.has("load") {
        let load = options.load.insert(ServerLoad::default());
        given.numbers("load.", &mut |name, number| load.set(name, number));
    }
    given.study(Hedging::new(options))
}

/// The options of a simulation as the caller passed them.
struct Given<'a> {
    /// By their names behind those of the objects that hold them, such as `hedge.delayMs`.
    entries: Vec<(String, &'a Value)>,
    problems: Vec<String>,
}

impl<'a> Given<'a> {
    fn new(options: &'a Value) -> Self {
        let mut given = Self {
            entries: Vec::new(),
            problems: Vec::new(),
        };
        given.add("", options);
        given
    }

    fn add(&mut self, prefix: &str, options: &'a Value) {
        let Value::Object(entries) = options else {
            return;
        };
        for (name, value) in entries {
            if name == "protection" {
                // Messages name its parts alone.
                self.add("", value);
            } else {
                let name = format!("{prefix}{name}");
                self.add(&format!("{name}."), value);
                self.entries.push((name, value));
            }
        }
    }

    #[inline(never)]
    fn value(&self, name: &str) -> Option<&'a Value> {
        let entry = self.entries.iter().find(|(entry, _)| entry == name);
        entry.map(|(_, value)| *value)
    }

    #[inline(never)]
    fn has(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name).and_then(Value::text)
    }

    #[inline(never)]
    fn number(&self, name: &str) -> Option<f64> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Passes on the numbers of a section, and switches as 1 or 0, by the names that Rust has for them.
    fn numbers(&self, section: &str, set: &mut dyn FnMut(&str, f64)) {
        for (name, value) in &self.entries {
            let number = match value {
                Value::Number(number) => *number,
                Value::Bool(is_on) => f64::from(u8::from(*is_on)),
                _ => continue,
            };
            if let Some(name) = name.strip_prefix(section) {
                set(&snake_case(name), number);
            }
        }
    }

    /// The figure's own base and cap are the defaults.
    fn figure(self) -> Result<RetryPolicy, DataErrors> {
        let strategy = match self.text("figure") {
            Some("exponential") => Strategy::Exponential,
            Some("equal") => Strategy::Equal,
            Some("full") => Strategy::Full,
            Some("decorrelated") => Strategy::Decorrelated,
            _ => Strategy::None,
        };
        let base_ms = self.number("baseMs").unwrap_or(5.0);
        let cap_ms = self.number("capMs").unwrap_or(2_000.0);
        self.finish(strategy.policy(base_ms, cap_ms))
    }

    fn arrivals(&self) -> Option<Arrivals> {
        let number = |name| self.number(name).unwrap_or(f64::NAN);
        let per_s = number("arrivals.perS");
        let mut clients = 0;
        clients.set(number("arrivals.clients"));
        let think_ms = number("arrivals.thinkMs");
        match self.text("arrivals.type")? {
            "regular" => Some(Arrivals::Regular { per_s }),
            "poisson" => Some(Arrivals::Poisson { per_s }),
            _ => Some(Arrivals::Closed { clients, think_ms }),
        }
    }

    fn budget(&self) -> LoadBudget {
        let number = |name| self.number(name);
        let grpc = (number("budget.maxTokens"), number("budget.tokenRatio"));
        if grpc != (None, None) {
            return LoadBudget::Grpc {
                max_tokens: grpc.0.unwrap_or(f64::NAN),
                token_ratio: grpc.1.unwrap_or(f64::NAN),
            };
        }
        let mut options = match self.text("budget.preset") {
            Some("awsSdk2026") => BudgetOptions::AWS_SDK_2026,
            _ => BudgetOptions::default(),
        };
        if self.has("budget.cost") {
            options.throttled_cost = None;
        }
        self.numbers("budget.", &mut |name, number| options.set(name, number));
        LoadBudget::Tokens {
            options,
            per_request: number("budget.perRequest").unwrap_or(0.0),
            per_second: number("budget.perSecond").unwrap_or(0.0),
        }
    }

    fn breaker(&self) -> LoadBreaker {
        let mut breaker = LoadBreaker {
            draw: self.number("breaker.draw"),
            ..LoadBreaker::default()
        };
        let options = &mut breaker.options;
        self.numbers("breaker.", &mut |name, number| options.set(name, number));
        breaker
    }

    fn hedge(&mut self) -> HedgeRule {
        let mut rule = HedgeRule::default();
        self.numbers("hedge.", &mut |name, number| rule.set(name, number));
        if let Some(ms) = self.number("hedge.delayMs") {
            rule.delay = HedgeDelay::Fixed(ms);
            if let Some(quantile) = self.value("hedge.quantile") {
                let because = "because delayMs takes its place";
                self.problems.push(format!(
                    "hedge.quantile must be omitted, {because}, got {quantile}"
                ));
            }
        } else if let Some(quantile) = self.number("hedge.quantile") {
            rule.delay = HedgeDelay::Learned(quantile);
        }
        rule
    }

    /// `longest_ms`: how long the policy follows a hint.
    fn hints(&self, longest_ms: f64) -> RateHints {
        if self.text("hints") == Some("ignored") {
            RateHints::Ignored
        } else if self.has("cooldown") {
            RateHints::Shared {
                max_hold_ms: self.number("cooldown.maxHoldMs").unwrap_or(longest_ms),
                probe: !matches!(self.value("cooldown.probe"), Some(Value::Bool(false))),
            }
        } else {
            RateHints::Followed
        }
    }

    fn limiter(&self) -> Option<RateLimiter> {
        let mut limiter = self.has("limiter").then(RateLimiter::default)?;
        self.numbers("limiter.", &mut |name, number| limiter.set(name, number));
        Some(limiter)
    }

    fn study(self, made: Result<impl Study + 'static, OptionErrors>) -> Made {
        Ok(Box::new(self.finish(made)?))
    }

    /// Returns `made`, or all problems, with names and values as the caller passed them.
    fn finish<T>(self, made: Result<T, OptionErrors>) -> Result<T, DataErrors> {
        let problems = self.problems(made.as_ref().err().map_or(&[], OptionErrors::problems));
        match made {
            Ok(made) if problems.is_empty() => Ok(made),
            _ => Err(data_errors(problems)),
        }
    }

    // Once, and not for each simulation.
    #[inline(never)]
    fn problems(self, found: &[OptionError]) -> Vec<String> {
        let mut problems: Vec<_> = found.iter().map(|problem| self.rejected(problem)).collect();
        problems.extend(self.problems);
        problems.truncate(10);
        problems
    }

    fn rejected(&self, problem: &OptionError) -> String {
        match self.value(&camel_case(problem.option)) {
            // With its parts, because one of them is wrong.
            Some(Value::Object(entries)) => {
                let parts = entries.iter();
                let parts: Vec<_> = parts
                    .map(|(name, value)| format!("{name}: {value}"))
                    .collect();
                rejection(problem, &format!("{{ {} }}", parts.join(", ")))
            }
            Some(value) => rejection(problem, value),
            None => rejection(problem, &Value::Number(problem.value)),
        }
    }
}

/// `baseMs` is `base_ms` in Rust.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

//! How many tests a runner says it ran.

use std::ops::AddAssign;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub passed: u32,
    pub failed: u32,
    /// Ignored, skipped or still to be done: neither passed nor failed, but not to be overlooked.
    pub skipped: u32,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Who printed the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// `cargo test` and wasm-bindgen's runner: one `test result:` line per test binary.
    Cargo,
    /// `node --test` with the spec reporter: one summary at the end.
    Node,
    /// A command that is right or wrong as a whole.
    Check,
    /// The same, of cargo; wrong, too, if it prints a warning.
    Silent,
}

impl Runner {
    /// Counts reported by a command that ended with (`true`) or without success. A failure is never lost:
    /// a runner that died before its summary counts as one failed test.
    pub fn count(self, output: &str, success: bool) -> Counts {
        let output = without_escapes(output);
        let mut counts = match self {
            Self::Cargo => cargo(&output),
            Self::Node => node(&output),
            Self::Check => Counts {
                passed: u32::from(success),
                ..Counts::default()
            },
            Self::Silent => {
                let warns = output.lines().any(|line| line.starts_with("warning"));
                Counts {
                    passed: u32::from(success && !warns),
                    failed: u32::from(warns),
                    skipped: 0,
                }
            }
        };
        counts.failed = counts.failed.max(u32::from(!success));
        counts
    }
}

fn cargo(output: &str) -> Counts {
    let mut sum = Counts::default();
    // The log has the command too.
    let lines = output.lines().filter(|line| !line.starts_with("$ "));
    // Not only at the start of a line: the runner's progress may stand before it.
    for (_, line) in lines.filter_map(|line| line.split_once("test result: ")) {
        let number_of = |what: &str| {
            let mut parts = line.split([';', '.']);
            let number = parts.find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok());
            number.unwrap_or(0)
        };
        sum += Counts {
            passed: number_of("passed"),
            failed: number_of("failed"),
            skipped: number_of("ignored"),
        };
    }
    sum
}

/// The last summary: a test that prints the output of a runner of its own comes before it.
fn node(output: &str) -> Counts {
    let number_of = |what: &str| {
        let mut lines = output.lines().rev();
        let number = lines.find_map(|line| {
            line.strip_prefix("ℹ ")?
                .strip_prefix(what)?
                .trim()
                .parse()
                .ok()
        });
        number.unwrap_or(0)
    };
    Counts {
        passed: number_of("pass "),
        failed: number_of("fail ") + number_of("cancelled "),
        skipped: number_of("skipped ") + number_of("todo "),
    }
}

/// Without the colours and cursor movements of terminals: up to the letter that ends each.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.filter_map(|part| Some(part.split_once(|c| ('@'..='~').contains(&c))?.1));
    [first].into_iter().chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn every_binary_of_cargo_test_counts() {
        let output = "\
running 3 tests
test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s
Loading…\r\u{1b}[2Ktest result: \u{1b}[31mFAILED\u{1b}[0m. 1 passed; 2 failed; 4 ignored; 0 measured
";
        assert_eq!(Runner::Cargo.count(output, false), counts(4, 2, 4));
        assert_eq!(
            Runner::Cargo.count("no tests to run!\n", true),
            counts(0, 0, 0)
        );
    }

    #[test]
    fn the_last_summary_of_node_counts() {
        let inner =
            "✔ a test\nℹ tests 5\nℹ pass 99\nℹ fail 98\nℹ cancelled 7\nℹ skipped 1\nℹ todo 1\n";
        let outer = "ℹ tests 5\nℹ suites 1\nℹ pass 2\nℹ fail 1\nℹ cancelled 1\nℹ skipped 1\nℹ todo 0\n  ℹ pass 7\n";
        assert_eq!(
            Runner::Node.count(&[inner, outer].concat(), false),
            counts(2, 2, 1)
        );
    }

    #[test]
    fn a_runner_that_died_counts_as_failed() {
        for runner in [Runner::Cargo, Runner::Node, Runner::Check, Runner::Silent] {
            assert_eq!(
                runner.count("error: it does not compile\n", false),
                counts(0, 1, 0)
            );
        }
        assert_eq!(Runner::Check.count("", true), counts(1, 0, 0));
    }

    #[test]
    fn a_warning_is_a_failure_where_none_may_be() {
        let warned = "   Packaging rejitter\n\u{1b}[33mwarning\u{1b}[0m: manifest has no license\n";
        assert_eq!(Runner::Silent.count(warned, true), counts(0, 1, 0));
        assert_eq!(
            Runner::Silent.count("   Packaging rejitter\n", true),
            counts(1, 0, 0)
        );
    }
}

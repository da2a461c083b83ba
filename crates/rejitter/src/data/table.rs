//! The options of a policy, one a line: whatever lists them is made of these lines, in both languages. Here that is the
//! reader and the writer of data; xtask (`xtask/npm/options.mjs`) makes the rules of JavaScript, and its tests the
//! values to be refused, the defaults and the documented table.

/// Passes the table to a macro. A line has the name; the rule, with the words that one of words lists, the default
/// first; the field of `PolicyData`, or nothing for what belongs to a process and is no data; the documented default;
/// and the functions of JavaScript that take the option: `policy` is a `RetryPolicy`, `retry` its shorthands.
macro_rules! with_options {
    ($each:ident) => {
        $each! {
            "baseMs" milliseconds [options.base_ms] "100" "policy retry sync fetch reconnect light";
            "capMs" longest [options.cap_ms] "10_000" "policy retry sync fetch reconnect light";
            "minMs" milliseconds [options.min_ms] "0" "policy retry sync fetch reconnect";
            "factor" factor [options.factor] "2" "policy retry sync fetch reconnect light";
            "backoff" backoff [options.backoff] "'exponential'" "policy retry sync fetch reconnect";
            "jitter" jitter [options.jitter] "'full'" "policy retry sync fetch reconnect light";
            "stepMs" milliseconds [options.step_ms] "baseMs" "policy retry sync fetch reconnect";
            "truncateAt" truncate_at [options.truncate_at] "10" "policy retry sync fetch reconnect";
            "maxRetryAfterMs" longest [options.max_retry_after_ms] "60_000" "policy retry sync fetch reconnect";
            "longRetryAfter" choice("stop" "cap") [options.cap_long_retry_after] "'stop'" "policy retry sync fetch";
            "maxAttempts" max_attempts [options.max_attempts] "6" "policy retry sync fetch reconnect light";
            "attemptTimeoutMs" limit [attempt_timeout_ms] "Infinity" "policy retry fetch light";
            "idleTimeoutMs" idle [idle_timeout_ms] "Infinity" "policy retry";
            "totalTimeoutMs" limit [total_timeout_ms] "Infinity" "policy retry sync fetch light";
            "signal" signal [] "" "policy retry sync fetch reconnect light";
            "hint" function [] "" "policy retry sync fetch";
            "retryIf" function [] "() => true" "policy retry sync reconnect light";
            "retryOnResult" function [] "() => false" "policy retry sync";
            "onAttempt" hook [] "" "policy retry sync fetch reconnect";
            "onFailure" hook [] "" "policy retry sync fetch reconnect";
            "onRetry" hook [] "" "policy retry sync fetch reconnect";
            "onSuccess" hook [] "" "policy retry sync fetch";
            "onGiveUp" hook [] "" "policy retry sync fetch reconnect";
            "beforeRetry" function [] "" "policy retry sync fetch";
            "name" text [name] "" "policy retry sync fetch reconnect";
            "random" function [] "" "policy retry sync fetch reconnect light";
            "seed" seed [seed] "" "policy retry sync fetch reconnect";
            "unref" switch [unref] "false" "policy retry fetch reconnect light";
            "finalError" choice("last" "wrap") [wrap_error] "'last'" "policy retry sync fetch";
            "finalResult" choice("resolve" "reject") [reject_result] "'resolve'" "policy retry sync";
            "protection" protect [] "false" "policy retry sync fetch reconnect";
            "weight" weight [] "1" "policy retry sync fetch reconnect";
            "metrics" switch [metrics] "false" "policy";
        }
    };
}
pub(super) use with_options;

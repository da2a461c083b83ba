// Bugs to plant: each is one change of the package's text, and a retry package has had it somewhere.
// The simulation must find every one of them; else it would not find them when they come by themselves.
//
// Each is found by the rules it breaks, numbered as the invariants of the design: a bug that another rule finds, or
// that makes the package throw, is no longer the bug that its name says.

/** @type {{ name: string, rules: number[], edits: [file: string, find: string, put: string][] }[]} */
export const MUTANTS = [];

const plant = (name, rules, ...edits) => MUTANTS.push({ name, rules: [rules].flat(), edits });

const operation = 'run/operation.js';
const loop = 'run/run.js';
const steps = 'run/steps.js';
const limits = 'run/limits.js';
const end = 'run/settle.js';
const rule = 'run/decision.js';
const time = 'run/timer.js';
const marks = 'run/directives.js';

// Signals and listeners.
plant('listeners stay after settlement', 15, [
  limits,
  'for (const signal of this.#signals) unfollow(signal, this);',
  '',
]);
plant(
  'the abort reason is replaced',
  [11, 13, 14],
  [limits, 'this.stop(reasonOf(signal), true);', "this.stop(new DOMException('Aborted', 'AbortError'), true);"],
);
plant('an abort is noticed only when the wait ends', 13, [limits, '      this.#cut = resolve;\n', '']);
plant(
  'the signal of the run is ignored',
  [11, 13, 18],
  [loop, '[settings.signal, signal].filter(', '[settings.signal].filter('],
);
plant(
  'retryIf is called after an abort in a hook',
  [13, 18],
  [steps, "if (limits.aborted) return 'aborted';\n  return directives?.rejected", 'return directives?.rejected'],
);

// Attempts and their signals.
plant('all attempts share one controller', 12, [
  'run/attempt.js',
  'return (this.#controller ??= new AbortController()).signal;',
  'return (globalThis.sharedController ??= new AbortController()).signal;',
]);
plant('the signal of a timed-out attempt is not aborted', 12, [limits, 'abortAttempt(attempt, this.#timeout);', '']);
plant('attempts are numbered from 0', 3, [steps, 'settings,\n    attempts + 1,', 'settings, attempts,']);
plant('a late rejection is unhandled', 17, [
  limits,
  '      adopt(value, resolve, reject);\n      this.#cut = reject;\n      if (this.stopped) reject(INTERRUPTED);',
  '      this.#cut = reject;\n      if (this.stopped) return reject(INTERRUPTED);\n      adopt(value, resolve, reject);',
]);

// Timeouts and deadlines.
plant(
  'the attempt timeout runs from the start of the operation',
  [10, 12],
  [limits, 'startTimer(attemptTimeoutMs,', 'startTimer(Math.max(0, attemptTimeoutMs - attempt.elapsedMs),'],
);
plant(
  'no deadline timer',
  [8, 13],
  [limits, 'this.#cancelDeadline = startTimer(', 'if (totalTimeoutMs < 0) this.#cancelDeadline = startTimer('],
);
plant('the wait timer stays', [15, 16], [limits, 'globalThis.clearTimeout(this.#timer);', '']);
plant(
  'an attempt starts after the deadline',
  [8, 13],
  [limits, '(this.deadlineAt < Infinity && this.deadlineAt <= now())', 'false'],
);
plant(
  'a poll that has a result times out',
  [13, 14, 18],
  [end, 'if (cut && (aborted || op.failed || attempts < 2)) {', 'if (cut) {'],
);
plant(
  'the wall clock measures the time',
  [9, 18],
  [time, 'return globalThis.performance.now();', 'return Date.now();'],
);

// Timers.
plant('timers get fractions', 5, [time, 'Math.min(Math.ceil(ms)', 'Math.min(ms']);
plant('long waits are not cut in pieces', 5, [time, 'Math.min(Math.ceil(ms), MAX_TIMER_MS)', 'Math.ceil(ms)']);
plant('early timers are believed', [6, 8, 13], [time, 'early <= 2 &&', 'early > 1e9 &&']);
plant('a zero wait skips the turn of the event loop', 21, [
  limits,
  'if (this.stopped) return resolve',
  'if (this.stopped || ms === 0) return resolve',
]);

// Decisions.
plant(
  'one attempt too many',
  [13, 18],
  [rule, 'if (attempt >= maxAttempts) return EXHAUSTED;', ''],
  [rule, '      maxAttempts,\n      attempt,', '      maxAttempts + 1,\n      attempt,'],
);
plant('afterMs is ignored', [5, 7], [steps, 'hintMs, demandedMs, guard?.hedges', 'hintMs, NaN, guard?.hedges']);
plant(
  'retryIf is called twice',
  [13, 17, 19],
  [steps, 'return predicate === undefined ||', 'predicate?.(outcome, attempt);\n  return predicate === undefined ||'],
);
plant(
  'operations share the previous wait',
  [4, 7],
  [operation, 'this.previous = NO_PREVIOUS;', 'this.previous = settings.last ?? NO_PREVIOUS;'],
  [rule, 'state.previous = { ms: decision, r };', 'state.previous = settings.last = { ms: decision, r };'],
);
plant('a bad random number passes', [13, 14, 18], [rule, 'draw >= 0 && draw < 1', 'draw >= 0 && draw <= 1']);

// Marks.
plant('permanent errors are retried', 14, [marks, 'directives.permanent ||= directive.permanent;', '']);
plant('the operation rejects with the wrapper of a mark', 14, [marks, 'if (outer) directives.error = error;', '']);
plant(
  'the server hint is ignored',
  [5, 7, 13, 18],
  [marks, 'if (!(known >= 0)) directives.afterMs = directive.afterMs;', ''],
);

// Callbacks other than the operation itself, and a core that fails.
plant('nothing ends beforeRetry', [8, 11, 13], [loop, 'await op.limits.race(prepare(op));', 'await prepare(op);']);
plant('the error of a predicate hides the failure', 14, [end, 'if (op.failed) blame(error, op.outcome);', '']);
plant(
  "without a core the caller's error is lost",
  [13, 14],
  [rule, '    state.fault = fault;\n    return UNAVAILABLE;', '    throw fault;'],
);
plant('each operation without a core warns', 24, [end, '  if (warned) return;\n', '']);

// Hooks, reports, metrics.
plant('events are not frozen', 20, ['run/hooks.js', 'Object.freeze(event)', 'event']);
plant('onFailure is not called', 18, [steps, "emit(op, 'onFailure', op.attempts, outcomeOf(op));", '']);
plant('records forget the first attempt', 3, [operation, 'records.splice(1, 1);', 'records.shift();']);
plant('records grow without bound', 25, [operation, 'records.length === KEPT', 'false']);
plant('failures stay in flight', 15, [
  'run/metrics.js',
  '  failed(reason) {\n    this.inFlight--;',
  '  failed(reason) {',
]);

// The core, by what its exports answer. The arguments are those of `decide` in decision.js.
const core = (name, rules, body, ...edits) =>
  plant(
    `core: ${name}`,
    rules,
    [
      'wasm/core-inline.js',
      'loaderOf(() => compile(text))',
      '(() => { const load = loaderOf(() => compile(text)); return (drop) => drop ? load(drop) : (({ decide, ' +
        `draw }) => { ${body} })(load()); })()`,
    ],
    ...edits,
  );
const decides = (name, rules, change, after = 'return answer;', ...edits) =>
  core(name, rules, `return { draw, decide(...a) { ${change}; const answer = decide(...a); ${after} } };`, ...edits);
decides('the curve is one ahead', [5, 7], 'if (a[13] < a[12]) { a[13] += 1; a[12] += 1; }');
decides('less than the server asked', [4, 5, 6, 7], '', 'return a[18] > 0 && answer > 0 ? answer * 0.9 : answer;');
core(
  'one draw for all operations',
  [4, 6, 7],
  'return { decide, draw: (high, low, operation, attempt, lane) => draw(high, low, 0, attempt, lane) };',
);

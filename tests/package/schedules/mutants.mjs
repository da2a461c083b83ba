// Bugs to plant: each is one change of the package's text, and a retry package has had it somewhere.
// The simulation must find every one of them; else it would not find them when they come by themselves.
//
// Each is found by the rules it breaks, numbered as the invariants of the design: a bug that another rule finds, or
// that makes the package throw, is no longer the bug that its name says.

/** @type {{ name: string, rules: number[], edits: [file: string, find: string, put: string][] }[]} */
export const MUTANTS = [];

const plant = (name, rules, ...edits) => MUTANTS.push({ name, rules: [rules].flat(), edits });

const op = 'run/operation.js';
const operationState = 'run/operation-state.js';
const drive = 'run/run.js';
const cut = 'run/cancellation.js';
const rule = 'run/decision.js';
const time = 'run/timer.js';

// Signals and listeners.
plant('listeners stay after settlement', 15, [cut, 'for (const signal of this.signals) unfollow(signal, this);', '']);
plant(
  'an operation that ends takes the others from their signal',
  [11, 13, 18],
  ['run/signals.js', '  if (known.followers.size > 0) return;\n', ''],
);
plant(
  'the abort reason is replaced',
  [11, 13, 14],
  [
    cut,
    'this.stop((this.reason = reasonOf(signal)));',
    "this.stop((this.reason = new DOMException('Aborted', 'AbortError')));",
  ],
);
plant('an abort is noticed only when the wait ends', 13, [cut, '      this.settleEarly = resolve;\n', '']);
plant(
  'the signal of the run is ignored',
  [11, 13, 18],
  [drive, '[settings.signal, signal].filter(', '[settings.signal].filter('],
);
plant(
  'the signal of the policy is ignored',
  [13, 18],
  [drive, '[settings.signal, signal].filter(', '[signal].filter('],
);
plant(
  'an aborted signal does not stop the first attempt',
  [13, 18],
  [op, '    if (limits.aborted) {\n      // Nothing', '    if (false) {\n      // Nothing'],
);
plant('one signal gets two listeners', 15, ['run/signals.js', 'if (known !== undefined) {', 'if (known === null) {']);
plant(
  'retryIf is called after an abort in a hook',
  [13, 18],
  [op, "if (limits.aborted) return 'aborted';\n    return directives?.rejected", 'return directives?.rejected'],
);
plant('an attempt that was aborted counts as a failure', 18, [
  op,
  "    // The attempt may have aborted, and so may a hook below.\n    if (limits.aborted) return 'aborted';\n",
  '',
]);
plant('an abort in onRetry does not stop the wait', 11, [
  cut,
  'if (this.stopped) resolve(INTERRUPTED);\n      else this.cancelWait',
  'this.cancelWait',
]);
plant(
  'finalError wraps the abort reason',
  [11, 13, 14],
  [operationState, "settings.finalError === 'wrap' && !aborted", "settings.finalError === 'wrap'"],
);
plant('the abort reason carries a report', 14, [
  operationState,
  'if (!aborted) keepReport(this.outcome, report);',
  'keepReport(this.outcome, report);',
]);

// Attempts and their signals.
plant('all attempts share one controller', 12, [
  'run/attempt.js',
  'return (this.#controller ??= new AbortController()).signal;',
  'return (globalThis.sharedController ??= new AbortController()).signal;',
]);
plant('the signal of a timed-out attempt is not aborted', 12, [
  cut,
  '      abortAttempt(attempt, this.timeout);\n',
  '',
]);
plant('attempts are numbered from 0', 3, [op, 'settings, this.attempts + 1,', 'settings, this.attempts,']);
plant('attemptsLeft counts the attempt itself', 3, [
  'run/attempt.js',
  'this.#settings.maxAttempts - this.#attempt;',
  'this.#settings.maxAttempts - this.#attempt + 1;',
]);
plant('events count the attempt among those that are left', 3, [
  operationState,
  'attemptsLeft: maxAttempts - attempt,',
  'attemptsLeft: maxAttempts - attempt + 1,',
]);
plant('events lack the name', 20, [operationState, '...(name !== undefined && { name }), ', '']);
plant('the previous error is that of the first attempt', 14, [
  op,
  'limits.deadlineAt, this.records.at(-1));',
  'limits.deadlineAt, this.records[0] && { ...this.records.at(-1), outcome: this.records[0].outcome });',
]);
plant('the previous delay is missing', 7, ['run/attempt.js', 'return this.#previous?.delayMs;', 'return undefined;']);
plant(
  'an ended attempt can still time out',
  [6, 10, 12, 13, 15, 16],
  [cut, '    this.cancelTimeout?.();\n    this.settleEarly = undefined;', '    this.settleEarly = undefined;'],
);
plant('a late rejection is unhandled', 17, [
  cut,
  '      settle(value, resolve, reject);\n      this.settleEarly = reject;\n' +
    '      if (this.stopped) reject(INTERRUPTED);',
  '      this.settleEarly = reject;\n      if (this.stopped) return reject(INTERRUPTED);\n' +
    '      settle(value, resolve, reject);',
]);
plant(
  'a synchronous throw escapes',
  [13, 14],
  [drive, '  } catch (error) {\n    return goOn(error);', '  } catch (error) {\n    throw error;'],
);

// Timeouts and deadlines.
plant(
  'the attempt timeout runs from the start of the operation',
  [10, 12],
  [
    cut,
    'this.cancelTimeout = startTimer(attemptTimeoutMs,',
    'this.cancelTimeout = startTimer(Math.max(0, attemptTimeoutMs - attempt.elapsedMs),',
  ],
);
plant(
  'the attempt timeout outlives the deadline',
  [8, 10, 13],
  [cut, 'if (attemptTimeoutMs >= this.deadlineAt - from) return;', ''],
  [
    cut,
    'if (!this.stopped) this.stop((this.expired',
    'if (!this.stopped && !this.cancelTimeout) this.stop((this.expired',
  ],
);
plant(
  'no deadline timer',
  [8, 13],
  [cut, 'this.cancelDeadline = startTimer(', 'if (totalTimeoutMs < 0) this.cancelDeadline = startTimer('],
);
plant('the deadline timer stays', [15, 16], [cut, 'this.cancelDeadline?.();', '']);
plant('the wait timer stays', [15, 16], [cut, 'this.cancelWait?.();', '']);
plant(
  'the deadline is counted from each attempt',
  [8, 13, 18],
  [
    op,
    '    limits.begin(attempt);\n',
    '    limits.begin(attempt);\n' +
      '    if (limits.deadlineAt < Infinity) limits.deadlineAt = now() + settings.totalTimeoutMs;\n',
  ],
);
plant(
  'an attempt starts after the deadline',
  [8, 13],
  [
    cut,
    "this.expired !== undefined || (this.deadlineAt < Infinity && this.deadlineAt <= now()) ? 'deadline'",
    "this.expired !== undefined ? 'deadline'",
  ],
);
plant(
  'a blocking hook takes an attempt past the deadline',
  [13, 18],
  [op, 'if (this.attemptAt >= limits.deadlineAt) return', 'if (false) return'],
);
plant("the deadline's error has no cause", 14, [operationState, 'this.failed ? { cause: this.outcome }', 'false ? {}']);
plant("an attempt's timeout has a cause", 14, [
  cut,
  '${attemptTimeoutMs} ms (attemptTimeoutMs)`,',
  '${attemptTimeoutMs} ms (attemptTimeoutMs)`,\n          operation.failed ? { cause: operation.outcome } : undefined,',
]);
plant('the deadline has one error for the attempt and another for the caller', 12, [
  operationState,
  'limits.expired ?? this.timedOut()',
  'this.timedOut()',
]);
plant('the package does not say who speaks', 14, [
  operationState,
  '`rejitter: the operation timed out',
  '`the operation timed out',
]);
plant(
  'a poll that has a result times out',
  [13, 14, 18],
  [operationState, 'if (cut && (aborted || this.failed || attempts < 2)) {', 'if (cut) {'],
);
plant(
  'a first attempt that reaches the deadline is a result',
  [10, 13, 18],
  [operationState, 'if (cut && (aborted || this.failed || attempts < 2)) {', 'if (cut && (aborted || this.failed)) {'],
);
plant(
  'the wall clock measures the time',
  [9, 18],
  [time, 'return globalThis.performance.now();', 'return Date.now();'],
);
plant('the time of the first attempt is not counted', 9, [
  drive,
  '  operation.attempts = 1;\n',
  '  operation.startedAt = operation.attemptAt = now();\n  operation.attempts = 1;\n',
]);

// Timers.
plant('timers get fractions', 5, [time, 'Math.min(Math.ceil(ms)', 'Math.min(ms']);
plant('waits are rounded down', 5, [time, 'Math.min(Math.ceil(ms)', 'Math.min(Math.floor(ms)']);
plant('long waits are not cut in pieces', 5, [time, 'Math.min(Math.ceil(ms), MAX_TIMER_MS)', 'Math.ceil(ms)']);
plant('early timers are believed', [6, 8, 13], [time, 'early <= 2 &&', 'early > 1e9 &&']);
plant('the rest of a wait that nothing can end early is forgotten', 6, [
  op,
  'if (restMs > 0) {',
  'if (restMs > 1e12) {',
]);
plant(
  'a zero wait skips the turn of the event loop',
  21,
  [
    cut,
    '      this.settleEarly = resolve;\n',
    '      if (ms === 0) return resolve(undefined);\n      this.settleEarly = resolve;\n',
  ],
  [
    cut,
    'return new Promise((resolve) => {\n      startTimer(',
    'if (ms === 0) return Promise.resolve(from);\n    return new Promise((resolve) => {\n      startTimer(',
  ],
  [
    drive,
    'if (operation.bare) return',
    'if (operation.bare && delayMs === 0) return 0;\n      if (operation.bare) return',
  ],
);
plant('unref is forgotten', 15, [time, 'if (unref) id?.unref?.();', '']);
plant(
  'a wait is compared with the time left before it is rounded up',
  [13, 18],
  [rule, 'if (Math.ceil(decision) + 1 > remainingMs) return DEADLINE;', ''],
);

// Decisions.
plant(
  'one attempt too many',
  [13, 18],
  [rule, 'if (attempt >= maxAttempts) return EXHAUSTED;', ''],
  [rule, '      maxAttempts,\n      attempt,', '      maxAttempts + 1,\n      attempt,'],
);
plant(
  'afterMs is ignored',
  [5, 7],
  [
    op,
    'limits.deadlineAt, this.hintMs, exactlyMs, this.hedges);',
    'limits.deadlineAt, this.hintMs, NaN, this.hedges);',
  ],
);
plant(
  'retryIf is called twice',
  [13, 17, 19],
  [
    op,
    'return predicate === undefined ||',
    'predicate?.(this.outcome, this.attempt);\n    return predicate === undefined ||',
  ],
);
plant(
  'an invalid verdict passes',
  [13, 14, 18],
  [
    op,
    '  throw failure(\n    typeof afterMs',
    '  if (verdict !== null) return NaN;\n  throw failure(\n    typeof afterMs',
  ],
);
plant('spent results reject', 13, [operationState, 'this.failed = failed || wrap;', 'this.failed = true;']);
plant('finalResult is ignored', 13, [operationState, "settings.finalResult === 'reject';", 'false;']);
plant('the RetryError of a result has no result', 14, [
  'run/report.js',
  "if (!failed) hide(this, 'result', outcome);",
  '',
]);
plant('loggers print the report', 14, ['run/report.js', "hide(this, 'report', report);", 'this.report = report;']);
plant(
  'hints feed the decorrelated jitter',
  [5, 7],
  [rule, 'if (!exact && !hinted && hasOwnCurve', 'if (!exact && hasOwnCurve'],
);
plant('bounded decorrelated jitter forgets', [4, 5, 6, 7], [rule, 'hasOwnCurve(jitter)', 'jitter === 3']);
plant(
  'operations share the previous wait',
  [4, 7],
  [operationState, 'this.previous = NO_PREVIOUS;', 'this.previous = settings.last ?? NO_PREVIOUS;'],
  [rule, 'state.previous = { ms: decision, r };', 'state.previous = settings.last = { ms: decision, r };'],
);
plant(
  'operations of a policy share their draws',
  [4, 6, 7],
  [operationState, 'this.index = index;', 'this.index = 0;'],
);
plant('a bad random number passes', [13, 14, 18], [rule, 'draw >= 0 && draw < 1', 'draw >= 0 && draw <= 1']);
plant('a draw for a wait that needs none', 7, [rule, '!exact && (hinted || jitter !== NONE)', '!exact']);
plant('two draws for one wait', 7, [rule, 'r2 = (r * 2 ** 26) % 1;', 'r2 = jitter === POLLY_V2 ? drawOf(random) : 0;']);
plant('randomness of the host in addition to that of the caller', 7, [
  rule,
  '  const exact = exactlyMs >= 0;\n',
  '  if (settings.seed === undefined) freshSeed();\n  const exact = exactlyMs >= 0;\n',
]);

// Marks.
plant('permanent errors are retried', 14, ['run/directives.js', 'directives.permanent ||= directive.permanent;', '']);
plant('a permanent error inside another mark is retried', 14, [
  'run/directives.js',
  'permanent: permanent || inner.permanent',
  'permanent',
]);
plant(
  'marks below the surface are not found',
  [13, 14, 18],
  ['run/directives.js', 'const DEEPEST = 10;', 'const DEEPEST = 0;'],
);
plant(
  'marks are looked for one too deep',
  [7, 13, 14, 18],
  ['run/directives.js', 'const DEEPEST = 10;', 'const DEEPEST = 11;'],
);
plant('the operation rejects with the wrapper of a mark', 14, [
  'run/directives.js',
  'if (outer) directives.error = error;',
  '',
]);
plant('the operation rejects with the innermost of many marks', 14, [
  'run/directives.js',
  '{ cause: inner.error }',
  '{ cause: errors[0] }',
]);
plant(
  'the server hint is ignored',
  [5, 7, 13, 18],
  ['run/directives.js', 'if (!(known >= 0)) directives.afterMs = directive.afterMs;', ''],
);
plant(
  'a mark that is returned is a result',
  [13, 18],
  [op, 'if (mistake !== undefined) throw mistake;', ''],
  [drive, '(mistakeIn(value) === undefined ? value : goOn(value, false))', 'value'],
);

// Callbacks other than the operation itself.
plant(
  'beforeRetry is not awaited',
  [13, 17],
  [drive, '    default:\n', '    case PREPARE:\n      limits.race(operation.pending);\n      return;\n    default:\n'],
  [drive, 'import { CALL,', 'import { PREPARE, CALL,'],
);
plant(
  'beforeRetry comes before the wait',
  [18, 21],
  [
    op,
    '    this.attempt = this.pending = undefined;\n',
    '    this.attempt = this.pending = undefined;\n' +
      '    this.settings.beforeRetry?.(Object.freeze(this.event(this.attempts, { ...this.outcomeFields(), delayMs ' +
      '})));\n',
  ],
  [op, 'const { beforeRetry } = this.settings;', 'const beforeRetry = undefined;'],
);
plant(
  'nothing ends beforeRetry',
  [8, 11, 13],
  [drive, '    default:\n', '    case PREPARE:\n      return operation.pending;\n    default:\n'],
  [drive, 'import { CALL,', 'import { PREPARE, CALL,'],
);
plant(
  'what beforeRetry throws is ignored',
  [13, 18],
  [op, 'else if (threw) throw answer;', 'else if (threw && (step === ASK || answer === INTERRUPTED)) throw answer;'],
);
plant(
  'an attempt follows a beforeRetry that took what time was left',
  [13, 18],
  [
    op,
    'if (ended !== undefined) return ended;',
    "if (ended === 'aborted' || (ended !== undefined && this.step === WAIT)) return ended;",
  ],
);
plant("the time of beforeRetry counts as the attempt's", 9, [
  op,
  'if (this.step === PREPARE) {\n      time = now();\n',
  'if (this.step === PREPARE) {\n      time = this.endedAt + this.records.at(-1).delayMs;\n',
]);
plant('the error of a predicate hides the failure', 14, [op, 'if (this.failed) blame(error, this.outcome);', '']);
plant("the cause of a predicate's error is replaced", 14, [op, "Object.hasOwn(error, 'cause') || ", '']);
plant('an error becomes its own cause', 14, [op, 'if (each === error) return;', '']);

// No core.
plant(
  "without a core the caller's error is lost",
  [13, 14],
  [op, 'if (thrown !== undefined && thrown === this.fault) {', 'if (false) {'],
);
plant('each operation without a core warns', 24, [op, '  if (warned) return;\n', '']);
plant('a missing core causes no warning', 24, [op, '      warn(thrown);\n', '']);
plant('the report does not say why there is no core', 24, [
  operationState,
  "      ...(reason === 'unavailable' && { cause: this.fault }),\n",
  '',
]);
plant('an instance that trapped is used again', 24, [rule, 'settings.load(true);', '']);
plant(
  'a host that rejected the core once is never tried again',
  [13, 18],
  [
    'loader.js',
    '(instance ??= instantiate(compile))',
    '(instance === null ? refused() : (instance ??= ((instance = null), instantiate(compile))))',
  ],
  ['loader.js', '(instance = undefined)', '(instance &&= undefined)'],
);

// Hooks, reports, metrics.
plant(
  'a hook that throws ends the operation',
  [7, 13, 14, 18],
  ['run/hooks.js', '  } catch (error) {\n    reportFailure(error);', '  } catch (error) {\n    throw error;'],
);
plant('a hook that rejects is unhandled', 17, ['run/hooks.js', 'settle(result, undefined, reportFailure);', ';']);
plant('events are not frozen', 20, ['run/hooks.js', 'Object.freeze(event)', 'event']);
plant(
  'onRetry comes after the wait',
  [5, 6, 13, 18, 21],
  [
    op,
    "    if (this.settings.hooks) this.emit('onRetry', this.attempts, { ...this.outcomeFields(), " + 'delayMs });\n',
    '',
  ],
  [
    op,
    '    const { ended } = this.limits;\n',
    "    if (this.step === WAIT) this.emit('onRetry', this.attempts, { ...this.outcomeFields(), delayMs });\n" +
      '    const { ended } = this.limits;\n',
  ],
);
plant('onFailure is not called', 18, [op, "this.emit('onFailure', this.attempts, this.outcomeFields());", '']);
plant('onSuccess has no result', 18, [
  operationState,
  '(this.attempt).attempt, this.outcomeFields());',
  '(this.attempt).attempt);',
]);
plant('records forget the first attempt', 3, [operationState, 'records.splice(1, 1);', 'records.shift();']);
plant('records grow without bound', 25, [operationState, 'records.length === KEPT', 'false']);
plant('records lack the delay', 7, [
  operationState,
  'durationMs, this.delayMs, this.gate?.held);',
  'durationMs, undefined, this.gate?.held);',
]);
plant("a record has the error that took its outcome's place", 14, [
  op,
  '    this.record();\n    if (this.failed) blame',
  '    if (this.failed) blame',
]);
plant(
  'a record has the reason of the abort that ended its wait',
  [14],
  [operationState, '    this.record();\n    const cut', '    const cut'],
  [
    operationState,
    '      this.note();\n      this.record(true, error);\n    }\n',
    '      this.note();\n    }\n    this.record(true, error);\n',
  ],
);
plant(
  'no report of the error',
  [10, 14],
  [
    operationState,
    'if (!aborted) keepReport(this.outcome, report);',
    'if (!aborted && !failed) keepReport(this.outcome, report);',
  ],
);
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
      'core-inline.js',
      'loaderOf(() => compile(text))',
      '(() => { const load = loaderOf(() => compile(text)); return (drop) => drop ? load(drop) : (({ decide, ' +
        `draw }) => { ${body} })(load()); })()`,
    ],
    ...edits,
  );
const decides = (name, rules, change, after = 'return answer;', ...edits) =>
  core(name, rules, `return { draw, decide(...a) { ${change}; const answer = decide(...a); ${after} } };`, ...edits);
decides('the cap bounds the draw and not the ceiling', [4, 5, 7], 'a[2] = 2');
decides('the curve is one ahead', [5, 7], 'if (a[13] < a[12]) { a[13] += 1; a[12] += 1; }');
decides('no jitter where full was asked for', [4, 5, 7], 'if (a[1] === 1) a[1] = 0');
decides(
  'a wait that ends at the deadline is started',
  [13, 18],
  'if (a[16] < Infinity) a[16] = a[16] * (1 + 1e-12) + 1e-9',
  'return answer;',
  [rule, 'Math.ceil(decision) + 1 > remainingMs', 'Math.ceil(decision) > remainingMs'],
);
decides('the floor is ignored', [5, 6, 7], 'a[5] = NaN');
decides('decorrelated jitter forgets', [4, 5, 6, 7], 'a[14] = NaN');
decides('less than the server asked', [4, 5, 6, 7], '', 'return a[18] > 0 && answer > 0 ? answer * 0.9 : answer;');
decides(
  'a hint shortens the wait',
  [4, 5, 6, 7],
  '',
  'const h = Math.min(a[18], a[10] >= 0 ? a[10] : 60_000); return h > 0 && answer > 0 ? Math.min(answer, h + ' +
    'a[20] * Math.max(a[3] >= 0 ? a[3] : 100, h / 2)) : answer;',
);
decides('the limit of attempts is ignored', [13, 18], 'a[12] = Infinity', 'return answer;', [
  rule,
  'if (attempt >= maxAttempts) return EXHAUSTED;',
  '',
]);
decides('the factor is ignored', [5, 7], 'a[6] = NaN');
decides('no spread over a hint', [5, 6, 7], 'if (a[18] > 0) a[20] = 0');
core(
  'one draw for all attempts',
  [5, 7],
  'return { decide, draw: (high, low, operation, attempt, lane) => draw(high, low, operation, 1, lane) };',
);
core(
  'one draw for all operations',
  [4, 6, 7],
  'return { decide, draw: (high, low, operation, attempt, lane) => draw(high, low, 0, attempt, lane) };',
);
core(
  'both lanes draw alike',
  [4, 5, 7],
  'return { decide, draw: (high, low, operation, attempt) => draw(high, low, operation, attempt, 0) };',
);

// Bugs to plant: each is one change of the package's text, and a retry package, a breaker, a budget or a cooldown has
// had it somewhere. The simulation must find every one of them; else it would not find them when they come by
// themselves.
//
// Each is found by an invariant that it breaks, named as in tests/README.md: a bug that another one finds, or that makes
// the package throw, is no longer the bug that its name says.

const operation = 'run/operation.js';
const loop = 'run/run.js';
const steps = 'run/steps.js';
const limits = 'run/limits.js';
const end = 'run/settle.js';
const rule = 'run/decision.js';
const time = 'run/timer.js';
const marks = 'marks.js';

// The core, by what its exports answer. The arguments are those of `decide` in decision.js.
function core(name, rules, body, ...edits) {
  const answers = `made ??= (({ decide, draw }) => { ${body} })(compiled()))`;
  return { [name]: [rules, ['wasm/core-inline.js', 'made ??= compiled() ?? translated())', answers], ...edits] };
}
const decides = (name, rules, change, after = 'return answer;', ...edits) =>
  core(name, rules, `return { draw, decide(...a) { ${change}; const answer = decide(...a); ${after} } };`, ...edits);

/** Bugs by name: the rules that find each, and its edits. */
const PLAIN = {
  // Signals and listeners.
  'listeners stay after settlement': [
    'leftovers',
    [limits, 'for (const signal of this.#signals) unfollow(signal, this);', ''],
  ],
  'the abort reason is replaced': [
    'abort settlement identity',
    [limits, 'this.stop(reasonOf(signal), true);', "this.stop(new DOMException('Aborted', 'AbortError'), true);"],
  ],
  'an abort is noticed only when the wait ends': ['abort settlement', [limits, '      this.#cut = resolve;\n', '']],
  'the signal of the run is ignored': ['abort settlement hooks', [limits, '[own, signal].filter(', '[own].filter(']],
  'retryIf is called after an abort in a hook': [
    'abort settlement hooks',
    [steps, "if (limits.aborted) return 'aborted';\n  if (marks?.rejected", 'if (marks?.rejected'],
  ],

  // Attempts and their signals.
  'all attempts share one controller': [
    'abort signals',
    [
      'run/attempt.js',
      'return (this.#controller ??= new AbortController()).signal;',
      'return (globalThis.sharedController ??= new AbortController()).signal;',
    ],
  ],
  'the signal of a timed-out attempt is not aborted': [
    'signals',
    [limits, 'abortAttempt(attempt, this.#timeout);', ''],
  ],
  'attempts are numbered from 0': [
    'numbers',
    [steps, 'new Attempt(settings, number,', 'new Attempt(settings, op.attempts,'],
  ],
  'a late rejection is unhandled': [
    'unhandled',
    [
      limits,
      '      adopt(value, resolve, reject);\n      this.#cut = reject;\n      if (this.stopped) reject(INTERRUPTED);',
      '      this.#cut = reject;\n      if (this.stopped) return reject(INTERRUPTED);\n      adopt(value, resolve, reject);',
    ],
  ],

  // Timeouts and deadlines.
  'the attempt timeout runs from the start of the operation': [
    'timeout signals',
    [limits, 'startTimer(attemptTimeoutMs,', 'startTimer(Math.max(0, attemptTimeoutMs - attempt.elapsedMs),'],
  ],
  'no deadline timer': [
    'deadline settlement',
    [limits, 'this.#cancelDeadline = startTimer(', 'if (totalTimeoutMs < 0) this.#cancelDeadline = startTimer('],
  ],
  'the wait timer stays': ['leftovers footprint', [limits, 'globalThis.clearTimeout(this.#timer);', '']],
  'an attempt starts after the deadline': [
    'deadline settlement',
    [limits, '(this.deadlineAt < Infinity && this.deadlineAt <= now())', 'false'],
  ],
  'a poll that has a result times out': [
    'settlement identity hooks',
    [end, 'if (cut && (aborted || run.failed !== false)) {', 'if (cut) {'],
  ],
  'the wall clock measures the time': [
    'clock hooks',
    [time, 'return globalThis.performance.now();', 'return Date.now();'],
  ],

  // Timers.
  'timers get fractions': ['timers', [time, 'Math.min(Math.ceil(ms)', 'Math.min(ms']],
  'long waits are not cut in pieces': ['timers', [time, 'Math.min(Math.ceil(ms), MAX_TIMER_MS)', 'Math.ceil(ms)']],
  'early timers are believed': ['hints deadline settlement', [time, 'early <= 2 &&', 'early > 1e9 &&']],
  'a zero wait skips the turn of the event loop': [
    'timers turns',
    [limits, 'if (this.stopped) return resolve', 'if (this.stopped || ms === 0) return resolve'],
  ],

  // Decisions.
  'one attempt too many': [
    'attempts settlement hooks',
    [rule, 'attempt >= settings.maxAttempts', 'attempt > settings.maxAttempts'],
  ],
  'afterMs is ignored': ['timers draws deadline', [steps, 'run.demandedMs, guard?.rounds', 'undefined, guard?.rounds']],
  'retryIf is called twice': [
    'settlement unhandled callbacks turns',
    [steps, 'return predicate === undefined ||', 'predicate?.(outcome, attempt);\n  return predicate === undefined ||'],
  ],
  'operations share the previous wait': [
    'waits timers draws',
    [operation, 'this.settings = settings;', 'this.settings = settings;\n    this.previous = settings.last ?? -1;'],
    [rule, 'state.previous = jitter', 'state.previous = settings.last = jitter'],
  ],
  'a bad random number passes': [
    'settlement identity hooks',
    [rule, 'draw >= 0 && draw < 1', 'draw >= 0 && draw <= 1'],
  ],

  // Marks.
  'permanent errors are retried': ['settlement identity', [marks, 'found.permanent ||= permanent;', '']],
  'the operation rejects with the wrapper of a mark': [
    'identity',
    [marks, "if (wraps && error === found.error && Object.hasOwn(error, 'cause')) found.error = error.cause;", ''],
  ],
  'the server hint is ignored': [
    'timers draws settlement hooks',
    [marks, 'if (!(found.afterMs >= 0)) found.afterMs = afterMs;', ''],
  ],

  // Callbacks other than the operation itself.
  'nothing ends beforeRetry': [
    'deadline abort settlement',
    [loop, 'await op.limits.race(prepare(op));', 'await prepare(op);'],
  ],
  'the error of a predicate hides the failure': ['identity', [end, 'if (run.failed) blame(error, run.outcome);', '']],

  // Hooks, reports, metrics.
  'events are not frozen': ['isolation', ['run/hooks.js', 'Object.freeze(event)', 'event']],
  'onFailure is not called': ['hooks', [steps, "emit(run, 'onFailure', run.number);", '']],
  'records forget the first attempt': ['numbers', [operation, 'op.records.splice(1, 1);', 'op.records.shift();']],
  'records grow without bound': ['memory', [operation, 'op.records.length === KEPT', 'false']],
  'failures stay in flight': [
    'leftovers',
    ['policy/metrics.js', '  failed(reason) {\n    this.inFlight--;', '  failed(reason) {'],
  ],

  // The core.
  ...decides('core: the curve is one ahead', 'timers draws', 'a[0] += 1'),
  ...decides(
    'core: less than the server asked',
    'waits timers hints draws',
    '',
    'return a[14] > 0 && answer > 0 ? answer * 0.9 : answer;',
  ),
  ...core(
    'core: one draw for all operations',
    'waits hints draws',
    'return { decide, draw: (high, low, operation, attempt, lane) => draw(high, low, 0, attempt, lane) };',
  ),
};

// Protection. The machines themselves are Rust: their bugs are planted where JavaScript enters them, in machines.js.
const machines = 'protection/machines.js';
const guard = 'protection/guard.js';
const admission = 'protection/admission.js';
const breaker = 'protection/breaker.js';
const cooldown = 'protection/cooldown.js';
const state = 'protection/state.js';
const hedge = 'protection/hedge.js';
const rounds = 'protection/rounds.js';
const latency = 'protection/latency.js';

/** Another function by which a machine is entered. */
const entering = (name, made) => [
  machines,
  "export * from './generated.js';",
  `export * from './generated.js';\nexport const ${name} = ${made};`,
];
// Bodies for those of the breaker, and places in its state that have no names there.
const admitting = (body) =>
  entering(
    'admit',
    `(state, options, now, first) => {
    const admits = () => core.admit(state, options, now, first);
    ${body}
  }`,
  );
const ending = (body) =>
  entering(
    'ended',
    `(state, options, now, draw, ticket, verdict, hintMs) => {
    const { NOTHING, SUCCESS, FAILURE } = core;
    const ends = () => core.ended(state, options, now, draw, ticket, verdict, hintMs);
    ${body}
  }`,
  );
const looking = (made) => entering('look', made);
/** Another number for one of the breaker's options. */
const instead = (place, number) => [breaker, 'new Breaker(numbers,', `new Breaker(numbers.with(${place}, ${number}),`];
/** Phases, and results of the end of an attempt. */
const [CLOSED, OPEN, HALF_OPEN] = [0, 1, 2];
const [SAME, HAS_CLOSED] = [0, 2];
const [TICKETS, SINCE, ROW_BEGUN, IN_ROW, ROW_AT, PROBE, OPENS, UNTIL, LONGEST, LEASE] = [
  10, 11, 13, 14, 15, 16, 18, 20, 21, 22,
];

const PROTECTED = {
  // Breakers.
  'half-open admits all': [
    'probes breaker',
    admitting(`return state[PHASE] === ${HALF_OPEN} ? ++state[${TICKETS}] : admits();`),
  ],
  'a probe is not freed on abort': [
    'recovery breaker',
    [admission, 'if (this.#told) return undefined;', "if (this.#told || reason === 'aborted') return undefined;"],
  ],
  'a lost probe blocks for ever': [
    'recovery breaker',
    admitting(
      `const lost = state[PHASE] === ${HALF_OPEN} && state[${PROBE}] > 0;
    return lost ? 0 : admits();`,
    ),
  ],
  'a late success closes': [
    'generations open',
    ending(`
    if (ticket >= state[${SINCE}] || verdict !== SUCCESS || state[PHASE] !== ${OPEN}) return ends();
    core.close(state, now);
    return ${HAS_CLOSED};`),
  ],
  'minimumCalls is ignored': ['breaker', instead(1, 1)],
  'a success does not end a row of failures': [
    'breaker',
    ending(`
    const row = state.slice(12, 15);
    const change = ends();
    if (verdict === SUCCESS && change === ${SAME}) row.forEach((number, i) => { state[12 + i] = number; });
    return change;`),
  ],
  'all openings are equally long': ['breaker', [breaker, 'draw = drawFor(run.op, run.number);', 'draw = 0.5;']],
  'retries that fail count while it is closed': ['breaker', admitting('return core.admit(state, options, now, true);')],
  'a retry that succeeds does not count': [
    'breaker',
    ending(`return verdict === SUCCESS && ticket % 1 && state[PHASE] === ${CLOSED} ? ${SAME} : ends();`),
  ],
  'what says nothing stays admitted': [
    'breaker',
    ending(`return verdict === NOTHING && state[PHASE] === ${CLOSED} ? ${SAME} : ends();`),
  ],
  'a row counts the failures of those admitted before it': [
    'breaker',
    ending(`
    const older = ticket >= state[${SINCE}] && ticket < state[12];
    if (verdict === FAILURE && state[PHASE] === ${CLOSED} && older) state[${IN_ROW}] += 1;
    return ends();`),
  ],
  'a row of failures is no share of those admitted': [
    'breaker open',
    ending(`
    const begun = state[${ROW_BEGUN}];
    if (verdict === FAILURE) state[${ROW_BEGUN}] = 0;
    const change = ends();
    if (verdict === FAILURE && change === ${SAME}) state[${ROW_BEGUN}] = begun;
    return change;`),
  ],
  'an opening that nobody asked about is not over': [
    'breaker recovery probes',
    admitting(`
    if (state[PHASE] === ${OPEN} && now > state[${UNTIL}]) state[${UNTIL}] = now;
    return admits();`),
  ],
  'openings have no longest': ['breaker', instead(5, 'Infinity')],
  'closing by hand keeps the openings': [
    'breaker generations',
    entering(
      'close',
      `(state, now) => {
    const opens = state[${OPENS}];
    core.close(state, now);
    state[${OPENS}] = opens;
  }`,
    ),
  ],
  'isolation ends with the longest opening': [
    'breaker open',
    entering(
      'open',
      `(state, options, now, ms) => {
    core.open(state, options, now, ms);
    state[${LONGEST}] = state[${LEASE}];
  }`,
    ),
  ],
  'an open circuit admits': [
    'open breaker',
    looking('() => 0'),
    admitting(`return state[PHASE] === ${OPEN} ? ++state[${TICKETS}] : admits();`),
  ],
  'a failure counts only if it is retried': [
    'breaker',
    [admission, '(again && !task?.preparing)', '(again && run.number < run.op.settings.maxAttempts)'],
  ],
  'isFailure is not called for successes': [
    'isFailure breaker',
    [admission, 'this.#state.classify(run, status)', 'run.failed ? this.#state.classify(run, status) : undefined'],
  ],

  'a row is the share that the window needs': [
    'breaker',
    ending(`
    const few = state[${IN_ROW}] + 1 < options[0] * state[${ROW_BEGUN}];
    return core.ended(state, few ? options.with(3, Infinity).with(7, Infinity) : options, now, draw, ticket, verdict, hintMs);`),
  ],
  'ten failures that last are enough beside a number': [
    'breaker open',
    [breaker, 'given.consecutiveFailures === undefined ? LASTING : Infinity', 'LASTING'],
  ],
  'a row lasts from its first failure on': [
    'breaker',
    ending(`
    if (verdict === FAILURE && state[${IN_ROW}] === 0) state[${ROW_AT}] = now;
    return ends();`),
  ],
  'a row has lasted since the row before': [
    'breaker open',
    admitting(`
    const at = state[${ROW_AT}];
    const answer = admits();
    if (at > 0) state[${ROW_AT}] = at;
    return answer;`),
  ],

  // Answers.
  'a result that is sent round counts as a failure': [
    'breaker spending',
    [admission, 'const silent = !failed ?', 'const silent = !failed && !again ?'],
  ],
  'a result with the status 503 is an answer': [
    'tokens spending settlement identity breaker outcome',
    [admission, 'works && (task', '(works || !failed) && (task'],
  ],
  'the status of an accepted result is read': [
    'breaker isFailure',
    [admission, 'failed || again ? statusOf', 'run ? statusOf'],
  ],
  'a text is a status': [
    'breaker spending isFailure',
    ['failures/status.js', '!Number.isInteger(status) || status < 100', 'status === undefined || status < 100'],
  ],
  'a mark counts less than the status of its error': [
    'breaker open spending',
    [
      admission,
      'this.throttled ? NOTHING : status === undefined',
      'this.throttled && !(status < 429) ? NOTHING : status === undefined',
    ],
  ],
  'what says nothing by isFailure is no answer': [
    'spending settlement breaker',
    [admission, 'said !== FAILURE', 'said === SUCCESS'],
  ],
  'isFailure changes nothing but the verdict of the breaker': [
    'spending settlement breaker',
    [admission, 'said === undefined ? answered : said !== FAILURE', 'answered'],
  ],
  'a success that isFailure calls a failure gives tokens back': [
    'tokens',
    [guard, "reason === 'success' && run.admission?.verdict === SUCCESS", "reason === 'success'"],
  ],
  'a retry without a token forgets what the last one took': [
    'spending',
    [
      guard,
      'if (budget !== undefined && admission?.pays) {',
      'this.#taken = 0;\n    if (budget !== undefined && admission?.pays) {',
    ],
  ],
  'first attempts are those of operations': [
    'breaker',
    [guard, 'const first = op.run.admission?.pays !== true;', 'const first = op.attempts === 0;'],
  ],
  'a rejection after an answer resolves with that': [
    'settlement identity hooks open generations breaker cooldown longHold holds',
    [guard, '(run.admission?.answered && !run.failed && run.task === undefined)', 'false'],
  ],
  'the last result is lost when protection rejects': [
    'identity records',
    [steps, 'record(run);\n    run.failed = true;', 'run.failed = true;'],
  ],
  'a predicate that throws hides the end': [
    'breaker isFailure',
    [end, 'if (run.endedAt !== undefined) run.admission?.classified(run, false);', ''],
  ],

  // Budgets, rejections and keys.
  'a token is lost on abort in the wait': [
    'spending',
    [
      guard,
      'if (this.#takenFor > op.attempts) budget',
      "if (this.#takenFor > op.attempts && reason !== 'aborted') budget",
    ],
  ],
  'a token is put back twice': [
    'tokens',
    [guard, 'budget?.putBack(this.#taken);', 'budget?.putBack(2 * this.#taken);'],
  ],
  'the budget rejects first attempts': [
    'firstAttempt',
    [
      guard,
      'const first = op.run.admission?.pays !== true;',
      `const first = op.run.admission?.pays !== true;
    if (op.attempts === 0 && state.budget !== undefined && state.budget.status().tokens < 1)
      return { do: 'stop', reason: 'budget', error: new Error('budget') };`,
    ],
  ],
  'a rejection has no cause': ['outcome', [guard, 'part.cause, state.key)', 'undefined, state.key)']],
  'an abort in onEvent does not stop the attempt': [
    'abort hedge',
    [steps, "return op.limits.aborted ? 'aborted' : undefined;", 'return undefined;'],
  ],
  'one key uses the state of another': [
    'tokens spending breaker',
    [state, "if (typeof key !== 'string')", "if (key === 'b') key = 'a';\n    if (typeof key !== 'string')"],
  ],

  // Cooldowns.
  'all who are held are released together': ['holds', [cooldown, 'baseOf(op), drawFor(op));', 'baseOf(op), 0);']],
  'holds have no limit': [
    'longHold',
    [cooldown, 'ms <= (this.#maxHoldMs ?? atMost(settings, Infinity))', 'ms <= Infinity'],
  ],
  'a hint above the longest is followed': [
    'cooldown holds',
    [admission, 'return Math.min(hintMs, maxRetryAfterMs', 'return Math.max(hintMs, maxRetryAfterMs'],
  ],
  'the operation that was asked to wait is held, too': [
    'timers spending longHold cooldown',
    [guard, ' && cooldown.until !== admission?.ownUntil) {', ') {'],
  ],
  'each hint has a probe': [
    'holds longHold cooldown',
    [
      cooldown,
      'this.cause = failed ? outcome : undefined;',
      'this.#state[machine.PROBED] = 0;\n    this.cause = failed ? outcome : undefined;',
    ],
  ],
  'an attempt is held twice': [
    'settlement recovery holds longHold cooldown hedge',
    [guard, 'leftMs > 0 && heldAt === undefined && !(first', 'leftMs > 0 && !(first'],
  ],
  'a retry is a probe': ['holds longHold cooldown', [guard, '!(first && !cooldown.probed)', 'cooldown.probed']],
  'an attempt that was held is a probe': [
    'timeout settlement holds longHold cooldown',
    [guard, 'if (leftMs > 0 && heldAt === undefined) cooldown', 'if (leftMs > 0) cooldown'],
  ],
  'any success ends a hold': ['holds longHold cooldown', [cooldown, 'if (this.until === until) this', 'this']],
  'a success ends a hold that another hint has made longer': [
    'holds longHold cooldown',
    [
      cooldown,
      'this.cause = failed ? outcome : undefined;',
      'this.cause = failed ? outcome : undefined;\n    (this.moved ??= new Set()).add(endedAt < this.was ? this.was : NaN);\n    this.was = this.until;',
    ],
    [cooldown, 'if (this.until === until) this', 'if (this.until === until || this.moved?.has(until)) this'],
  ],
  'the end of a hold wakes those who wait': [
    'holds leftovers',
    [
      guard,
      'cooldown.held.set(this, time);',
      'cooldown.held.set(this, time);\n      this.woken = new Promise((done) => void (this.wake = done));',
    ],
    [
      cooldown,
      'this.#state[machine.UNTIL] = -Infinity;',
      '{ this.#state[machine.UNTIL] = -Infinity; for (const each of this.held.keys()) each.wake?.(); }',
    ],
    [
      loop,
      'await op.limits.sleep(restMs, op.settings.unref);\n        restMs = restOf(restMs, time, (time = now()));',
      'await Promise.race([op.limits.sleep(restMs, op.settings.unref), op.guard?.woken ?? new Promise(() => {})]);\n        restMs = op.guard?.woken ? 0 : restOf(restMs, time, (time = now()));\n        time = now();',
    ],
  ],
  'a hold ends before isFailure has its say': [
    'draws holds longHold cooldown',
    [admission, 'if (verdict === SUCCESS && !this.throttled && !(hintMs > 0))', 'if (recorded)'],
  ],
  'a place among those held is not left on abort': [
    'status',
    [guard, 'cooldown?.held.delete(this) &&', 'cooldown?.held.has(this) &&'],
  ],
};

const HEDGED = {
  'hedges have no budget of their own': ['hedges', [hedge, 'isCalm ? this.budget.take()', 'isCalm ? 1000']],
  'waits are numbered by attempts and not by rounds': [
    'timers draws holds',
    ['run/decision.js', 'attempt - hedges,', 'attempt,'],
  ],
  'timeouts are not learned from': [
    'latency hedge',
    [hedge, 'isSample || ms >= op.settings.attemptTimeoutMs', 'isSample'],
  ],
  'fewer samples are enough': ['latency hedge', [latency, 'const ENOUGH = 20;', 'const ENOUGH = 10;']],
  'a hedge starts after the deadline': [
    'hedge',
    [rounds, 'if (delayMs !== undefined && from + delayMs < limits.deadlineAt)', 'if (delayMs !== undefined)'],
  ],
  "the loser's signal is not aborted": [
    'signals leftovers',
    [rounds, 'of this.#undecided) limits', 'of stopped ? this.#undecided : []) limits'],
  ],
  'the outcome of a round is its first failure': [
    'waits identity turns records',
    [rounds, 'this.#last = run;', 'this.#last ??= run;'],
  ],
  'the timer of a hedge is left when the operation ends': [
    'leftovers',
    [rounds, 'this.#cancel?.();\n    const superseded', 'const superseded'],
  ],
  'records are in the order of the ends': [
    'numbers identity records',
    [rounds, '.sort((a, b) => a.number - b.number)', ''],
  ],
  'a round is an answer if one end is': [
    'tokens spending breaker',
    [rounds, 'common.pays ||= pays;', 'common.pays &&= pays;'],
  ],
  'an attempt that lost counts as a failure': [
    'breaker open hedge',
    [rounds, 'admission.close(other, reason);', "admission.close(other, 'timeout');"],
  ],
};

/** @type {import('./planting.mjs').Mutant[]} */
export const MUTANTS = Object.entries({ plain: PLAIN, protected: PROTECTED, hedged: HEDGED }).flatMap(([among, bugs]) =>
  Object.entries(bugs).map(([name, [rules, ...edits]]) => ({ name, rules: rules.split(' '), edits, among })),
);

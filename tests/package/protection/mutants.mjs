// Bugs to plant in protection: each is one change of the package's text, and a breaker, a budget or a cooldown has had
// it somewhere. The machines themselves are Rust: their bugs are planted where JavaScript enters them, in machines.js.
//
// Each is found by the rules that it breaks: P1 to P16 of the design, or by name where a number or a decision differs.

/** @type {import('../schedules/planting.mjs').Mutant[]} */
export const MUTANTS = [];

const plant = (name, rules, ...edits) => MUTANTS.push({ name, rules: [rules].flat(), edits });

const machines = 'protection/machines.js';
const gate = 'protection/gate.js';
const admission = 'protection/admission.js';
const breaker = 'protection/breaker.js';
const budget = 'protection/budget.js';
const cooldown = 'protection/cooldown.js';
const state = 'protection/state.js';

/** Another function by which a machine is entered. */
const entering = (exported, made) => [
  machines,
  `export { ${exported} } from './generated.js';`,
  `export const ${exported.split(' ').at(-1)} = ${made};`,
];
// Bodies for those of the breaker, and places in its state that have no names there.
const admitting = (body) =>
  entering(
    'admit',
    `(state, options, now) => {
    const admits = () => core.admit(state, options, now);
    ${body}
  }`,
  );
const ending = (body) =>
  entering(
    'ended as endedIn',
    `(state, options, now, draw, generation, lease, verdict, hintMs) => {
    const ends = () => core.ended(state, options, now, draw, generation, lease, verdict, hintMs);
    ${body}
  }`,
  );
const looking = (made) => entering('look as lookAtBreaker', made);
/** Another number for one of the breaker's options. */
const instead = (place, number) => [
  breaker,
  'new Breaker(numbers, all.isFailure',
  `new Breaker(numbers.with(${place}, ${number}), all.isFailure`,
];
const [BEGUN, EARLIER_BEGUN, IN_ROW, UNTIL, LAST_OPEN, OPENS, RUNNING] = [2, 5, 8, 10, 11, 12, 16];

// Half-open.
plant('half-open admits all', ['P5', 'breaker'], admitting('return state[PHASE] === HALF_OPEN ? 0 : admits();'));
plant(
  'a probe is not freed on abort',
  ['P6', 'breaker'],
  [admission, 'if (!this.pending) return;', "if (!this.pending || reason === 'aborted') return;"],
);
plant(
  'a probe is not freed by an end that is ignored',
  ['P6', 'breaker'],
  ending('return verdict === NOTHING ? SAME : ends();'),
);
plant(
  'a probe is not freed by a failure that the caller stops',
  ['P6', 'breaker'],
  [
    admission,
    'this.#tell(operation, operation.failed ? NOTHING : SUCCESS);',
    `if (operation.failed && this.#state.breaker?.isFailure === undefined) this.pending = false;
      else this.#tell(operation, operation.failed ? NOTHING : SUCCESS);`,
  ],
);
plant(
  'a probe is not freed by a synchronous throw',
  ['P4', 'P6', 'breaker', 'isFailure'],
  [
    'run/run.js',
    'answer = thrown;\n        threw = true;',
    'if (operation.settings.protection?.status().breaker?.state === "half-open") operation.gate = undefined;\n        answer = thrown;\n        threw = true;',
  ],
);
plant(
  'a lost probe blocks for ever',
  ['P6', 'breaker'],
  admitting(
    `const lost = state[PHASE] === HALF_OPEN && state[${RUNNING}] === 1;
    return lost ? Math.max(1, state[${UNTIL}] - now) : admits();`,
  ),
);
plant(
  'a late success closes',
  'P7',
  ending(`
    if (generation === state[GENERATION] || verdict !== SUCCESS || state[PHASE] !== OPEN) return ends();
    core.close(state, now);
    return HAS_CLOSED;`),
);
plant(
  'a late failure opens again and doubles',
  'P7',
  ending(`
    if (verdict === FAILURE && state[PHASE] === OPEN) generation = state[GENERATION];
    return ends();`),
);
plant(
  'a late outcome of a closed circuit counts in the next one',
  'P7',
  ending(`
    if (state[PHASE] === CLOSED) generation = state[GENERATION];
    return ends();`),
);
plant(
  'a lease changes the generation',
  ['P4', 'P6', 'breaker'],
  admitting(`
    const [was, before] = [state[PHASE], state[LEASE]];
    const answer = admits();
    if (was === HALF_OPEN && state[LEASE] !== before) state[GENERATION]++;
    return answer;`),
);
plant(
  'the lease is not renewed with each probe',
  ['P5', 'breaker'],
  admitting(`
    const [was, until] = [state[PHASE], state[${UNTIL}]];
    const answer = admits();
    if (was === HALF_OPEN && answer === 0) state[${UNTIL}] = until;
    return answer;`),
);
plant(
  'an outcome frees the place of another lease',
  ['P5', 'breaker'],
  ending('lease = state[LEASE];\n    return ends();'),
);
plant('one success closes whatever closeAfter says', 'breaker', instead(5, 1));

// The window and the ratio.
plant(
  'the window is not emptied on closing',
  'breaker',
  ending(`
    const before = state.slice(0, 7);
    const change = ends();
    if (change === HAS_CLOSED) before.forEach((each, i) => (state[i] = each));
    return change;`),
);
plant(
  'the ratio must be passed and not reached',
  ['P4', 'breaker'],
  ending('options = options.with(0, options[0] * (1 + 1e-9));\n    return ends();'),
);
plant('minimumCalls is ignored', 'breaker', instead(1, 1));
plant('consecutiveFailures is ignored', 'breaker', instead(3, Infinity));
plant(
  'a success does not end a row of failures',
  'breaker',
  ending(`
    const inRow = state[${IN_ROW}];
    const change = ends();
    if (verdict === SUCCESS && change === SAME) state[${IN_ROW}] = inRow;
    return change;`),
);
plant(
  'a young window compares with the calls that ended',
  'breaker',
  ending(`
    if (verdict === FAILURE) state[${BEGUN}] = state[${EARLIER_BEGUN}] = 0;
    return ends();`),
);
plant(
  'calls that start are not counted',
  'breaker',
  admitting(`
    const answer = admits();
    if (state[PHASE] === CLOSED) state[${BEGUN}]--;
    return answer;`),
);
plant(
  'an old window counts in full',
  'breaker',
  admitting('state[STARTED_AT] = now;\n    return admits();'),
  ending('state[STARTED_AT] = now;\n    return ends();'),
);

// Openings.
plant(
  'the time of an opening is not capped',
  'breaker',
  ending(`
    const change = ends();
    if (change === HAS_OPENED && state[${OPENS}] > 4) {
      const most = options[4] * 2 ** (state[${OPENS}] - 1);
      state[${UNTIL}] = now + (state[${LAST_OPEN}] = most / 2 + (draw * most) / 2);
    }
    return change;`),
);
plant(
  'openings are never forgotten',
  'breaker',
  ending(`
    const opens = state[${OPENS}];
    const change = ends();
    if (change === HAS_OPENED) state[${OPENS}] = opens + 1;
    return change;`),
);
plant(
  'openings are forgotten on closing',
  'breaker',
  ending(`
    const change = ends();
    if (change === HAS_CLOSED) state[${OPENS}] = 0;
    return change;`),
);
plant('all openings are equally long', 'breaker', [breaker, 'opens ? draw() : 0', 'opens ? 0.5 : 0']);
plant(
  'a clock that was set back keeps the circuit open',
  ['breaker', 'P6'],
  looking(`(state, now) => (state[PHASE] === OPEN ? Math.max(0, state[${UNTIL}] - now) : 0)`),
);
plant(
  'an open circuit admits',
  ['P4', 'breaker'],
  looking('() => 0'),
  admitting('return state[PHASE] === OPEN ? 0 : admits();'),
);
plant(
  'a rejection does not say when to ask again',
  ['breaker', 'cooldown'],
  [gate, 'rejectedBy(by, retryAfterMs, part.cause, this.#state)', 'rejectedBy(by, 0, part.cause, this.#state)'],
);
plant('a rejection has no cause', 'P12', [gate, 'part.cause, this.#state)', 'undefined, this.#state)']);

// Verdicts.
plant('a failure counts only if it is retried', 'breaker', [
  admission,
  '} else if (again && !facts?.preparing) {',
  '} else if (again && operation.attempts < operation.settings.maxAttempts) {',
]);
plant('a request to come later counts as a failure', 'breaker', [
  admission,
  'this.throttled ? NOTHING : FAILURE',
  'FAILURE',
]);
plant('a failure that the caller stops counts', 'breaker', [
  admission,
  'operation.failed ? NOTHING : SUCCESS);\n    }',
  'operation.failed ? FAILURE : SUCCESS);\n    }',
]);
plant('an abort counts as a failure', 'breaker', [
  admission,
  'late ? FAILURE : NOTHING',
  "late || reason === 'aborted' ? FAILURE : NOTHING",
]);
plant(
  'a layer within that was rejected counts as a failure',
  ['breaker', 'P6'],
  [admission, 'late ? FAILURE : NOTHING', "late || reason === 'notRetryable' ? FAILURE : NOTHING"],
);
plant('any deadline counts as a failure', 'breaker', [
  admission,
  "reason === 'timeout' && operation.attempts === 1 && this.held === undefined",
  "reason === 'timeout'",
]);
plant(
  'isFailure is not called for successes',
  ['isFailure', 'breaker'],
  [admission, 'const judged = done ||', 'const judged ='],
);
plant('isFailure that throws counts as a failure', 'breaker', [
  breaker,
  'reportFailure(error);\n      return verdict;',
  'reportFailure(error);\n      return FAILURE;',
]);

// Budget.
plant('a token is lost on abort in the wait', 'P2', [
  gate,
  '} else if (this.#taken > 0 && !used) {',
  "} else if (this.#taken > 0 && !used && reason !== 'aborted') {",
]);
plant('a token is lost when beforeRetry throws', 'P2', [
  gate,
  '} else if (this.#taken > 0 && !used) {',
  "} else if (this.#taken > 0 && !used && reason !== 'callback') {",
]);
plant('a token is lost on a rejection after the wait', 'P2', [
  gate,
  '} else if (this.#taken > 0 && !used) {',
  "} else if (this.#taken > 0 && !used && reason !== 'breaker') {",
]);
plant('a token is put back twice', 'P1', [
  gate,
  'budget.putBack(this.#taken, this.#state);',
  'budget.putBack(2 * this.#taken, this.#state);',
]);
plant('a success returns the tokens of all retries', 'P1', [
  gate,
  'this.#taken = taken;',
  'this.#taken = taken + this.#taken;',
]);
plant('a failure gives tokens back', 'P1', [
  gate,
  '} else if (this.#taken > 0 && !used) {',
  '} else if (this.#taken > 0) {',
]);
plant('each request brings a credit', 'P1', [
  gate,
  "if (reason === 'success') {\n      if (this.verdict",
  "if (reason !== 'success' && operation.attempts === 1) budget?.succeeded(0, this.#state);\n    if (reason === 'success') {\n      if (this.verdict",
]);
plant(
  'tokens rise above the capacity',
  'P1',
  entering('take as takeTokens', '(state, _, cost) => core.take(state, Infinity, cost)'),
  entering('tokens as tokensOf', '(state) => core.tokens(state, Infinity)'),
);
plant(
  'tokens are floating-point numbers',
  ['P1', 'P2', 'status', 'hedge'],
  [budget, 'return Math.round(tokens * 1000);', 'return tokens;'],
  [
    budget,
    '{ tokens: tokensOf(this.#state, capacity) / 1000, capacity: capacity / 1000 }',
    '{ tokens: tokensOf(this.#state, capacity), capacity }',
  ],
);
plant(
  'reading the tokens counts credits twice',
  ['P1', 'P16'],
  entering('tokens as tokensOf', '(state, capacity) => (state[0] = core.tokens(state, capacity))'),
);
plant('the refund is always on', 'P1', [budget, 'refund && taken > 0', 'taken > 0']);
plant('the refund is never made', ['P1', 'P2'], [budget, 'refund && taken > 0 ? taken : perSuccess', 'perSuccess']);
plant('a success after a retry brings both', 'P1', [
  budget,
  'refund && taken > 0 ? taken :',
  'refund && taken > 0 ? taken + perSuccess :',
]);
plant(
  'the budget decides after the wait',
  ['P1', 'P2'],
  [gate, 'if (budget !== undefined) {\n      const taken', 'if (budget === null) {\n      const taken'],
  [
    gate,
    'const openMs = breaker?.look(time) ?? 0;\n    if (openMs > 0) return',
    `if (operation.attempts > 0 && this.#state.budget !== undefined) {
      this.#taken = this.#state.budget.take(this.throttled, this.#state);
      if (this.#taken < 0) return (this.#taken = 0), 'budget';
      this.#takenFor = operation.attempts + 1;
    }
    const openMs = breaker?.look(time) ?? 0;\n    if (openMs > 0) return`,
  ],
);
plant('the budget rejects first attempts', 'P3', [
  gate,
  'const openMs = breaker?.look(time) ?? 0;\n    if (openMs > 0) return',
  `if (operation.attempts === 0 && this.#state.budget !== undefined && this.#state.budget.status().tokens < 1)
      return this.#refuse(operation, 'budget', 0);
    const openMs = breaker?.look(time) ?? 0;\n    if (openMs > 0) return`,
]);

// Rejections.
plant('a rejection replaces the error', 'P12', [
  gate,
  'if (operation.attempts === 0) {\n      operation.failed',
  'if (by) {\n      operation.failed',
]);
plant(
  'a circuit that is open beyond the wait does not stop the retry',
  ['P4', 'P2', 'breaker'],
  [gate, "if (openMs > waitMs) return this.#refuse(operation, 'breaker', openMs);", ''],
);
plant(
  'a report does not say when to ask again',
  ['breaker', 'cooldown'],
  [gate, 'this.refusal = { retryAfterMs };', ''],
);

// Cooldown.
plant('all who are held are released together', 'P11', [
  cooldown,
  'baseOf(operation.settings), drawFor(operation));',
  'baseOf(operation.settings), 0);',
]);
plant(
  'a shorter hint shortens the hold',
  ['cooldown', 'P8', 'P11'],
  [cooldown, 'const isSet = ', 'this.#state[UNTIL] = 0;\n    const isSet = '],
);
plant(
  'a success ends the hold',
  ['cooldown', 'P11'],
  [
    gate,
    "if (reason === 'notRetryable') warnOfLayers",
    "if (reason === 'success') this.#state.cooldown?.reset();\n    if (reason === 'notRetryable') warnOfLayers",
  ],
  [
    cooldown,
    '/** The time until which it holds. */',
    '/** Forgets it. */\n  reset() {\n    this.#state.fill(0);\n  }\n\n  /** The time until which it holds. */',
  ],
);
plant('holds have no limit', 'P8', [cooldown, 'ms <= this.#maxHoldMs', 'ms <= Infinity']);
plant('the holds of one attempt do not add up', 'P8', [gate, 'this.#planned += leftMs;', 'this.#planned = leftMs;']);
plant('the deadline does not bound a hold', 'P8', [
  gate,
  "if (misses(operation, ms, time)) return this.#refuse(operation, 'cooldown', leftMs);",
  '',
]);
plant(
  'a hint above the longest is followed',
  ['cooldown', 'P11'],
  [admission, 'return Math.min(hintMs, maxRetryAfterMs', 'return Math.max(hintMs, maxRetryAfterMs'],
);
plant(
  'retries are not held',
  ['P11', 'P2', 'order'],
  [gate, 'if (leftMs > 0 && cooldown.until !== this.ownUntil) {', 'if (leftMs < 0) {'],
);
plant(
  'the operation that was asked to wait is held, too',
  ['order', 'P2'],
  [gate, 'if (leftMs > 0 && cooldown.until !== this.ownUntil) {', 'if (leftMs > 0) {'],
);
plant(
  'a hint counts only if the failure is retried',
  ['cooldown', 'P8', 'P11', 'isFailure'],
  [
    admission,
    'if (cooldown === undefined || !(hintMs > 0)) return;',
    'if (cooldown === undefined || !(hintMs > 0) || operation.attempts >= settings.maxAttempts) return;',
  ],
);
plant('a place among those held is not left on abort', 'status', [gate, 'this.#release(this.#heldAt);', '']);
plant(
  'held attempts start without another check',
  ['P4', 'P5', 'P11', 'breaker'],
  [
    gate,
    'this.#release(time);\n    } else {',
    'this.#release(time);\n      this.pending = true;\n      return undefined;\n    } else {',
  ],
);

plant('an abort in onEvent does not stop the attempt', 'P10', [
  gate,
  "return operation.limits.aborted ? 'aborted' : this.race?.begin(operation, round);",
  'return this.race?.begin(operation, round);',
]);

plant(
  'a clock that was set back holds for longer',
  ['cooldown', 'P8'],
  entering('left as cooldownLeft', '(state, now) => Math.max(0, state[UNTIL] - now)'),
);

// Keys.
plant(
  'one key uses the state of another',
  ['P16', 'breaker'],
  [state, 'return this.#states.get(key);', "return this.#states.get(key === 'b' ? 'a' : key);"],
);
plant(
  'all keys use one state',
  ['P16', 'P1', 'P2'],
  [state, 'this.budget = makers.budget?.(time);', 'this.budget = (makers.only ??= makers.budget?.(time));'],
);

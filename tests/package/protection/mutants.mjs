// Bugs to plant in protection: each is one change of the package's text, and a breaker, a budget or a cooldown has had
// it somewhere. The machines themselves are Rust: their bugs are planted where JavaScript enters them, in machines.js.
//
// Each is found by the rules that it breaks: P1 to P16 of the design, or by name where a number or a decision differs.

/** @type {import('../schedules/planting.mjs').Mutant[]} */
export const MUTANTS = [];

const plant = (name, rules, ...edits) => MUTANTS.push({ name, rules: [rules].flat(), edits });
/** Bugs of hedging: the schedules that look for them have more hedges. */
const plantHedge = (name, rules, ...edits) => MUTANTS.push({ name, rules: [rules].flat(), edits, closely: 'hedges' });

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
const entering = (exported, made) => [
  machines,
  `export { ${exported} } from './generated.js';`,
  `export const ${exported.split(' ').at(-1)} = ${made};`,
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
    'ended as endedIn',
    `(state, options, now, draw, ticket, verdict, hintMs) => {
    const ends = () => core.ended(state, options, now, draw, ticket, verdict, hintMs);
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
const [TICKETS, SINCE, ROW_BEGUN, IN_ROW, PROBE, OPENS, UNTIL, LONGEST] = [10, 11, 13, 14, 15, 17, 19, 20];

// Breakers.
plant(
  'half-open admits all',
  ['P5', 'breaker'],
  admitting(`return state[PHASE] === HALF_OPEN ? -++state[${TICKETS}] : admits();`),
);
plant(
  'a probe is not freed on abort',
  ['P6', 'breaker'],
  [admission, 'if (!this.pending) return;', "if (!this.pending || reason === 'aborted') return;"],
);
plant(
  'a lost probe blocks for ever',
  ['P6', 'breaker'],
  admitting(
    `const lost = state[PHASE] === HALF_OPEN && state[${PROBE}] > 0;
    return lost ? Math.max(1, state[${UNTIL}] - now) : admits();`,
  ),
);
plant(
  'a late success closes',
  'P7',
  ending(`
    if (ticket >= state[${SINCE}] || verdict !== SUCCESS || state[PHASE] !== OPEN) return ends();
    core.close(state, now);
    return HAS_CLOSED;`),
);
plant('minimumCalls is ignored', 'breaker', instead(1, 1));
plant(
  'a success does not end a row of failures',
  'breaker',
  ending(`
    const row = state.slice(12, 15);
    const change = ends();
    if (verdict === SUCCESS && change === SAME) row.forEach((number, i) => { state[12 + i] = number; });
    return change;`),
);
plant('all openings are equally long', 'breaker', [breaker, 'opens ? draw() : 0', 'opens ? 0.5 : 0']);
plant(
  'retries that fail count while it is closed',
  'breaker',
  admitting('return core.admit(state, options, now, true);'),
);
plant(
  'a retry that succeeds does not count',
  'breaker',
  ending('return verdict === SUCCESS && ticket % 1 && state[PHASE] === CLOSED ? SAME : ends();'),
);
plant(
  'what says nothing stays admitted',
  'breaker',
  ending('return verdict === NOTHING && state[PHASE] === CLOSED ? SAME : ends();'),
);
plant(
  'a row counts the failures of those admitted before it',
  'breaker',
  ending(`
    const older = ticket >= state[${SINCE}] && ticket < state[12];
    if (verdict === FAILURE && state[PHASE] === CLOSED && older) state[${IN_ROW}] += 1;
    return ends();`),
);
plant(
  'a row of failures is no share of those admitted',
  ['breaker', 'P4'],
  ending(`
    const begun = state[${ROW_BEGUN}];
    if (verdict === FAILURE) state[${ROW_BEGUN}] = 0;
    const change = ends();
    if (verdict === FAILURE && change === SAME) state[${ROW_BEGUN}] = begun;
    return change;`),
);
plant(
  'an opening that nobody asked about is not over',
  ['breaker', 'P6', 'P5'],
  admitting(`
    if (state[PHASE] === OPEN && now > state[${UNTIL}]) state[${UNTIL}] = now;
    return admits();`),
);
plant('openings have no longest', 'breaker', instead(5, 'Infinity'));
plant(
  'closing by hand keeps the openings',
  'breaker',
  entering(
    'close as closeByHand',
    `(state, now) => {
    const opens = state[${OPENS}];
    core.close(state, now);
    state[${OPENS}] = opens;
  }`,
  ),
);
plant(
  'isolation ends with the longest opening',
  ['breaker', 'P4'],
  entering(
    'open as openByHand',
    `(state, options, now, ms) => {
    core.open(state, options, now, ms);
    state[${LONGEST}] = state[21];
  }`,
  ),
);
plant(
  'an open circuit admits',
  ['P4', 'breaker'],
  looking('() => 0'),
  admitting(`return state[PHASE] === OPEN ? -++state[${TICKETS}] : admits();`),
);
plant('a failure counts only if it is retried', 'breaker', [
  admission,
  '} else if (again && !facts?.preparing) {',
  '} else if (again && operation.attempts < operation.settings.maxAttempts) {',
]);
plant(
  'isFailure is not called for successes',
  ['isFailure', 'breaker'],
  [admission, 'const judged = done ||', 'const judged ='],
);

// Budgets, rejections and keys.
plant('a token is lost on abort in the wait', 'P2', [
  guard,
  '} else if (this.#taken > 0 && !used) {',
  "} else if (this.#taken > 0 && !used && reason !== 'aborted') {",
]);
plant('a token is put back twice', 'P1', [
  guard,
  'budget?.putBack(this.#taken, this.#state);',
  'budget?.putBack(2 * this.#taken, this.#state);',
]);
plant('the budget rejects first attempts', 'P3', [
  guard,
  "    const openMs = breaker?.look(time) ?? 0;\n    if (openMs > 0) return this.#reject(operation, 'breaker', openMs);\n\n    const leftMs",
  `    if (operation.attempts === 0 && state.budget !== undefined && state.budget.status().tokens < 1)
      return { stop: 'budget', error: new Error('budget') };
    const openMs = breaker?.look(time) ?? 0;
    if (openMs > 0) return this.#reject(operation, 'breaker', openMs);
    const leftMs`,
]);
plant('a rejection has no cause', 'P12', [guard, 'part.cause, this.#state)', 'undefined, this.#state)']);
plant('an abort in onEvent does not stop the attempt', 'P10', [
  guard,
  'return operation.limits.aborted ? ABORTED : undefined;',
  'return undefined;',
]);
plant(
  'one key uses the state of another',
  ['P16', 'breaker'],
  [state, 'return this.#states.get(key);', "return this.#states.get(key === 'b' ? 'a' : key);"],
);

// Cooldowns.
plant('all who are held are released together', 'P11', [
  cooldown,
  'baseOf(operation.settings), drawFor(operation));',
  'baseOf(operation.settings), 0);',
]);
plant('holds have no limit', 'P8', [
  cooldown,
  'ms <= (this.#maxHoldMs ?? atMost(settings, Infinity))',
  'ms <= Infinity',
]);
plant(
  'a hint above the longest is followed',
  ['cooldown', 'P11'],
  [admission, 'return Math.min(hintMs, maxRetryAfterMs', 'return Math.max(hintMs, maxRetryAfterMs'],
);
plant(
  'the operation that was asked to wait is held, too',
  ['order', 'P2'],
  [guard, ' && cooldown.until !== this.admission.ownUntil) {', ') {'],
);
plant('a place among those held is not left on abort', 'status', [guard, 'this.#release(this.#heldAt);', '']);

// Hedges.
plantHedge('hedges have no budget of their own', 'P9', [
  hedge,
  'return this.#budget.take(false, quiet) >= 0;',
  'return true;',
]);
plantHedge(
  'waits are numbered by attempts and not by rounds',
  ['order', 'P11'],
  ['run/decision.js', 'attempt -= hedges;', ''],
);
plantHedge(
  'timeouts are not learned from',
  ['latency', 'hedge'],
  [hedge, 'isSample || ms >= settings.attemptTimeoutMs', 'isSample'],
);
plantHedge('fewer samples are enough', ['latency', 'hedge'], [latency, 'const ENOUGH = 20;', 'const ENOUGH = 10;']);
plantHedge('a hedge starts after the deadline', 'hedge', [
  rounds,
  'if (delayMs !== undefined && from + delayMs < limits.deadlineAt)',
  'if (delayMs !== undefined)',
]);
plantHedge(
  "the loser's signal is not aborted",
  ['P10', 'P13'],
  [rounds, 'if (!over) own.limits.stop(', 'if (!over && stopped) own.limits.stop('],
);
plantHedge(
  'the outcome of a round is its first failure',
  ['P12', 'order', 'records', 'P10'],
  [rounds, 'this.#last = contender;', 'this.#last ??= contender;'],
);
plantHedge('the timer of a hedge is left when the operation ends', 'P13', [
  rounds,
  'this.#cancel?.();\n    for (const { own, over }',
  'for (const { own, over }',
]);
plantHedge('records are in the order of the ends', 'records', [
  rounds,
  'const byNumber = (a, b) => a.number - b.number;',
  'const byNumber = () => 0;',
]);
plantHedge(
  'an attempt that lost counts as a failure',
  ['breaker', 'P4', 'hedge'],
  [rounds, 'admission.close(own, reason);\n      own.endedAt', "admission.close(own, 'timeout');\n      own.endedAt"],
);

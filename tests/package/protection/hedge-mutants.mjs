// Bugs to plant in hedging, as those of mutants.mjs: each is one change of the package's text, and the rules that it
// breaks. 'hedge' is what the design says of when a hedge starts and when it must not.

/** @type {import('../schedules/planting.mjs').Mutant[]} */
export const HEDGE_MUTANTS = [];

const plant = (name, rules, ...edits) => HEDGE_MUTANTS.push({ name, rules: [rules].flat(), edits, closely: 'hedges' });

const round = 'protection/round.js';
const hedge = 'protection/hedge.js';
const latency = 'protection/latency.js';
const gate = 'protection/gate.js';
const admission = 'protection/admission.js';

const TIMER = 'if (lane.attempts < settings.maxAttempts && operation.mayHedge !== false) {';
const NOTED = 'this.#cancel?.();\n    this.#last = lane;';

// When a hedge starts.
plant(
  'a hedge starts after a hint',
  ['hedge', 'P13'],
  [round, NOTED, `if (!(lane.hintMs > 0)) this.#cancel?.();\n    this.#last = lane;`],
  [round, 'this.#lanes[0].attempt.signal', 'this.#lanes[0]?.attempt.signal'],
);
plant('a hedge starts past maxAttempts', 'hedge', [round, TIMER, 'if (operation.mayHedge !== false) {']);
plant('a hedge starts while the circuit is half-open', 'hedge', [
  round,
  'const closed = breaker === undefined || breaker.isClosed;',
  'const closed = breaker === undefined || !breaker.isOpen;',
]);
plant('a hedge starts while a cooldown holds', 'hedge', [round, 'cooldown?.left(time) > 0 ||', '']);
plant('a hedge starts after the deadline', 'hedge', [
  round,
  'if (time + delayMs < limits.deadlineAt)',
  'if (delayMs >= 0)',
]);
plant(
  'a failure starts the hedge',
  ['hedge', 'status'],
  [
    round,
    NOTED,
    `${NOTED}
    if (this.#lanes.length === 1 && lane.attempts < operation.settings.maxAttempts)
      this.#hedge(operation);`,
  ],
);
plant('hedges have no budget of their own', 'P9', [
  hedge,
  'return this.#budget.take(false, quiet) >= 0;',
  'return true;',
]);
plant(
  'the token of a hedge is lost when the other budget has none',
  ['hedge', 'status'],
  [round, 'hedge.putBack();\n      hedge.refused++;', 'hedge.refused++;'],
);
plant('the tokens of a hedge that a hook stops are lost', 'P2', [
  round,
  'if (taken > 0) budget.putBack(taken, state);',
  '',
]);
plant('a success returns the tokens of its hedge', 'P1', [
  gate,
  'budget?.succeeded(used ? this.#taken : 0, this.#state);',
  'budget?.succeeded(this.held?.hedge ? 1000 : used ? this.#taken : 0, this.#state);',
]);
plant(
  'attempts without a hedge are counted',
  ['hedge', 'P9'],
  [round, TIMER, `if (lane.attempts >= settings.maxAttempts) this.#state.hedge.hedges++;\n    ${TIMER}`],
);
plant('hedges that won are not counted', 'hedge', [round, 'this.#state.hedge.won++;', ';']);

// How a round ends.
const ENDS = 'this.#end(operation, lane, SUPERSEDED);';
plant("the winner's signal is aborted", 'P10', [
  round,
  ENDS,
  `lane.limits.abort({ reason: superseded() });\n      ${ENDS}`,
]);
plant(
  "the loser's signal is not aborted",
  ['P10', 'P13'],
  [
    round,
    'if (!lane.over) lane.limits.abort(by);',
    'if (!lane.over && (aborted || expired !== undefined)) lane.limits.abort(by);',
  ],
);
plant("the loser's rejection is not handled", 'P10', [
  round,
  'answer = await lane.limits.race(work(lane.attempt));',
  `const own = work(lane.attempt);
          Promise.resolve(own).catch((error) => {
            if (lane.over) throw error;
          });
          answer = await lane.limits.race(own);`,
]);
plant(
  'a hedge that fails ends the round while the attempt runs',
  ['hedge', 'P10', 'P2'],
  [
    round,
    '} else if (this.#lanes.every(({ over }) => over)) {',
    '} else if (lane.gate.held?.hedge || this.#lanes.every(({ over }) => over)) {',
  ],
);
plant(
  'the outcome of a round is its first failure',
  ['P12', 'order', 'records', 'P10'],
  [round, 'this.#last = lane;', 'this.#last ??= lane;'],
);
plant(
  'onRetry is called for each failure of a round',
  ['hedge', 'order'],
  [
    round,
    'lane.exactlyMs = exactlyMs;',
    "lane.exactlyMs = exactlyMs;\n        if (this.#lanes.length > 1) operation.emit('onRetry', lane.attempts, {});",
  ],
);
plant(
  'the last hint of a round counts, and not the largest',
  ['order', 'P2', 'P11', 'cooldown'],
  [round, 'operation.hintMs = Math.max(...hints);', 'operation.hintMs = this.#last.hintMs ?? hints[0];'],
);
plant(
  'waits are numbered by attempts and not by rounds',
  ['order', 'P11'],
  ['run/decision.js', 'attempt -= hedges;', ''],
);
plant('the timer of a hedge is left when the operation ends', 'P13', [
  round,
  'this.#cancel?.();\n    const by',
  'const by',
]);
plant('records are in the order of the ends', 'records', [
  round,
  '[...operation.records].sort((a, b) => a.attempt - b.attempt);',
  '[...operation.records];',
]);
plant(
  'an attempt that lost counts as a failure',
  ['breaker', 'P4', 'hedge'],
  [round, 'gate.close(lane, reason);\n      operation', "gate.close(lane, 'timeout');\n      operation"],
);

// The learned delay.
const LEARNED = ['latency', 'hedge'];
plant('attempts that lost are not learned from', LEARNED, [
  admission,
  'verdict === SUCCESS || this.held?.superseded === true',
  'verdict === SUCCESS',
]);
plant('retries are learned from', LEARNED, [hedge, 'if (attempts !== 1 || this', 'if (this']);
plant('fast failures are learned from', LEARNED, [hedge, 'if (isSample || ms >= settings.attemptTimeoutMs) ', '']);
plant('timeouts are not learned from', LEARNED, [hedge, 'isSample || ms >= settings.attemptTimeoutMs', 'isSample']);
plant('fewer samples are enough', LEARNED, [latency, 'const ENOUGH = 20;', 'const ENOUGH = 10;']);
plant('the delay is the lower edge of its slot', LEARNED, [latency, '(FIRST + slot + 1)', '(FIRST + slot)']);
plant('an old slice counts in full', LEARNED, [
  latency,
  'const share = 1 - (now - this.startedAt) / SLICE_MS;',
  'const share = 1;',
]);
plant('old durations are never forgotten', LEARNED, [
  latency,
  'this.previous = age < 2 * SLICE_MS ? this.current : newSlice();\n    this.current = newSlice();',
  'this.previous = newSlice();',
]);

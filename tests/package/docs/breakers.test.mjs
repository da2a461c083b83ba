// The breakers in docs/migration: opossum's and cockatiel's. Each row of their tables is run twice on a virtual clock,
// with the other package and with rejitter: the same traffic has the same outcomes. So is each case in which they
// differ.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as cockatiel from 'cockatiel';
import CircuitBreaker from 'opossum';

import { documents, evaluate, literal, tableIn } from '../lib/readers.mjs';
import { underClock } from '../lib/pasted.mjs';
import { importAll } from '../protection/entry.mjs';

const { RejectedError, RetryPolicy, breaker, protect } = await importAll();

const failing = (message, fields) => async () => {
  throw Object.assign(new Error(message), fields);
};

/** Calls, by the words of a traffic. They receive the number of the attempt and what else they need. */
const CALLS = {
  ok: async () => 'answered',
  fail: failing('down'),
  often: failing('down'),
  flaky: (n) => (n < 3 ? CALLS.fail() : CALLS.ok()),
  404: failing('not found', { status: 404 }),
  hang: () => new Promise(() => {}),
  slow: () => new Promise((resolve) => setTimeout(resolve, 100)),
  late: (_, { answered }) => new Promise((resolve) => answered.then(resolve)),
  abort: (_, { signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))),
};

/** Names an error in the same words, whichever package made it. */
function nameOf(error) {
  if (error instanceof RejectedError || error.code === 'EOPENBREAKER' || cockatiel.isBrokenCircuitError(error))
    return 'rejected';
  if (cockatiel.isIsolatedCircuitError(error)) return 'rejected';
  return error.code === 'ETIMEDOUT' || error.name === 'TimeoutError' ? 'timed out' : error.message;
}

/**
 * Calls through a circuit.
 * @typedef {object} Side
 * @property {(fn: () => Promise<unknown>, signal?: AbortSignal) => Promise<unknown>} call
 * @property {() => string} state
 * @property {(names: object) => unknown} [act] runs the cell, if it is an expression
 * @property {(fn: () => Promise<unknown>) => Promise<unknown>} [often] makes up to seven attempts, 100 ms apart
 * @property {() => void} [end]
 */

/** @returns {Side} */
function opossum(code, log) {
  const options = code.startsWith('{') ? evaluate(code, {}) : {};
  const base = { timeout: false, volumeThreshold: 4, resetTimeout: 1000 };
  const circuit = new CircuitBreaker((fn) => fn(), { ...base, ...options });
  const call = (fn) => circuit.fire(fn);
  return {
    call,
    act: (names) => (code.startsWith('{') ? undefined : evaluate(code, { ...names, CircuitBreaker, circuit, log })),
    state: () => (circuit.halfOpen ? 'half-open' : circuit.opened ? 'open' : 'closed'),
    often: (fn) =>
      cockatiel
        .retry(cockatiel.handleAll, { maxAttempts: 6, backoff: new cockatiel.ConstantBackoff(100) })
        .execute(() => call(fn)),
    end: () => circuit.shutdown(),
  };
}

/** @returns {Side} */
function cockatiels(code, log) {
  const { ConsecutiveBreaker, ConstantBackoff, circuitBreaker, handleAll, retry, wrap } = cockatiel;
  const options = {
    halfOpenAfter: 1000,
    breaker: code.startsWith('new ') ? evaluate(code, cockatiel) : new ConsecutiveBreaker(5),
    ...(code.startsWith('{') ? evaluate(code, cockatiel) : {}),
  };
  const circuit = code.startsWith('circuitBreaker(')
    ? evaluate(code, { ...cockatiel, options })
    : circuitBreaker(handleAll, options);
  const names = { ...cockatiel, circuit, log };
  return {
    call: (fn, signal) =>
      code.startsWith('wrap(') ? evaluate(code, { ...names, fn }) : circuit.execute(() => fn(), signal),
    act: (more) => (/^(circuit\.|is)/.test(code) ? evaluate(code, { ...names, ...more }) : undefined),
    state: () => ['closed', 'open', 'half-open', 'isolated'][circuit.state],
    often: (fn) =>
      wrap(retry(handleAll, { maxAttempts: 6, backoff: new ConstantBackoff(100) }), circuit).execute(() => fn()),
  };
}

/**
 * rejitter, with the longest openings.
 * @param {object} base the breaker's options
 * @returns {(code: string, log: (text: string) => void) => Side}
 */
const ours = (base) => (code, log) => {
  const names = { RejectedError, protect, log, breaker: (options) => breaker({ ...base, ...options }) };
  const made = /^(breaker|protect)\(/.test(code) ? evaluate(code, names) : names.breaker();
  const protection = 'part' in made ? protect(made) : made;
  const policy = new RetryPolicy({
    maxAttempts: 1,
    protection,
    random: () => 1 - 2 ** -53,
    ...(code.startsWith('{') ? evaluate(code, names) : {}),
  });
  return {
    call: (fn, signal) =>
      code.startsWith('policy.') ? evaluate(code, { policy, fn }) : policy.run(() => fn(), { signal }),
    act: (more) =>
      /^(protection\.|error )/.test(code) ? evaluate(code, { ...names, ...more, protection }) : undefined,
    state: () => protection.status().breaker.state,
    often: (fn) => policy.with({ maxAttempts: 7, backoff: 'fixed', baseMs: 100, jitter: 'none' }).run(() => fn()),
  };
};

const OPOSSUM = {
  page: 'opossum',
  heading: 'opossum',
  old: opossum,
  now: ours({ minimumCalls: 4, openMs: 1000 }),
};
const COCKATIEL = {
  page: 'cockatiel',
  heading: "cockatiel's breaker",
  old: cockatiels,
  now: ours({ consecutiveFailures: 5, minimumCalls: Infinity, openMs: 1000 }),
};

/**
 * Traffic of a row, by a part of its first cell: calls, times that pass, and `do`, which runs the cell. Without the
 * row's setting it has another outcome.
 */
const TRAFFIC = new Map([
  [
    OPOSSUM,
    {
      errorThresholdPercentage: 'ok fail fail ok fail ok fail fail fail ok',
      volumeThreshold: 'fail fail fail fail fail fail fail ok fail ok',
      rollingCountTimeout: 'fail fail fail +4500 ok fail fail ok',
      resetTimeout: 'fail fail fail fail +2999 ok +2 ok ok',
      'timeout: 200': 'hang +199 hang +1 hang hang +200 ok',
      errorFilter: '404 404 404 404 404 ok',
      enabled: 'fail fail fail fail fail ok',
      fallback: 'do ok fail fail fail fail ok',
      'circuit.open()': 'ok do ok +1001 ok ok',
      'circuit.close()': 'fail fail fail fail ok do ok',
      'circuit.opened': 'fail fail fail do fail do',
      "circuit.on('open'": 'do fail fail fail fail ok',
      isOurError: 'fail do fail fail fail ok do',
    },
  ],
  [
    COCKATIEL,
    {
      'ConsecutiveBreaker(3)': 'fail fail ok fail fail fail ok',
      SamplingBreaker: 'ok fail fail fail ok',
      CountBreaker: 'ok fail fail fail ok',
      'halfOpenAfter: 3000': 'fail fail fail fail fail +2999 ok +2 ok ok fail ok',
      'halfOpenAfter: new': 'fail fail fail fail fail +1001 fail +1500 ok +501 ok ok',
      halfOpenSampling: 'fail fail fail fail fail +1001 ok ok fail ok',
      'handleWhen(': '404 404 404 404 404 404 ok',
      'wrap(': 'flaky +400 ok',
      isolate: 'ok do ok +60000 ok',
      'circuit.state': 'fail fail fail fail do fail do',
      onBreak: 'do fail fail fail fail fail ok',
      isBrokenCircuitError: 'fail do fail fail fail fail ok do',
    },
  ],
]);

/**
 * Sends the traffic through a circuit; returns how often each call was made and how it ended. Further words: OPEN
 * fails until it opens, `state` notes its state, `=open` demands one, `answer` settles the late calls, `back` sets the
 * wall clock back.
 */
function outcomes(make, code, traffic) {
  return underClock(async (clock) => {
    const log = [];
    const side = make(code, (text) => log.push(text));
    const { now } = Date;
    let error;
    let answer;
    const answered = new Promise((resolve) => (answer = resolve));
    async function call(word) {
      const entry = { word, startMs: [], outcome: 'never settles', endMs: NaN };
      log.push(entry);
      const aborter = new AbortController();
      const fn = () => {
        entry.startMs.push(clock.now);
        return CALLS[word](entry.startMs.length, { answered, signal: aborter.signal });
      };
      const end = (outcome) => Object.assign(entry, { outcome, endMs: clock.now });
      (word === 'often' ? side.often(fn) : side.call(fn, aborter.signal)).then(end, (thrown) => {
        error = thrown;
        end(nameOf(thrown));
      });
      if (word === 'abort') aborter.abort();
      await clock.advance(0);
    }
    const steps = {
      OPEN: async () => {
        while (side.state() === 'closed') await call('fail');
      },
      do: () => {
        const value = side.act({ error });
        if (typeof value === 'boolean') log.push(value);
      },
      state: () => log.push({ word: 'state', outcome: side.state() }),
      answer: () => answer('late'),
      back: () => (Date.now = () => now() - 3_600_000),
    };
    try {
      for (const word of traffic.split(' ')) {
        if (word.startsWith('+')) await clock.advance(Number(word.slice(1)));
        else if (word.startsWith('=')) assert.equal(side.state(), word.slice(1));
        else await (steps[word] ?? (() => call(word)))();
      }
    } finally {
      Date.now = now;
      side.end?.();
    }
    return log;
  });
}

/** The cases in which they differ: a traffic, and the word in it whose last outcome is meant. */
const CASES = {
  'a call while the probe runs, which then succeeds': ['OPEN +1001 slow ok +60000', 'ok'],
  'the probe never settles; a call a minute later': ['OPEN +1001 hang +60000 ok +60000', 'ok'],
  // Both count the slow call.
  'a call from before the opening succeeds while the probe runs': [
    'late OPEN =open +1001 hang =half-open answer +1 state',
    'state',
  ],
  'the circuit has closed, and the next call fails': ['OPEN +1001 ok =closed fail state', 'state'],
  'the first probe fails; a call 1,001 ms later': ['OPEN +1001 fail +1001 ok +60000', 'ok'],
  'the wall clock is set back by an hour; a call a minute later': ['OPEN back +60000 ok +60000', 'ok'],
  'the callers abort five calls': ['abort abort abort abort abort state', 'state'],
  // Other calls fail, too: rejitter does not count retries.
  'the circuit opens during an operation of seven attempts': ['often +50 fail fail fail fail =open +850', 'often'],
};
const OFTEN = { down: 'the real error', rejected: "the breaker's error" };

for (const [peer, traffics] of TRAFFIC) {
  const { page, heading, old, now } = peer;
  const text = documents.get(`docs/migration/${page}.md`);
  const rows = tableIn(text, heading);
  const keyOf = (cell) => Object.keys(traffics).filter((key) => cell.includes(key));

  test(`${heading}: each row has its traffic`, () => {
    assert.deepEqual(rows.flatMap(([cell]) => keyOf(cell)).sort(), Object.keys(traffics).sort());
  });

  for (const [oldCell, nowCell] of rows) {
    test(`${heading}: ${oldCell} is ${nowCell}`, async () => {
      const traffic = traffics[keyOf(oldCell)[0]];
      const before = await outcomes(old, literal(oldCell), traffic);
      assert.deepEqual(await outcomes(now, literal(nowCell), traffic), before);
      assert.notDeepEqual(await outcomes(old, '{}', traffic), before, `${page} does the same without it`);
      // An exponential opening is what rejitter always has.
      if (!oldCell.includes('ExponentialBackoff'))
        assert.notDeepEqual(await outcomes(now, '{}', traffic), before, 'rejitter does the same without it');
    });
  }

  for (const [name, ...cells] of tableIn(text, 'case')) {
    test(`${page}: ${name}`, async () => {
      const [traffic, word] = CASES[name];
      for (const [i, make] of [old, now].entries()) {
        const { outcome } = (await outcomes(make, '{}', traffic)).findLast((entry) => entry.word === word);
        assert.equal(word === 'often' ? OFTEN[outcome] : outcome, cells[i], i === 0 ? page : 'rejitter');
      }
    });
  }
}

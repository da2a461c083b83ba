// The breakers in docs/migration: opossum's and cockatiel's. Each row of their tables is run twice on a virtual clock,
// with the other package and with rejitter: the same traffic has the same outcomes. So is each case in which they
// differ.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as cockatiel from 'cockatiel';
import CircuitBreaker from 'opossum';

import { vectors } from '../../package/lib/consumer.mjs';
import { documents, evaluate, literal, tableIn } from '../../package/lib/readers.mjs';
import { underClock } from '../lib/pasted.mjs';
import { importAll } from '../../package/protection/entry.mjs';

const { RejectedError, RetryPolicy, breaker, protect } = await importAll();

const failing = (message, fields) => () => Promise.reject(Object.assign(new Error(message), fields));

/** Calls, by the words of a traffic. They receive the number of the attempt and what else they need. */
const CALLS = {
  ok: async () => 'answered',
  fail: failing('down'),
  often: failing('down'),
  flaky: (n) => (n < 3 ? CALLS.fail() : CALLS.ok()),
  missing: failing('not found', { code: 'NOT_FOUND' }),
  busy: async () => 'busy',
  hang: () => new Promise(() => {}),
  slow: () => new Promise((resolve) => setTimeout(resolve, 100)),
  late: (_, { answered }) => new Promise((resolve) => answered.then(resolve)),
  abort: (_, { signal }) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))),
};

const { BrokenCircuitError, ConsecutiveBreaker, ConstantBackoff, IsolatedCircuitError } = cockatiel;
const { circuitBreaker, handleAll, retry } = cockatiel;
const REJECTIONS = [RejectedError, BrokenCircuitError, IsolatedCircuitError];

/** Names an error in the same words, whichever package made it. */
function nameOf(error) {
  if (error.code === 'EOPENBREAKER' || REJECTIONS.some((type) => error instanceof type)) return 'rejected';
  return error.code === 'ETIMEDOUT' || error.name === 'TimeoutError' ? 'timed out' : error.message;
}

/** A cell from which a circuit is made; any other one is run. */
const MAKES = /^(\{|new |breaker\(|protect\(|circuitBreaker\()/;

// Each package: the names that cells use, and a circuit of what a cell makes. `often` makes up to seven attempts, 100
// ms apart.
const opossum = {
  names: () => ({ CircuitBreaker }),
  make(options) {
    const base = { timeout: false, volumeThreshold: 4, resetTimeout: 1000 };
    const circuit = new CircuitBreaker((fn) => fn(), { ...base, ...options });
    return {
      names: { circuit },
      call: (fn) => circuit.fire(fn),
      state: () => (circuit.halfOpen ? 'half-open' : circuit.opened ? 'open' : 'closed'),
      end: () => circuit.shutdown(),
    };
  },
};

const cockatiels = {
  names: () => ({ ...cockatiel, options: { halfOpenAfter: 1000, breaker: new ConsecutiveBreaker(5) } }),
  make(made, { options }) {
    const own = 'success' in made ? { breaker: made } : made;
    const circuit = 'execute' in made ? made : circuitBreaker(handleAll, { ...options, ...own });
    return {
      names: { circuit },
      call: (fn, signal) => circuit.execute(() => fn(), signal),
      state: () => ['closed', 'open', 'half-open', 'isolated'][circuit.state],
    };
  },
};

/** rejitter, with the shortest openings. @param {object} base the breaker's options */
const ours = (base) => ({
  names: () => ({ RejectedError, protect, breaker: (options) => breaker({ ...base, ...options }) }),
  make(made, names) {
    const options = 'status' in made || 'part' in made ? {} : made;
    const protection = 'status' in made ? made : protect('part' in made ? made : names.breaker());
    const policy = new RetryPolicy({ maxAttempts: 1, protection, random: () => 0, ...options });
    return {
      names: { policy, protection },
      call: (fn, signal) => policy.run(() => fn(), { signal }),
      state: () => protection.status().breaker.state,
      often: (fn) => policy.with({ maxAttempts: 7, backoff: 'fixed', baseMs: 100, jitter: 'none' }).run(() => fn()),
    };
  },
});

/**
 * The traffic of each page's rows is by a part of their first cell: calls, times that pass, and `do`, which runs the
 * cell. Without the row's setting it has another outcome. Cases in which the two differ are by a traffic, too: the last
 * outcome is meant, or that of `often` if it is not a state.
 */
const { breakers: TRAFFICS, cases: CASES } = vectors('migration');

const PAGES = [
  {
    page: 'opossum',
    heading: 'opossum',
    old: opossum,
    now: ours({ failureRatio: 0.5, minimumCalls: 4, consecutiveFailures: Infinity, openMs: 2000, maxOpenMs: 2000 }),
  },
  {
    page: 'cockatiel',
    heading: "cockatiel's breaker",
    old: cockatiels,
    now: ours({ consecutiveFailures: 5, minimumCalls: Infinity, openMs: 2000, maxOpenMs: 2000 }),
  },
];

/**
 * Sends the traffic through a circuit; returns how often each call was made and how it ended. Further words: OPEN
 * fails until it opens, `state` notes its state, `=open` demands one, `answer` settles the late calls, `back` sets the
 * wall clock back.
 */
function outcomes({ names, make }, code, traffic) {
  return underClock(async (clock) => {
    const log = [];
    const known = { ...names(), log: (text) => log.push(text) };
    const side = make(MAKES.test(code) ? evaluate(code, known) : {}, known);
    const run = (more) => evaluate(code, { ...known, ...side.names, ...more });
    const retried = retry(handleAll, { maxAttempts: 6, backoff: new ConstantBackoff(100) });
    const { often = (fn) => retried.execute(() => side.call(fn)) } = side;
    const calls = code.includes('(fn)');
    const { now } = Date;
    let error;
    let answer;
    const answered = new Promise((resolve) => (answer = resolve));
    async function call(word) {
      const entry = { word, startMs: [], outcome: 'never settles', endMs: NaN };
      log.push(entry);
      const aborter = new AbortController();
      const fn = () => CALLS[word](entry.startMs.push(clock.now), { answered, signal: aborter.signal });
      const through = word === 'often' ? often : calls ? () => run({ fn }) : side.call;
      const end = (outcome) => Object.assign(entry, { outcome, endMs: clock.now });
      through(fn, aborter.signal).then(end, (thrown) => end(nameOf((error = thrown))));
      if (word === 'abort') aborter.abort();
      await clock.advance(0);
    }
    const steps = {
      OPEN: async () => {
        while (side.state() === 'closed') await call('fail');
      },
      do: () => {
        const value = calls ? undefined : run({ error });
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

/** rejitter does not count retries: other calls open the circuit meanwhile. */
const OFTEN = { down: 'the real error', rejected: "the breaker's error" };

for (const { page, heading, old, now } of PAGES) {
  const traffics = TRAFFICS[page];
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
      assert.notDeepEqual(await outcomes(now, '{}', traffic), before, 'rejitter does the same without it');
    });
  }

  for (const [name, ...cells] of tableIn(text, 'case')) {
    test(`${page}: ${name}`, async () => {
      for (const [i, make] of [old, now].entries()) {
        const log = await outcomes(make, '{}', CASES[name]);
        const last = log.at(-1);
        const { word, outcome } = (last.word !== 'state' && log.find((entry) => entry.word === 'often')) || last;
        assert.equal(word === 'often' ? OFTEN[outcome] : outcome, cells[i], i === 0 ? page : 'rejitter');
      }
    });
  }
}

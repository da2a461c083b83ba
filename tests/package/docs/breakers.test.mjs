// The breakers in docs/migration: opossum's and cockatiel's. Each row of their tables is run twice on a virtual clock,
// with the other package and with rejitter: the same traffic has the same outcomes. So is each case in which they
// differ.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as cockatiel from 'cockatiel';
import CircuitBreaker from 'opossum';

import { documents, literal, tableIn } from '../lib/readers.mjs';
import { underClock } from '../lib/pasted.mjs';
import { importAll } from '../protection/entry.mjs';

const { RejectedError, RetryPolicy, breaker, protect } = await importAll();

/** The value of a cell's code, where these names are known. */
const evaluate = (code, names) => new Function(...Object.keys(names), `return (${code});`)(...Object.values(names));

const failing = (message, fields) => async () => {
  throw Object.assign(new Error(message), fields);
};

const down = failing('down');

/** Calls, by the words of a traffic. They receive the number of the attempt. */
const CALLS = {
  ok: async () => 'answered',
  fail: down,
  flaky: (n) => (n < 3 ? down() : CALLS.ok()),
  404: failing('not found', { status: 404 }),
  hang: () => new Promise(() => {}),
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
  opens: 'fail fail fail fail',
};
const COCKATIEL = {
  page: 'cockatiel',
  heading: "cockatiel's breaker",
  old: cockatiels,
  now: ours({ consecutiveFailures: 5, minimumCalls: Infinity, openMs: 1000 }),
  opens: 'fail fail fail fail fail',
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

/** Sends the traffic through a circuit; returns how often each call was made and how it ended. */
function outcomes(make, code, traffic) {
  return underClock(async (clock) => {
    const log = [];
    const side = make(code, (text) => log.push(text));
    let error;
    for (const word of traffic.split(' ')) {
      if (word.startsWith('+')) {
        await clock.advance(Number(word.slice(1)));
      } else if (word === 'do') {
        const value = side.act({ error });
        if (typeof value === 'boolean') log.push(value);
      } else {
        const entry = { word, startMs: [], outcome: 'pending', endMs: NaN };
        log.push(entry);
        const fn = () => {
          entry.startMs.push(clock.now);
          return CALLS[word](entry.startMs.length);
        };
        const end = (outcome) => Object.assign(entry, { outcome, endMs: clock.now });
        side.call(fn).then(end, (thrown) => {
          error = thrown;
          end(nameOf(thrown));
        });
        await clock.advance(0);
      }
    }
    side.end?.();
    return log;
  });
}

for (const [peer, traffics] of TRAFFIC) {
  const { page, heading, old, now } = peer;
  const rows = tableIn(documents.get(`docs/migration/${page}.md`), heading);
  const keyOf = (cell) => Object.keys(traffics).filter((key) => cell.includes(key));

  test(`${heading}: each row has its traffic`, () => {
    assert.deepEqual(rows.flatMap(([cell]) => keyOf(cell)).sort(), Object.keys(traffics).sort());
  });

  for (const [oldCell, nowCell] of rows) {
    test(`${heading}: ${oldCell} is ${nowCell}`, async () => {
      const traffic = traffics[keyOf(oldCell)[0]];
      const before = await outcomes(old, literal(oldCell), traffic);
      assert.deepEqual(await outcomes(now, literal(nowCell), traffic), before);
      // An exponential opening is what rejitter always has.
      for (const [make, side] of [
        [old, page],
        [now, 'rejitter'],
      ])
        if (side === page || !oldCell.includes('ExponentialBackoff'))
          assert.notDeepEqual(await outcomes(make, '{}', traffic), before, `${side} does the same without it`);
    });
  }
}

// The cases in which they differ.

/** @typedef {{ clock: any, side: Side, opens: () => Promise<void>, ended: (call: Promise<unknown>) => Promise<string> }} Scene */

/** @type {Record<string, (scene: Scene) => Promise<string>>} */
const CASES = {
  'a call while the probe runs, which then succeeds': async ({ clock, side, opens, ended }) => {
    await opens();
    await clock.advance(1001);
    const probe = side.call(() => new Promise((resolve) => setTimeout(resolve, 100)));
    const during = ended(side.call(CALLS.ok));
    await probe;
    return during;
  },
  'the probe never settles; a call a minute later': async ({ clock, side, opens, ended }) => {
    await opens();
    await clock.advance(1001);
    side.call(CALLS.hang).catch(() => {});
    await clock.advance(60_000);
    return ended(side.call(CALLS.ok));
  },
  'a call from before the opening succeeds while the probe runs': async ({ clock, side, opens }) => {
    let answer;
    side.call(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await opens();
    // Both count the slow call.
    if (side.state() === 'closed') await side.call(CALLS.fail).catch(() => {});
    assert.equal(side.state(), 'open');
    await clock.advance(1001);
    side.call(CALLS.hang).catch(() => {});
    assert.equal(side.state(), 'half-open');
    answer('late');
    await clock.advance(1);
    return side.state();
  },
  'the circuit has closed, and the next call fails': async ({ clock, side, opens }) => {
    await opens();
    await clock.advance(1001);
    await side.call(CALLS.ok);
    assert.equal(side.state(), 'closed');
    await side.call(CALLS.fail).catch(() => {});
    return side.state();
  },
  'the first probe fails; a call 1,001 ms later': async ({ clock, side, opens, ended }) => {
    await opens();
    await clock.advance(1001);
    await side.call(CALLS.fail).catch(() => {});
    await clock.advance(1001);
    return ended(side.call(CALLS.ok));
  },
  'the wall clock is set back by an hour; a call a minute later': async ({ clock, side, opens, ended }) => {
    await opens();
    const { now } = Date;
    Date.now = () => now() - 3_600_000;
    try {
      await clock.advance(60_000);
      return await ended(side.call(CALLS.ok));
    } finally {
      Date.now = now;
    }
  },
  'the callers abort five calls': async ({ clock, side }) => {
    for (let i = 0; i < 5; i += 1) {
      const aborter = new AbortController();
      const { signal } = aborter;
      const aborted = () =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      side.call(aborted, signal).catch(() => {});
      aborter.abort();
      await clock.advance(0);
    }
    return side.state();
  },
  'the circuit opens during an operation of seven attempts': async ({ clock, side }) => {
    let outcome = 'pending';
    side.often(CALLS.fail).catch((error) => {
      outcome = error.message === 'down' ? 'the real error' : `the breaker's error`;
      assert.equal(outcome === 'the real error', nameOf(error) === 'down');
    });
    // Other calls fail, too: rejitter does not count retries.
    await clock.advance(50);
    for (let i = 0; i < 4; i += 1) side.call(CALLS.fail).catch(() => {});
    await clock.advance(0);
    assert.equal(side.state(), 'open');
    await clock.advance(850);
    return outcome;
  },
};

for (const { page, old, now, opens } of TRAFFIC.keys()) {
  for (const [name, ...cells] of tableIn(documents.get(`docs/migration/${page}.md`), 'case')) {
    test(`${page}: ${name}`, async () => {
      for (const [i, make] of [old, now].entries()) {
        const found = await underClock(async (clock) => {
          const side = make('{}', () => {});
          try {
            return await CASES[name]({
              clock,
              side,
              opens: async () => {
                for (const word of opens.split(' ')) await side.call(CALLS[word]).catch(() => {});
              },
              ended: async (call) => {
                let outcome = 'never settles';
                call.then(
                  () => {
                    outcome = 'answered';
                  },
                  (error) => {
                    outcome = nameOf(error);
                  },
                );
                await clock.advance(60_000);
                return outcome;
              },
            });
          } finally {
            side.end?.();
          }
        });
        assert.equal(found, cells[i], i === 0 ? page : 'rejitter');
      }
    });
  }
}

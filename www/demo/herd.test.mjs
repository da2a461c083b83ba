/** The herd table in Node: both limits side by side, by the page's own functions on the installed package. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timeToServeMs } from 'rejitter/lab';
import { HERD, outageAlone } from './lib/verdict.mjs';
import { pageModule } from './page-module.mjs';

const { herd } = await pageModule('herd/compute.ts');
const { span } = await pageModule('compute/outage.ts');
const figure = await pageModule('herd/figure.ts');
const { INITIAL, nameOf } = await pageModule('state/strategy.ts');

const signal = new AbortController().signal;
const run = (/** @type {any} */ part = {}) =>
  herd({ strategy: INITIAL, herd: HERD, seed: 42, ...part }, () => {}, signal);

describe('the herd', () => {
  test("each row is the package's own, as set and until served; decorrelated jitter is one row", async () => {
    const { runs, horizonMs } = await run();
    assert.equal(runs.length, 13);
    for (const { choice, served, gaveUp, patientlyServed, timeTo99Ms, callsPerClient, isCut } of runs) {
      const name = `${choice.backoff} ${choice.jitter}`;
      const replaces = choice.jitter === 'decorrelated';
      const options = {
        jitter: choice.jitter,
        ...(!replaces && { backoff: choice.backoff }),
        ...(choice.backoff === 'truncated' && !replaces && { truncateAt: 4 }),
        baseMs: 100,
        capMs: 10_000,
      };
      const result = (/** @type {number} */ maxAttempts, /** @type {number} */ until) =>
        outageAlone({ ...options, maxAttempts }, { horizonMs: until }, 150_000);
      const asSet = result(10, 9_000_000);
      assert.deepEqual([served, gaveUp], [asSet.servedMs.length, asSet.giveUps], name);
      const patient = result(Infinity, horizonMs);
      assert.deepEqual(
        [patientlyServed, timeTo99Ms, callsPerClient],
        [patient.servedMs.length, timeToServeMs(patient, 0.99), patient.meanAttempts],
        name,
      );
      assert.equal(served + gaveUp, 1000, name);
      assert.equal(isCut, callsPerClient >= 150, name);
    }
  });

  test('patience and strategy are told apart: linear with equal jitter is served if patient', async () => {
    const { runs } = await run();
    const of = (/** @type {string} */ name) => runs.find((/** @type {any} */ one) => nameOf(one.choice) === name);
    assert.ok(of('Linear · equal').served < 200 && of('Linear · equal').patientlyServed === 1000);
    assert.ok(of('Exponential · none').patientlyServed < 100);
    assert.ok(of('Exponential · full').served >= 990);
  });

  test('hammering is not free when the server has nothing left', async () => {
    const strategy = { ...INITIAL, backoff: 'fixed', jitter: 'none', maxAttempts: Infinity };
    const rows = await Promise.all(
      [100, 200, 300].map(async (baseMs) => (await run({ strategy: { ...strategy, baseMs } })).runs[0]),
    );
    for (const { patientlyServed } of rows) assert.ok(patientlyServed < 50, `${patientlyServed}`);
    const free = await run({ strategy, herd: { ...HERD, rejectionCost: 0 } });
    assert.ok(free.runs[0].patientlyServed > 900);
  });

  test('reports as it goes, and ends when it is not wanted', async () => {
    const stop = new AbortController();
    await assert.rejects(
      herd(
        { strategy: INITIAL, herd: { ...HERD, clients: 10_000 }, seed: 42 },
        () => stop.abort(new Error('not wanted')),
        stop.signal,
      ),
      /not wanted/,
    );
  });

  test('the table, the words and the CSV say the same; what is cut off is said', async () => {
    const result = await run({ strategy: { ...INITIAL, maxAttempts: 3 } });
    const { columns, rows } = figure.herd.table(result);
    assert.deepEqual(columns.map((/** @type {any} */ { name }) => name).slice(0, 4), [
      'strategy',
      'served as set',
      'gave up',
      'served if patient',
    ]);
    assert.equal(rows.length, 13);
    assert.match(figure.herd.subtitle(result)[0], /3.attempts at most/);
    assert.match(figure.herd.describe(result), /Exponential · full: \d+ of 1,000 served as set, 99% by/);
    assert.match(figure.herd.note(result)[0], /costs it 5% of a served one, also when it has nothing left.*cut off/);
  });
});

test('the horizon holds whole bins, 240 to 500 of them, and twice the bound, for whatever the link says', () => {
  for (const clients of [10, 1000, 10_000])
    for (const downMs of [0, 2000, 600_000])
      for (const capacityPerS of [1, 120, 100_000]) {
        const outage = { ...HERD, clients, downMs, capacityPerS };
        const { horizonMs, binMs } = span({ strategy: INITIAL, herd: outage });
        assert.ok(
          horizonMs % binMs === 0 && horizonMs / binMs >= 240 && horizonMs / binMs <= 500,
          `${horizonMs} ${binMs}`,
        );
        assert.ok(horizonMs >= 2 * (downMs + (1000 * clients) / capacityPerS));
      }
});

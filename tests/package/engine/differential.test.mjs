// Random policies, 150,000 of a million (all with REJITTER_POLICIES=1000000, 20,000 with REJITTER_QUICK): the
// delays of the package, through its thin wasm and through the lab's, are those of native Rust, bit for bit. The
// policies are drawn here as in tests/common/differential.rs, word by word; the table has the native digests.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { importEntry, project, vectors } from '../lib/consumer.mjs';
import { words } from '../lib/words.mjs';

const { fromData } = await importEntry('data');
const { sample } = await import(
  join(project('differential', { 'lab.mjs': "export * from 'rejitter/lab';\n" }), 'lab.mjs')
);

const { blocks } = vectors('differential');
const BLOCK = 1_000_000 / blocks.length;
/** How many policies are compared. */
const COMPARED = Number(process.env.REJITTER_POLICIES || (process.env.REJITTER_QUICK ? 20_000 : 150_000));
const WAITS = 6;
const SCALES = [0.001, 1, 10, 100, 1e3, 1e4, 1e6, 1e12];
const BACKOFFS = ['fixed', 'linear', 'exponential', 'truncated', 'fibonacci'];
const JITTERS = ['none', 'full', 'equal', 'decorrelated', 'decorrelatedBounded', 'slotted', 'pollyV2'];
const OWN_CURVE = new Set(JITTERS.slice(3));

/** Policy number `index` as data, and its seed. */
function draw(index) {
  const { word, below, unit } = words(index);
  const ms = () => {
    const scale = SCALES[below(8)];
    return scale * unit();
  };
  const seldom = () => below(3) === 0;

  const seed = (BigInt(word()) << 32n) | BigInt(word());
  const backoff = BACKOFFS[below(6)];
  const kind = below(10);
  const capRule = ['bound', 'ceiling', 'draw'][below(3)];
  const base = ms();
  const span = ms();
  const cap = seldom() ? Infinity : base + span;
  const capped = below(4) !== 0;
  const floor = unit();
  const floored = seldom();
  const spread = (1 + unit() * 999) / 1000;
  const factor = 1 + unit() * 4;
  const stepMs = ms();
  const truncateAt = 1 + below(40);
  const optional = seldom();
  const curve = [ms(), ms(), ms()];

  const jitter =
    JITTERS[kind] ??
    [
      { type: 'proportional', ratio: spread },
      { type: 'additive', ratio: spread * 3 },
      { type: 'additive', maxMs: spread * 500 },
    ][kind - 7];
  const follows = !OWN_CURVE.has(jitter);
  const data = { version: 1, backoff: backoff ?? curve, jitter, capRule, maxAttempts: 'Infinity' };
  if (capped) data.baseMs = base;
  if (capped) data.capMs = cap === Infinity ? 'Infinity' : cap;
  if (capped && floored) data.minMs = floor * Math.min(cap, base * 2, Number.MAX_SAFE_INTEGER);
  if (optional && follows && backoff === 'exponential') data.factor = factor;
  if (optional && follows && backoff === 'linear') data.stepMs = stepMs;
  if (optional && (backoff === 'truncated' || jitter === 'slotted')) data.truncateAt = truncateAt;
  return { data, seed };
}

const delays = new Float64Array(WAITS);

function digest(waits) {
  // Little-endian, as every host of this test is: the lower word first.
  const words = new Uint32Array(waits.buffer, waits.byteOffset, WAITS * 2);
  let hash = 0x811c9dc5;
  for (const word of words) hash = fold(hash, word);
  return hash >>> 0;
}

const BUILDS = {
  thin(policy, seed) {
    const iterator = policy.delays({ seed });
    for (let k = 0; k < WAITS; k += 1) delays[k] = iterator.next().value;
    return delays;
  },
  lab: (policy, seed) => sample(policy, { waits: WAITS, seed }),
};

const fold = (hash, word) => Math.imul(hash ^ word, 0x01000193);

for (let block = 0; block < COMPARED / BLOCK; block += 1) {
  const from = block * BLOCK;
  test(`both wasm files and native Rust wait equally, for the random policies from ${from}`, () => {
    let hash = 0x811c9dc5;
    for (let i = from; i < from + BLOCK; i += 1) {
      const { data, seed } = draw(i);
      const policy = fromData(data);
      const [thin, lab] = [BUILDS.thin, BUILDS.lab].map((delaysOf) => digest(delaysOf(policy, seed)));
      // One that differs from the other has a name. If none does, the native test finds the same as this one.
      assert.equal(lab, thin, `policy ${i}, ${JSON.stringify(data)}, seed ${seed}: ${[...BUILDS.thin(policy, seed)]}`);
      hash = fold(hash, thin);
    }
    assert.equal(hash >>> 0, blocks[block]);
  });
}

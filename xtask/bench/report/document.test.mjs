import assert from 'node:assert/strict';
import { ALONE, BREAKER, BUDGET, WRAPPED } from '../protected/names.mjs';
import { test } from 'node:test';

import { BEGIN, END, aheadOf, between, block, rowsOf } from './document.mjs';

test('replaces the text between the markers and nothing else', () => {
  const text = `# title\n\n${BEGIN}\nold\n| table |\n${END}\n\nafter\n`;
  assert.equal(between(text, '\nnew\n'), `# title\n\n${BEGIN}\nnew\n${END}\n\nafter\n`);
  assert.equal(between(between(text, 'new'), 'newer'), between(text, 'newer'));
});

test('rejects a text that does not have both markers once', () => {
  for (const text of ['', BEGIN, END, `${END} ${BEGIN}`, `${BEGIN} ${END} ${END}`, `${BEGIN} ${BEGIN} ${END}`]) {
    assert.throws(() => between(text, 'new'), /once each/, text);
  }
});

const spread = (median) => ({ median, q1: median, q3: median });
const row = (name, value) => ({
  name,
  success: spread(value),
  retries: spread(value),
  heap: value,
  cold: spread(value),
  brotli: value,
});

test('names the contenders that are as good or better, the best first', () => {
  const rows = [
    row('rejitter, policy', 100),
    row('rejitter, function', 1),
    row('slow', 106),
    row('equal', 104),
    row('fast', 20),
  ];
  const [success, , heap] = aheadOf(rows);
  assert.deepEqual(success, { measure: 'first success', own: '100×', others: ['fast (20.0×)', 'equal (104×)'] });
  assert.deepEqual(heap.others, ['fast (20 B)', 'equal (104 B)']);
  assert.deepEqual(aheadOf([row('rejitter, policy', 1), row('slow', 2), { name: 'not measured' }])[0].others, []);
});

const samples = (values) => ({
  'bare call': [10, 10],
  'hand-written loop': [20, 20],
  'rejitter, policy': [20, 30],
  'rejitter, function': [40, 40],
  ...values,
});
const RESULTS = {
  when: '2026-01-02T03:04:05.678Z',
  quick: false,
  machine: { processor: 'a processor', cores: 2, platform: 'linux x64' },
  others: [0, 0.02],
  versions: { rejitter: '0.1.0', peer: '7.8.9', ky: '2.1.0' },
  nodes: { 'Node 20': '20.1.0', 'Node 24': '24.5.0' },
  parts: {
    success: {
      'Node 20': { samples: samples({}) },
      'Node 24': { samples: samples({ peer: [50, 50] }), notes: { peer: 'no cap' } },
    },
    retries: { 'Node 24': { immediate: { samples: samples({ peer: [10, 10] }) } } },
    heap: {
      'Node 24': { contenders: { 'rejitter, policy': { wait: { pending: 910 } }, peer: { wait: { pending: 1400 } } } },
    },
    cold: { 'Node 24': { first: samples({ peer: [11.5, 11.5] }) } },
    sizes: {
      ours: { RetryPolicy: { brotli: 4000 }, 'rejitter/fetch': { brotli: 7000 } },
      peers: { peer: { brotli: 1500 }, ky: { brotli: 7900 } },
    },
    fetch: {
      'Node 24': {
        200: { samples: { 'bare fetch': [500], 'rejitter/fetch': [1000], ky: [5000] } },
        '503, then 200': { samples: { 'bare fetch': [500], 'rejitter/fetch': [1500] } },
      },
    },
    protection: {
      'Node 24': {
        samples: { [ALONE]: [10], [BUDGET]: [12], [BREAKER]: [15], [WRAPPED]: [30] },
        memory: { perKey: 1234 },
      },
    },
    bulk: {
      'Node 24': {
        delays: 1000,
        samples: { 'JS loop': [40], 'JS loop, ceilings in a table': [20], 'rejitter/lab, sample': [10] },
      },
    },
    simulation: { 'Node 24': { cells: { ours: { ms: [1], events: [8000] }, twin: { ms: [1], events: [4000] } } } },
  },
};

test('rows are of the main Node; what was not measured is left open', () => {
  const peer = rowsOf(RESULTS.parts).find(({ name }) => name === 'peer');
  assert.deepEqual(peer, {
    name: 'peer',
    success: spread(5),
    retries: spread(0.5),
    heap: 1400,
    cold: spread(1.5),
    brotli: 1500,
  });
  const loop = rowsOf(RESULTS.parts).find(({ name }) => name === 'hand-written loop');
  assert.equal(loop.heap, undefined);
});

test('the document says when, with what and on what, and who is ahead', () => {
  const inOneLine = (results) => block(results).replaceAll(/\n */g, ' ');
  const text = inOneLine(RESULTS);
  assert.match(
    text,
    /Measured on 2026-01-02: rejitter 0\.1\.0, Node 24\.5\.0, linux x64, 2 cores \(a processor\)\. Medians of 2 shuffled rounds/,
  );
  assert.match(
    text,
    /\| peer 7\.8\.9 \| 5\.00 \(5\.00–5\.00\) \| 0\.500 \(0\.500–0\.500\) \| 1,400 \| 1\.50 \(1\.50–1\.50\) \| 1,500 \|/,
  );
  assert.match(text, /Not alike in all: peer \(no cap\)\./);
  assert.match(text, /- retries \(rejitter: 1\.25×\): peer \(0\.500×\), hand-written loop \(1\.00×\) /);
  assert.match(text, /- heap in a wait \(rejitter: 910 B\): none /);
  assert.match(text, /\| ky 2\.1\.0 \| 10\.0 \(10\.0–10\.0\) \| — \| 7,900 \|/);
  assert.match(text, /1\.20 \(1\.20–1\.20\) times as long with a budget, 1\.50 [^:]*with a breaker: 0\.500 /);
  assert.match(text, /A key with both takes 1,234 B\./);
  assert.match(text, /4\.00 \(4\.00–4\.00\) times as fast as a loop/);
  assert.match(text, /8\.00 million events per second, 2\.00 times as many/);
  assert.doesNotMatch(text, /shared with others|quick run/);
  assert.match(inOneLine({ ...RESULTS, others: [0.4, 0] }), /The machine was shared with others/);
  assert.match(inOneLine({ ...RESULTS, quick: true }), /A quick run\./);
  assert.doesNotMatch(text, /undefined|NaN/);
});

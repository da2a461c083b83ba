import assert from 'node:assert/strict';
import { test } from 'node:test';

import { BUDGETS } from '../../../tests/package/lib/budgets.mjs';
import { BARE, BARE_FETCH, BREAKER, BUDGET, BY_HAND, POLICY, WRAPPED } from '../contenders.mjs';
import { BEGIN, END, between, block } from './document.mjs';
import { digits, wrapped } from './table.mjs';
import { aims } from './targets.mjs';

test('replaces the text between the markers, which must be there once', () => {
  const text = `# title\n\n${BEGIN}\nold\n| table |\n${END}\n\nafter\n`;
  assert.equal(between(text, '\nnew\n'), `# title\n\n${BEGIN}\nnew\n${END}\n\nafter\n`);
  for (const wrong of ['', BEGIN, END, `${END} ${BEGIN}`, `${BEGIN} ${END} ${END}`, `${BEGIN} ${BEGIN} ${END}`]) {
    assert.throws(() => between(wrong, 'new'), /once each/, wrong);
  }
});

test('numbers have three digits that count', () => {
  const cases = {
    0: '0',
    0.01234: '0.0123',
    2.345: '2.35',
    12.34: '12.3',
    1887: '1,890',
    '-45678': '-45,700',
    NaN: '—',
  };
  for (const [value, text] of Object.entries(cases)) assert.equal(digits(Number(value)), text);
});

const samples = (values) => ({
  [BARE]: [10, 10],
  [BY_HAND]: [20, 20],
  [POLICY]: [20, 30],
  'rejitter, function': [1, 1],
  'rejitter, policy, JavaScript form': [20, 30],
  'rejitter/light': [20, 20],
  ...values,
});
const bytes = (brotli) => ({ brotli });
const RESULTS = {
  when: '2026-01-02T03:04:05.678Z',
  quick: false,
  machine: { processor: 'a processor', cores: 2, platform: 'linux x64' },
  others: [0, 0.02],
  versions: { rejitter: '0.1.0', peer: '7.8.9', ky: '2.1.0' },
  node: '24.5.0',
  parts: {
    success: { samples: samples({ peer: [50, 50], equal: [26, 26] }), notes: { peer: 'no cap' } },
    retries: { samples: samples({ peer: [10, 10] }) },
    heap: {
      [POLICY]: { pending: 910, kept: 11, keptOfMany: 0.5, wasmBytes: 0 },
      'rejitter/light': { pending: 1500 },
      peer: { pending: 1400 },
    },
    cold: {
      first: { [BARE]: [10], [POLICY]: [16], 'rejitter/light': [12.5], 'p-retry': [14], peer: [11.5], [BY_HAND]: [20] },
      failure: { [POLICY]: [2.2] },
      second: { [POLICY]: [0.2] },
      turn: { [POLICY]: [0.4] },
    },
    sizes: {
      ours: {
        ...Object.fromEntries(BUDGETS.map(({ name, target }) => [name, bytes(target)])),
        RetryPolicy: bytes(10_901),
      },
      peers: { peer: bytes(1500), ky: bytes(7900) },
    },
    fetch: {
      good: { samples: { [BARE_FETCH]: [500], 'rejitter/fetch': [1000], ky: [5000] } },
      retried: { samples: { [BARE_FETCH]: [500], 'rejitter/fetch': [1500] } },
    },
    protection: { samples: { [POLICY]: [10], [BUDGET]: [12], [BREAKER]: [15], [WRAPPED]: [30] }, perKey: 1234 },
    bulk: {
      delays: 1000,
      samples: { 'JS loop': [40], 'JS loop, ceilings in a table': [20], 'rejitter/lab, sample': [10] },
    },
    simulation: { ours: { ms: [1], events: [8000] }, twin: { ms: [1], events: [4000] } },
  },
};
const inOneLine = (results) => block(results).replaceAll(/\n */g, ' ');

test('the document says when, with what and on what, and who is ahead', () => {
  const text = inOneLine(RESULTS);
  for (const part of [
    'Measured on 2026-01-02: rejitter 0.1.0, Node 24.5.0, linux x64, 2 cores (a processor). Medians of 2 shuffled rounds',
    '| peer 7.8.9 | 5.00 (5.00–5.00) | 0.500 (0.500–0.500) | 1,400 | 1.50 (1.50–1.50) | 1,500 |',
    '| hand-written loop | 2.00 (2.00–2.00) | 1.00 (1.00–1.00) | — | 10.0 (10.0–10.0) | — |',
    'Not alike in all: peer (no cap).',
    // The best first; less than 5% counts as equal.
    '- first success (rejitter: 2.50×): hand-written loop (2.00×), equal (2.60×) ',
    '- heap in a wait (rejitter: 910 B): none ',
    '| ky 2.1.0 | 10.0 (10.0–10.0) | — | 7,900 |',
    '1.20 (1.20–1.20) times as long with a budget, 1.50 (1.50–1.50) times with a breaker: 0.500 ',
    'A key with both takes 1,234 B.',
    '4.00 (4.00–4.00) times as fast as a loop',
    '8.00 million events per second, 2.00 times as many',
  ])
    assert.ok(text.includes(part), `${part}\n${text}`);
  assert.doesNotMatch(text, /shared with others|quick run|undefined|NaN/);
  assert.match(inOneLine({ ...RESULTS, others: [0.4, 0], quick: true }), /A quick run\. The machine was shared/);
  for (const line of block(RESULTS).split('\n')) assert.ok(line.startsWith('|') || line.length <= 110, line);
});

test('what was not measured is not in it', () => {
  const { heap, bulk } = RESULTS.parts;
  const text = inOneLine({ ...RESULTS, parts: { heap, bulk } });
  assert.match(text, /\| peer 7\.8\.9 \| — \| — \| 1,400 \| — \| — \|.*1,000 full-jitter delays/);
  assert.doesNotMatch(text, /Not alike|Protection|undefined|NaN/);
});

test('the first operations are shown on both Nodes', () => {
  const { success, cold } = RESULTS.parts;
  const text = inOneLine({ ...RESULTS, parts: { success, cold, older: { node: '20.1.0', success, cold } } });
  for (const node of [20, 24])
    assert.match(text, RegExp(`policy, Node ${node} \\| 6.00 .*?2.50 .*?2.20 .*?0.200 .*?0.400 \\(0.400–0.400\\) \\|`));
});

test('aims are met at the limit, and not without a number', () => {
  const rows = aims(RESULTS).split('\n').slice(2);
  const missed = rows.filter((row) => row.endsWith('NOT MET |')).map((row) => row.split(' | ').slice(0, 2).join(': '));
  assert.deepEqual(missed, [
    '| first success, policy, × p-retry: —',
    '| first success, function, × cockatiel: —',
    '| first success, function, × p-retry: —',
    '| kept after the end, B: 11.0',
    '| Node 24.5.0: first success, policy, × cockatiel: —',
    '| Node 24.5.0: cold start of the policy, × p-retry: 1.50',
    '| RetryPolicy in an app, B of brotli: 10,901',
    '| budget and breaker of a key, B: 1,234',
    '| simulation, M messages/s (both ways): 16.0',
  ]);
  assert.equal(wrapped('a  b\nc'), 'a b c');
});

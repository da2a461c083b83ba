// The declarations of rejitter/lab: what must compile does, what must not does not.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { project, run, tool } from './lib/consumer.mjs';

const COMPILERS = { 'TypeScript 7': 'typescript/bin/tsc', 'TypeScript 5.9': 'typescript-5.9/bin/tsc' };

const USE = `
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};
const policy = new RetryPolicy({ maxAttempts: 3 });
for (const wait of [...plan(policy), ...plan(policy, 3), ...plan({ jitter: 'equal' })]) {
  same<typeof wait, PlannedWait>(true);
  same<typeof wait.quantiles.p50, number>(true);
  same<typeof wait.latticeMs, number | undefined>(true);
  for (const { ms, probability } of wait.atoms) same<typeof ms | typeof probability, number>(true);
}
for (const { code, severity, text } of explain(policy)) {
  same<typeof severity, 'info' | 'warning'>(true);
  same<typeof text, string>(true);
  if (code === 'no-jitter') break;
}
const waits = sample({ backoff: [1, 2] }, { waits: 2, operations: 3, seed: 1n });
for (const list of [waits, sample(policy), sample(policy, { seed: undefined }), density(policy, 1), density(policy, 1, 8), cdf(policy, 1, [1]), quantiles(policy, 1, waits)]) {
  same<typeof list.length, number>(true);
  const numbers: Float64Array = list;
  void numbers;
}
`;
const WRONG = `
// wrong: no policy
plan(3);
// wrong: an option of no name
explain({ retries: 3 });
// wrong: options that exclude each other
plan({ backoff: 'fixed', factor: 2 });
// wrong: text for a number
plan({}, '3');
// wrong: an option that sample has not
sample({}, { wait: 3 });
// wrong: no code
explain({}).some(({ code }) => code === 'no-jitters');
// wrong: a result is not to be changed
plan({})[0]!.meanMs = 3;
// wrong: no list
cdf({}, 1, 3);
// wrong: k is missing
quantiles({});
`;
const NAMES = 'cdf, density, explain, plan, quantiles, sample';
const ESM = `import { RetryPolicy } from 'rejitter';\nimport { ${NAMES}, type PlannedWait } from 'rejitter/lab';\nvoid [${NAMES}, RetryPolicy];\n`;
const CTS = `import main = require('rejitter');\nimport lab = require('rejitter/lab');\nconst { RetryPolicy } = main;\nconst { ${NAMES} } = lab;\ntype PlannedWait = lab.PlannedWait;\nvoid [${NAMES}, RetryPolicy];\n`;

function compile(compiler, files) {
  const compilerOptions = {
    strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false, noEmit: true,
    target: 'es2022', lib: ['es2022', 'dom'], types: [], module: 'nodenext', moduleResolution: 'nodenext',
  };
  const dir = project('lab-types', { ...files, 'tsconfig.json': JSON.stringify({ compilerOptions, files: Object.keys(files) }) });
  return run(process.execPath, [tool(COMPILERS[compiler]), '-p', dir, '--pretty', 'false'], { cwd: dir });
}

for (const compiler of Object.keys(COMPILERS)) {
  test(`${compiler}: what is right compiles, from both kinds of module`, async () => {
    const { code, stdout } = await compile(compiler, { 'esm.mts': ESM + USE, 'cjs.cts': CTS + USE });
    assert.equal(stdout, '');
    assert.equal(code, 0);
  });

  test(`${compiler}: each wrong line is an error, and nothing else is`, async () => {
    const text = ESM.replace(', type PlannedWait', '') + WRONG;
    const expected = text.split('\n').flatMap((line, i) => (line.startsWith('// wrong:') ? [i + 2] : []));
    assert.equal(expected.length, 9);
    const { stdout } = await compile(compiler, { 'wrong.mts': text });
    const errors = [...stdout.matchAll(/^wrong\.mts\((\d+),\d+\): error (TS\d+)/gm)];
    assert.deepEqual([...new Set(errors.map(([, line]) => Number(line)))].sort((a, b) => a - b), expected);
    assert.deepEqual(errors.filter(([, , id]) => ['TS2304', 'TS2305', 'TS2307', 'TS1005'].includes(id)), []);
  });
}

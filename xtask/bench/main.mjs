// Measures the packed package against its peers: cargo xtask bench. One measuring process at a time.
//
//   cargo xtask bench [--quick] [--only NAME]... [--docs] [--seed N] [--node MAJOR]

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { machine, takenByOthers, versions } from './lib/machine.mjs';
import * as cold from './parts/cold.mjs';
import * as comparison from './parts/comparison.mjs';
import * as heap from './parts/heap.mjs';
import { bulk, simulation } from './parts/lab.mjs';
import * as protection from './parts/protection.mjs';
import * as sizes from './parts/sizes.mjs';
import { speed } from './parts/speed.mjs';
import * as worlds from './parts/worlds.mjs';
import { between, block } from './report/document.mjs';
import { aims } from './report/targets.mjs';

const PARTS = {
  sizes: sizes.run,
  success: speed('retries', 0),
  retries: speed('retries', 3),
  fetch: async (context) => ({ good: await speed('fetch', 0)(context), retried: await speed('fetch', 1)(context) }),
  protection: protection.run,
  heap: heap.run,
  cold: cold.run,
  older: async (context) => {
    const [node, version] = nodeOf('20');
    const there = { ...context, node };
    const success = await speed('retries', 0)(there);
    return { node: version, success, cold: await cold.run(there), heap: await heap.run(there) };
  },
  bulk,
  simulation,
  // They have documents of their own.
  worlds: worlds.run,
  comparison: comparison.run,
};

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [''] },
    docs: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    // That of the document: the newest with long-term support.
    node: { type: 'string', default: '24' },
  },
});
const { quick, only, docs } = values;
const names = Object.keys(PARTS);
const unknown = only.find((word) => !names.some((name) => name.includes(word)));
if (unknown !== undefined) throw new Error(`there is no part ${unknown}: ${names.join(', ')}`);
const chosen = names.filter((name) => only.some((word) => name.includes(word)));
const OWN_DOCUMENTS = ['worlds', 'comparison'];
const shown = chosen.filter((name) => !OWN_DOCUMENTS.includes(name));
if (docs && shown.length > 0 && shown.length + OWN_DOCUMENTS.length < names.length)
  throw new Error('docs/benchmarks.md shows all parts: name none, or those with documents of their own');

/** npm has the binaries for Linux on x64 alone; elsewhere it is the Node that runs this. */
function nodeOf(major) {
  const installed = fileURLToPath(new URL(`node_modules/node-${major}/bin/node`, import.meta.url));
  const node = existsSync(installed) ? installed : process.execPath;
  return [node, execFileSync(node, ['--version'], { encoding: 'utf8' }).trim().slice(1)];
}
const [node, version] = nodeOf(values.node);
const choice = { quick, docs, seed: Number(values.seed) };

console.log(`Measuring${quick ? ', quickly' : ''}, in Node ${version}: ${chosen.join(', ')}`);
const others = [await takenByOthers()];
const parts = {};
const start = performance.now();
for (const name of chosen) {
  const say = (what) =>
    console.log(`  ${String(Math.round((performance.now() - start) / 1000)).padStart(4)} s  ${what}`);
  say(name);
  parts[name] = await PARTS[name]({ node, choice, say: (what) => say(`${name}: ${what}`) });
}
others.push(await takenByOthers());

const when = new Date().toISOString();
const results = { when, quick, choice, machine: machine(), others, node: version, versions: versions(), parts };
const out = join(process.env.REJITTER_TARGET_DIR ?? 'target', 'bench');
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'results.json'), `${JSON.stringify(results)}\n`);
const [before, after] = others.map((share) => `${Math.round(100 * share)} %`);
const remark = Math.max(...others) > 0.1 ? ' This machine is not idle: measure again.' : '';
console.log(`
${block(results)}

${aims(results)}

Others used ${before} of the processors just before and ${after} just after.${remark}
${join(out, 'results.json')}`);
if (docs && shown.length > 0) {
  const file = new URL('../../docs/benchmarks.md', import.meta.url);
  writeFileSync(file, between(readFileSync(file, 'utf8'), block(results)));
  console.log('written to docs/benchmarks.md');
}

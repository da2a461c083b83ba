// @ts-check
// Measures the packed package against its peers: cargo xtask bench. One measuring process at a time.
//
//   node main.mjs --out FOLDER [--quick] [--part NAME]... [--docs FILE] [--seed N]

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { engines, machine, nodeVersions, takenByOthers, versions } from './lib/machine.mjs';
import { mainOf, nodes } from './lib/nodes.mjs';
import { PARTS } from './parts/all.mjs';
import { between, block } from './report/document.mjs';
import { asText, sectionsOf } from './report/sections.mjs';
import { textTable } from './report/table.mjs';
import { targetRows, targetsOf } from './report/targets.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    quick: { type: 'boolean', default: false },
    part: { type: 'string', multiple: true, default: PARTS },
    docs: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const { out, quick, part: chosen, docs } = values;
if (!out) throw new Error('--out is missing: the folder for the results');
const unknown = chosen.find((name) => !PARTS.includes(name));
if (unknown !== undefined) throw new Error(`there is no part ${unknown}: ${PARTS.join(', ')}`);
if (docs && chosen.length < PARTS.length)
  throw new Error('the document shows all parts: --docs goes with no choice of parts');

/** @param {Record<string, any>} parts */
function aims(parts) {
  const targets = targetsOf(parts);
  return targets.length > 0
    ? `Aims, ${mainOf(measured, ({ name }) => name).name}\n${textTable(targetRows(targets))}\n\n`
    : '';
}

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
const all = nodes();
const measured = quick ? [mainOf(all, ({ name }) => name)] : all;
const choice = { quick, seed: Number(values.seed) };

console.log(`Measuring${quick ? ', quickly' : ''}: ${chosen.join(', ')}`);
const others = [await takenByOthers()];
/** @type {Record<string, any>} */
const parts = {};
for (const name of PARTS.filter((part) => chosen.includes(part))) {
  /** @type {import('./parts/all.mjs').Part} */
  const part = await import(`./parts/${name}.mjs`);
  const start = performance.now();
  const say = (/** @type {string} */ what) =>
    console.log(`  ${String(Math.round((performance.now() - start) / 1000)).padStart(4)} s  ${name}: ${what}`);
  parts[name] = await part.run({ nodes: measured, choice, say });
}
others.push(await takenByOthers());

const results = {
  when: new Date().toISOString(),
  quick,
  seed: choice.seed,
  machine: machine(),
  others,
  nodes: await nodeVersions(measured),
  versions: versions(),
  parts,
};
mkdirSync(out, { recursive: true });
const file = join(out, 'results.json');
const remark = Math.max(...others) > 0.1 ? ' This machine is not idle: measure again.' : '';
writeFileSync(file, `${JSON.stringify(results)}\n`);

const { processor, cores, platform } = results.machine;
const who = Object.entries(results.versions).map(([name, version]) => `${name} ${version}`);
console.log(`
${asText(sectionsOf(parts))}

${aims(parts)}Medians, in brackets the quartiles. ${cores} cores (${processor}), ${platform}.
${who.join(', ')}; Node ${Object.values(results.nodes).join(', ')}.
Asking for a Node: ${Object.entries(engines())
  .map(([name, node]) => `${name} ${node}`)
  .join(', ')}; measured wherever they run.
Others used ${percent(others[0])} of the processors just before and ${percent(others[1])} just after.${remark}
${file}`);
if (docs) {
  writeFileSync(docs, between(readFileSync(docs, 'utf8'), block(results)));
  console.log(`written to ${docs}`);
}

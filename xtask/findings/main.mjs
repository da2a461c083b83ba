// Runs the scripts of findings/ one after the other. They need registries of packages, so neither tests nor CI run
// them.
//
//   cargo xtask findings [NAME]... [--docs]

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { command, listen, run, signalReceived } from '../run/command.mjs';
import { PAGE, findings, page } from './findings.mjs';

/** Longer than the slowest build on a busy machine. */
const LIMIT_MS = 5 * 60_000;

const { values, positionals } = parseArgs({ options: { docs: { type: 'boolean' } }, allowPositionals: true });
const all = findings();
const unknown = positionals.find((word) => !all.some(({ name }) => name.includes(word)));
if (unknown !== undefined) throw new Error(`the name of no finding contains "${unknown}"`);
const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.some((word) => name.includes(word)));

listen();
const failed = [];
let passed = 0;
for (const { name, path } of chosen) {
  if (signalReceived() !== undefined) break;
  console.log(`\n${name}`);
  try {
    await run(command(['sh', path], { limitMs: LIMIT_MS }));
    passed++;
  } catch (error) {
    console.log(`not as it was found: ${error.message}`);
    failed.push(name);
  }
}
console.log(`\nnot as found: ${failed.join(', ') || 'none'}`);
console.log(`${passed} passed, ${failed.length} failed`);
if (failed.length > 0) process.exitCode = 1;
if (values.docs) writeFileSync(PAGE, page(all));

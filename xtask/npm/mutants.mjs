// Would the tests see a mistake? A sample of small changes of the package, one at a time in an installed copy that has
// every module as a file: the tests that execute the place run until one fails. With --rust the same of the crate's
// core and retry, by cargo-mutants.
//
//   cargo xtask mutants [--rust] [--count N] [--seed S]
//
// The same sources and seed give the same sample. A mutant is drawn by its line of text, not by the line's number: an
// edit elsewhere leaves it in the sample.
//
// Found at 6e017f69 with seed 1: 184 of 194 (95 %).

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { parseArgs } from 'node:util';

import { send, sh } from '../run/command.mjs';
import { inRoot, inTarget, root, tarball } from '../run/places.mjs';
import { changesOf, tree } from './mutations.mjs';

const tests = inRoot('tests');
const target = inTarget('mutants');
/** The package with every module as a file. */
const modules = inTarget('pkg.modules');

const FOLDERS = [
  ...['engine', 'options', 'fetch', 'protection', 'testing', 'reconnect'].map((name) => `package/${name}`),
  ...['engine', 'engines', 'fetch', 'options', 'reconnect', 'testing'].map((name) => `clients/${name}`),
];
/** Random schedules, in threads whose coverage is unknown, and the modules that they drive. */
const SCHEDULES = ['plain', 'light', 'protected'].map(
  (of) => `package/schedules/run.mjs --count 1500 --seed 1 --among ${of}`,
);
const DRIVEN = /^(run|light|options|protection)\//;
/** Slower test files are left out, and named. */
const LONGEST_MS = 30_000;
/** The least time that a test file has before it counts as hung. */
const HANGS_MS = 20_000;

/** Of core and retry, about; cargo-mutants takes a share of its list. */
const MUTANTS_OF_RUST = 6000;

const { values: options } = parseArgs({
  options: {
    rust: { type: 'boolean', default: false },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
await (options.rust ? rust(Number(options.count ?? 300)) : javaScript(Number(options.count ?? 600)));

/** A number in [0, 1) of a text and the seed. */
function numberOf(text) {
  return createHash('sha256').update(`${options.seed}\n${text}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** Those with the lowest numbers: of each folder as many as its lines ask for. */
function sampleOf(count) {
  const parts = {};
  for (const file of readdirSync(inRoot('src/js'), { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.js') || !existsSync(join(modules, 'lib', file))) continue;
    const code = readFileSync(join(modules, 'lib', file), 'utf8');
    const lines = code.split('\n');
    const part = (parts[file.replace(/\/.*/, '/')] ??= { lines: 0, mutants: [] });
    part.lines += lines.length;
    const seen = {};
    for (const { kind, start, end, text } of changesOf(code)) {
      const before = code.slice(0, start).split('\n');
      const line = lines[before.length - 1];
      const id = [file, kind, line.trim(), before.at(-1).length - line.search(/\S/), text].join('\n');
      seen[id] = (seen[id] ?? 0) + 1;
      const short = (words) => words.slice(0, 70).replaceAll(/\s+/g, ' ').trim() || 'nothing';
      const place = `src/js/${file}:${before.length}:${before.at(-1).length + 1}`;
      part.mutants.push({
        ...{ file, start, part: file.replace(/\/.*/, '/'), number: numberOf(`${id}\n${seen[id]}`) },
        title: `${place} ${kind}: ${short(code.slice(start, end))} → ${short(text)}`,
        mutated: code.slice(0, start) + text + code.slice(end),
      });
    }
  }
  const weighed = Object.values(parts).flatMap(({ lines, mutants }) =>
    mutants.map((mutant) => ({ ...mutant, number: (mutant.number * mutants.length) / lines })),
  );
  weighed.sort((a, b) => a.number - b.number);
  const sample = [];
  for (const mutant of weighed) if (sample.length < count && parses(mutant.mutated)) sample.push(mutant);
  return sample;
}

function parses(code) {
  try {
    return tree(code) !== undefined;
  } catch {
    return false;
  }
}

/** A folder that the tests take for `target`, with the package installed as modules. */
function workspace(name) {
  const folder = join(target, name);
  const env = {
    ...process.env,
    REJITTER_TARBALL: tarball,
    REJITTER_TARGET_DIR: folder,
    REJITTER_QUICK: '1',
    // A test that builds Rust fails at once, and is left out.
    CARGO: 'false',
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const code = "import('./package/lib/consumer.mjs').then(({ installed }) => console.log(installed))";
  const { stdout, stderr } = spawnSync(execPath, ['-e', code], { cwd: tests, env, encoding: 'utf8' });
  const installed = stdout.trim();
  if (installed === '') throw new Error(stderr);
  rmSync(installed, { recursive: true });
  // Copies: a link would let tests that plant bugs change the package of all others.
  const copies = [installed, join(folder, 'pkg.modules')];
  for (const copy of copies) cpSync(modules, copy, { recursive: true });
  return { folder, copies, env };
}

/** Runs a test file: to its end, or until a test fails that is not among those `known` to fail. */
function runTests(env, file, limitMs, known) {
  return new Promise((done) => {
    const startedAt = performance.now();
    const args = ['--test-reporter=tap', ...file.split(' ')];
    const child = spawn(execPath, args, { env, cwd: tests, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    let hung = false;
    const end = () => send(child, 'SIGKILL');
    const failed = () => [...output.matchAll(/^ *not ok \d+ - (.*)$/gm)].map(([, name]) => name);
    const timer = setTimeout(() => {
      hung = true;
      end();
    }, limitMs);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      if (known && failed().some((name) => !known.includes(name))) end();
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      end();
      const passed = Number(/^# pass (\d+)$/m.exec(output)?.[1] ?? (code === 0 ? 1 : 0));
      done({ failed: failed(), passed, hung, ms: performance.now() - startedAt });
    });
  });
}

/**
 * Which mutants lie where the processes of a test file have been: the innermost range that V8 counted decides.
 * `undefined` if nothing of the package was counted.
 */
function executedBy(coverage, sample) {
  const executed = new Set();
  let known = false;
  for (const name of existsSync(coverage) ? readdirSync(coverage) : []) {
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, name), 'utf8')).result) {
      const file = /\/(?:node_modules\/rejitter|pkg\.modules)\/lib\/(.*)$/.exec(url)?.[1];
      if (file === undefined) continue;
      known = true;
      const ranges = functions.flatMap((each) => each.ranges);
      const lengthOf = ({ startOffset, endOffset }) => endOffset - startOffset;
      ranges.sort((a, b) => lengthOf(a) - lengthOf(b));
      for (const mutant of sample.filter((each) => each.file === file)) {
        const range = ranges.find((each) => each.startOffset <= mutant.start && mutant.start < each.endOffset);
        if (range?.count > 0) executed.add(mutant);
      }
    }
  }
  return known ? executed : undefined;
}

async function javaScript(count) {
  const sample = sampleOf(count);
  const spaces = ['0', '1'].map((name) => workspace(name));
  /** Each takes the next item when it is free. */
  const each = (items, work) => {
    const left = [...items];
    const worker = async (space) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(space, item);
    };
    return Promise.all(spaces.map(worker));
  };

  const files = [];
  const names = FOLDERS.flatMap((folder) => readdirSync(join(tests, folder)).map((file) => `${folder}/${file}`));
  const all = [...SCHEDULES, ...names.filter((file) => /(?<!planted-bugs\.slow)\.test\.mjs$/.test(file))];
  await each(all, async (space, file) => {
    const coverage = join(space.folder, 'coverage');
    rmSync(coverage, { recursive: true, force: true });
    const run = await runTests({ ...space.env, NODE_V8_COVERAGE: coverage }, file, LONGEST_MS);
    if (run.hung || run.passed === 0) console.log(`left out: ${file}, ${run.hung ? 'slow' : 'it needs more'}`);
    else files.push({ file, ...run, executed: executedBy(coverage, sample), kills: {} });
  });

  // The package as it is, between the others: where it fails, the failures of mutants prove nothing.
  const UNCHANGED = 'unchanged';
  const every200 = (mutant, i) => (i % 200 === 199 ? [mutant, { part: UNCHANGED, title: `unchanged ${i}` }] : [mutant]);
  const table = {};
  await each(sample.flatMap(every200), async ({ env, copies }, mutant) => {
    const { part, file, mutated } = mutant;
    const paths = file === undefined ? [] : copies.map((copy) => join(copy, 'lib', file));
    for (const path of paths) writeFileSync(path, mutated);
    const knowing = files.filter(({ executed }) => !file || (executed?.has(mutant) ?? DRIVEN.test(file)));
    const cost = ({ ms, kills }) => ms / (1 + (kills[part] ?? 0));
    knowing.sort((a, b) => cost(a) - cost(b));
    let result = knowing.some(({ executed }) => executed) ? 'survived' : 'not executed';
    let by = '';
    for (const test of knowing) {
      const run = await runTests(env, test.file, Math.max(HANGS_MS, 4 * test.ms), test.failed);
      if (!run.hung && run.passed >= test.passed) continue;
      test.kills[part] = (test.kills[part] ?? 0) + 1;
      result = run.hung ? 'hung' : 'failed';
      by = ` (${test.file})`;
      break;
    }
    for (const path of paths) cpSync(join(modules, 'lib', file), path);
    table[part] ??= { failed: 0, hung: 0, survived: 0, 'not executed': 0 };
    table[part][result] += 1;
    console.log(`${result}: ${mutant.title}${by}`);
  });
  console.table(table);
  if (table[UNCHANGED]?.failed || table[UNCHANGED]?.hung) throw new Error('the package fails without a change');
}

/** cargo-mutants, which takes a share of its list: about `count`. */
function rust(count) {
  // Timers of JavaScript are not compiled natively.
  const scope = sh`--file=crates/rejitter/src/core/** --file=crates/rejitter/src/retry/** --exclude=**/js.rs`;
  const shares = Math.max(1, Math.round(MUTANTS_OF_RUST / count));
  const share = `${Number(options.seed) % shares}/${shares}`;
  const sample = sh`--shard=${share} --sharding=round-robin --output=${target}`;
  // The baseline of 27.1 would be the tests of the mutated package, and these are another one's.
  const line = sh`mutants --no-config --package=rejitter ${scope} ${sample} --baseline=skip --timeout=120
    --test-package=rejitter-wasm -- --test=native`;
  const { status } = spawnSync('cargo', line, { cwd: root, stdio: 'inherit' });
  if (status === 101) throw new Error('cargo install cargo-mutants@27.1.0 --locked');
}

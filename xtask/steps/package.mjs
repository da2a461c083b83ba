// The npm packages: their wasm files, assembled with JavaScript and the entries, packed.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { LAB, THIN } from '../npm/artefacts.mjs';
import { rootsOf, untraceable } from '../npm/wasm.mjs';
import { cargo, command, sh } from '../run/command.mjs';
import {
  fromRoot,
  inRoot,
  inTarget,
  labPkg,
  labTarball,
  npmTool,
  pkg,
  root,
  tarball,
  wasmTool,
} from '../run/places.mjs';
import { NPM_OF_BUILD, TARGET, WASM_BINDGEN, WASM_TARGET, textOf } from './setup.mjs';

/** The package is built and packed. */
export const PACK = 'pack';
/** The same of `rejitter-lab`. */
export const PACK_LAB = 'pack the lab';

/** A script of `xtask/npm`. */
export const script = (name, ...args) => command(['node', inRoot('xtask/npm', name), ...args], { dir: root });

/** Where a thin wasm file is made. */
export function thin(name) {
  // A separate folder: the other builds of the same crate have the same file name.
  const target = inTarget(`thin-${name}`);
  const work = join(target, 'shrink');
  return { ...THIN[name], name, target, work, file: `${work}/${name}.wasm`, made: `${work}/${name}.js` };
}

const NAMES = Object.keys(THIN);

/** `lab.wasm`, its glue, `lab_bg.js`, and the licences of the crates in it. */
export const lab = { target: inTarget('lab'), folder: inTarget('lab/bound'), file: inTarget('lab/bound/lab.wasm') };

/** The parts of the package, as `assemble.mjs` takes them. */
export const PARTS = { wasm: thin('core').file, light: thin('light').made, machines: thin('machines').made };

/** The root package, for wasm-pack. */
const ROOT = 'rejitter-wasm';

const compiled = (target, crate = ROOT) => join(target, WASM_TARGET, `release/${crate.replace('-', '_')}.wasm`);

/** Assembles and packs a package, by a script with packages that the set-up installs. */
const packed = (name, assembled, needs, assemble, folder, tarball) => [
  {
    name: assembled,
    needs,
    async setUp(log) {
      await assemble({ version: version(), out: folder });
      log.note = `${fromRoot(folder)} ${version()}`;
    },
  },
  {
    name,
    needs: [assembled],
    async setUp(log) {
      log.note = (await log.run(script('pack.mjs', ...sh`--package ${folder} --out ${dirname(tarball)}`))).trim();
    },
  },
];

/** @type {import('../run/run.mjs').Step[]} */
export const steps = [
  ...NAMES.map((name) => thin(name)).flatMap((it) => [
    { name: `${it.title}: compile`, needs: [TARGET], setUp: (log) => compileThin(log, it) },
    {
      name: `${it.title}: shrink`,
      needs: [`${it.title}: compile`, NPM_OF_BUILD],
      setUp: (log) => shrink(log, it),
    },
  ]),
  ...packed(
    ...[PACK, 'assemble', Object.values(THIN).map(({ title }) => `${title}: shrink`)],
    async (to) => (await import(inRoot('xtask/npm/assemble.mjs'))).assemble({ ...PARTS, ...to }),
    ...[pkg, tarball],
  ),
  // A fifth smaller than at level 2, and as fast where it matters.
  { name: `${LAB.title}: compile`, needs: [TARGET], setUp: (log) => compile(log, LAB, lab.target) },
  {
    name: `${LAB.title}: bind and optimise`,
    needs: [`${LAB.title}: compile`, WASM_BINDGEN, NPM_OF_BUILD],
    setUp: bindLab,
  },
  ...packed(
    ...[PACK_LAB, 'assemble the lab', [`${LAB.title}: bind and optimise`]],
    async (to) => (await import(inRoot('xtask/npm/lab.mjs'))).assembleLab({ bound: lab.folder, ...to }),
    ...[labPkg, labTarball],
  ),
  // Most tests wait for the packages.
].map((step) => ({ ...step, urgent: true }));

/**
 * Compiles a crate to wasm without its default features.
 * @param {any} log
 * @param {{ feature: string, crate?: string }} artefact
 * @param {string} target
 * @param {string[]} [link]
 */
async function compile(log, { feature, crate = ROOT }, target, link = []) {
  // With an rlib besides, cargo would leave link-time optimization out.
  const line = sh`rustc --package ${crate} --release --lib --crate-type=cdylib --no-default-features --target ${WASM_TARGET}
    --target-dir ${target} --features ${feature} --config profile.release.opt-level='s' ${link}`;
  await log.run(cargo(line, { remedy: "see the compiler's message in the log" }));
  log.note = sizeOf(compiled(target, crate));
}

/**
 * Half a kilobyte smaller than at level 2, and as fast for one call per failure. A stack of 4 kB lets the memory be one
 * page: without this it is 17. Older compilers do without bulk memory, and call a function that fills it byte by byte.
 */
const compileThin = (log, { feature, target }) =>
  compile(log, { feature }, target, sh`-- -C link-arg=-zstack-size=4096 -C target-feature=+bulk-memory`);

const sizeOf = (file) => `${statSync(file).size} bytes`;

/**
 * A tool of Binaryen, which makes one wasm file, or text, of another. Listed are the features that the wasm target of
 * Rust switches on, because `--all-features` writes files that no engine accepts.
 */
const binaryen = (tool, from, to, options = []) =>
  command(sh`${npmTool(tool)} ${from} ${options} --enable-bulk-memory --enable-bulk-memory-opt --enable-mutable-globals
    --enable-nontrapping-float-to-int --enable-sign-ext --enable-reference-types --enable-multivalue -o ${to}`);

/** Makes a wasm file smaller, and takes out what only people read. */
const optimised = (level, from, to, options = []) =>
  binaryen('wasm-opt', from, to, sh`${level} ${options} --strip-debug --strip-producers --strip-target-features`);

/** A pass that makes a file of what another one says: its bytes, or its text. */
const through = (from, to, make, encoding = undefined) => ({
  write: async () => writeFileSync(to, await make(readFileSync(from, encoding)), encoding),
});

const withNumbers = async (text) => (await import('../npm/machines.mjs')).withNumbers(text);

/** Makes a thin build smaller, and JavaScript of it. */
function shrink(log, { name, target, work, file, made, moduleOf }) {
  const of = (name) => join(work, name);
  const graph = of('graph.json');
  // JavaScript has no saturating conversions: wasm2js rejects them. And some compilers compute the address of a field
  // once: an offset from its struct's is as good.
  const lower = sh`--all-features --llvm-nontrapping-fptoint-lowering --low-memory-unused
    --optimize-added-constants-propagate -Oz --converge`;
  const numbers = name === 'machines' ? of('numbers.wat') : undefined;
  const passes = [
    optimised('-Oz', compiled(target), of('small.wasm'), ['--converge']),
    through(of('small.wasm'), graph, rootsOf),
    binaryen('wasm-metadce', of('small.wasm'), of('reached.wasm'), ['--graph-file', graph]),
    optimised('-Oz', of('reached.wasm'), file, ['--converge']),
    ...(numbers
      ? [binaryen('wasm-dis', file, of('text.wat')), through(of('text.wat'), numbers, withNumbers, 'utf8')]
      : []),
    binaryen('wasm-opt', numbers ?? file, of('lowered.wasm'), lower),
    binaryen('wasm2js', of('lowered.wasm'), of('wasm2js.js'), ['--all-features', '-Oz']),
    through(of('wasm2js.js'), made, moduleOf, 'utf8'),
  ];
  return runPasses(log, compiled(target), work, [file, made], passes);
}

/** The wasm file of `rejitter-lab`, with wasm-bindgen's glue for bundlers. */
function bindLab(log) {
  const input = compiled(lab.target, LAB.crate);
  const file = (name) => join(lab.folder, name);
  const passes = [
    // The one target whose glue neither loads nor compiles anything itself.
    command(sh`${wasmTool('wasm-bindgen')} ${input} --target bundler --no-typescript --remove-producers-section
      --remove-name-section --out-dir ${lab.folder} --out-name lab`),
    optimised('-O3', file('lab_bg.wasm'), file('optimised.wasm')),
    through(file('optimised.wasm'), lab.file, untraceable, 'latin1'),
    script('notices.mjs', file('THIRD-PARTY-NOTICES')),
  ];
  return runPasses(log, input, lab.folder, [lab.file], passes);
}

/** The passes depend on this besides their input and command lines. */
const RECIPE = [
  'Cargo.lock',
  'xtask/npm/package-lock.json',
  ...['artefacts', 'javascript', 'machines', 'notices', 'wasm'].map((name) => `xtask/npm/${name}.mjs`),
];

/**
 * Runs the passes that make `results` from `input` in the folder `work`, unless neither the input nor anything else
 * that the result depends on has changed.
 */
async function runPasses(log, input, work, results, passes) {
  const recipe = [...passes.flatMap(({ line = [] }) => line), ...RECIPE.map((file) => textOf(inRoot(file)))].join();
  const key = createHash('sha256').update(readFileSync(input)).update(recipe).digest('hex');
  const sizes = () => results.map((file) => `${basename(file).replace(/\..*/, '')} ${sizeOf(file)}`).join(', ');
  if (results.every((file) => existsSync(file)) && textOf(join(work, 'key')) === key) {
    log.note = `${sizes()}, nothing changed`;
    return;
  }
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const pass of passes) await ('line' in pass ? log.run(pass) : pass.write());
  // Last: a run that was cut off is done again.
  writeFileSync(join(work, 'key'), key);
  log.note = sizes();
}

/** The version of both packages and crates. */
export const version = () =>
  /^version = "(.*)"/m.exec(readFileSync(inRoot('crates/rejitter/Cargo.toml'), 'utf8'))?.[1] ?? '';

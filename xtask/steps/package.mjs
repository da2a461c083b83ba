// The npm package: its wasm files, assembled with the driver and the entries, packed.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { cargo, cargoOf, command, sh } from '../run/command.mjs';
import { fromRoot, inRoot, inTarget, npmTool, pkg, root, tarball, wasmTool } from '../run/places.mjs';
import { NPM_OF_BUILD, TARGET, WASM_BINDGEN, WASM_TARGET, textOf } from './setup.mjs';

/** The package is built and packed. */
export const PACK = 'pack';

/** @typedef {import('../run/command.mjs').Command} Command */
/** @typedef {import('../run/run.mjs').Log} Log */

/** A script of `xtask/npm`. @param {string} name @param {string[]} args */
export const script = (name, ...args) => command(['node', inRoot('xtask/npm', name), ...args], { dir: root });

/**
 * A wasm file of numeric functions.
 * @param {string} name
 * @param {string} feature that exports them
 * @param {string} [toolchain] another one
 */
function thin(name, feature, toolchain) {
  // A separate folder: the other builds of the same crate have the same file name.
  const target = inTarget(['thin', ...(name === 'core' ? [] : [name]), ...(toolchain ? [toolchain] : [])].join('-'));
  const work = join(target, 'shrink');
  const compiled = join(target, WASM_TARGET, 'release/rejitter_wasm.wasm');
  return {
    name,
    feature,
    toolchain,
    target,
    work,
    compiled,
    file: `${work}/${name}.wasm`,
    script: `${work}/${name}.js`,
  };
}
/** @typedef {ReturnType<typeof thin>} Thin */

/** The numeric decision functions, which the npm package has as wasm and as JavaScript. */
export const core = thin('core', 'driver');
/** The waits of `rejitter/light`, which it has as JavaScript alone. */
export const light = thin('light', 'light-exports');
/** The machines of protection, which it has as JavaScript alone. @param {string} [toolchain] */
export const machines = (toolchain) => thin('machines', 'protection-exports', toolchain);
/** `lab.wasm` and its glue, `lab_bg.js`. */
export const lab = { target: inTarget('lab'), folder: inTarget('lab/bound') };

/** @type {import('../run/run.mjs').Step[]} */
export const steps = [
  { name: 'thin wasm: compile', needs: [TARGET], setUp: (log) => compileThin(log, core) },
  { name: 'thin wasm: shrink', needs: ['thin wasm: compile', NPM_OF_BUILD], setUp: (log) => shrink(log, core) },
  { name: 'waits of light: compile', needs: [TARGET], setUp: (log) => compileThin(log, light) },
  {
    name: 'waits of light: as JavaScript',
    needs: ['waits of light: compile', NPM_OF_BUILD],
    setUp: (log) => shrink(log, light),
  },
  { name: 'machines: compile', needs: [TARGET], setUp: (log) => compileThin(log, machines()) },
  {
    name: 'machines: as JavaScript',
    needs: ['machines: compile', NPM_OF_BUILD],
    setUp: (log) => shrink(log, machines()),
  },
  // A fifth smaller than at level 2, and as fast where it matters.
  { name: 'lab wasm: compile', needs: [TARGET], setUp: (log) => compile(log, 'lab-exports', lab.target) },
  {
    name: 'lab wasm: bind and optimise',
    needs: ['lab wasm: compile', WASM_BINDGEN, NPM_OF_BUILD],
    setUp: bindLab,
  },
  {
    name: 'assemble',
    needs: [
      'thin wasm: shrink',
      'waits of light: as JavaScript',
      'machines: as JavaScript',
      'lab wasm: bind and optimise',
    ],
    async setUp(log) {
      await log.run(assembly(machines().script, pkg));
      log.note = `${fromRoot(pkg)} ${version()}`;
    },
  },
  {
    name: PACK,
    needs: ['assemble'],
    async setUp(log, { listFiles }) {
      const list = listFiles ? ['--list'] : [];
      const printed = await log.run(script('pack.mjs', ...sh`--package ${pkg} --out ${dirname(tarball)}`, ...list));
      log.report = `${printed}  ${fromRoot(tarball)}\n`;
    },
  },
];

/**
 * Compiles the crate to wasm without its default features.
 * @param {Log} log
 * @param {string} feature
 * @param {string} target
 * @param {{ toolchain?: string, link?: string[] }} [more]
 */
async function compile(log, feature, target, { toolchain, link = [] } = {}) {
  // With an rlib besides, cargo would leave link-time optimization out.
  const line = sh`rustc --release --lib --crate-type=cdylib --no-default-features --target ${WASM_TARGET}
    --target-dir ${target} --features ${feature} --config profile.release.opt-level='s' ${link}`;
  const more = { remedy: "see the compiler's message in the log" };
  await log.run(toolchain ? cargoOf(toolchain, line, more) : cargo(line, more));
  log.note = sizeOf(join(target, WASM_TARGET, 'release/rejitter_wasm.wasm'));
}

/**
 * Half a kilobyte smaller than at level 2, and as fast for one call per failure. A stack of 4 kB lets the memory be one
 * page: without this it is 17. Older compilers do without bulk memory, and call a function that fills it byte by byte.
 * @param {Log} log
 * @param {Thin} thin
 */
export const compileThin = (log, { feature, target, toolchain }) =>
  compile(log, feature, target, {
    toolchain,
    link: sh`-- -C link-arg=-zstack-size=4096 -C target-feature=+bulk-memory`,
  });

/** @param {string} file */
const sizeOf = (file) => `${statSync(file).size} bytes`;

/**
 * A tool of Binaryen, which makes one wasm file, or text, of another. Listed are the features that the wasm target of
 * Rust switches on, because `--all-features` writes files that no engine accepts.
 * @param {string} tool
 * @param {string} from
 * @param {string} to
 * @param {string[]} [options]
 */
const binaryen = (tool, from, to, options = []) =>
  command(sh`${npmTool(tool)} ${from} ${options} --enable-bulk-memory --enable-bulk-memory-opt --enable-mutable-globals
    --enable-nontrapping-float-to-int --enable-sign-ext --enable-reference-types --enable-multivalue -o ${to}`);

/** Makes a wasm file smaller, and takes out what only people read. @type {typeof binaryen} */
const optimised = (level, from, to, options = []) =>
  binaryen('wasm-opt', from, to, sh`${level} ${options} --strip-debug --strip-producers --strip-target-features`);

/** Makes a thin build smaller, and JavaScript of it. @param {Log} log @param {Thin} thin */
export function shrink(log, thin) {
  const file = (/** @type {string} */ name) => join(thin.work, name);
  const graph = file('graph.json');
  const passes = [
    optimised('-Oz', thin.compiled, file('small.wasm'), ['--converge']),
    script('roots.mjs', file('small.wasm'), graph),
    binaryen('wasm-metadce', file('small.wasm'), file('reached.wasm'), ['--graph-file', graph]),
    optimised('-Oz', file('reached.wasm'), thin.file, ['--converge']),
    script('roots.mjs', '--check', thin.file, graph),
  ];
  // The core: functions of numbers, made at the first call. The waits of light: the same, each by itself. The machines:
  // functions of arrays, the addresses of states.
  const module = thin.name === 'machines' ? 'machines.mjs' : 'javascript.mjs';
  const alone = thin.name === 'light' ? ['--alone'] : [];
  let form = thin.file;
  if (thin.name === 'machines') {
    form = file('numbers.wat');
    passes.push(binaryen('wasm-dis', thin.file, file('text.wat')));
    passes.push(script(module, '--numbers', file('text.wat'), form));
  }
  // JavaScript has no saturating conversions: wasm2js rejects them. And some compilers compute the address of a field
  // once: an offset from its struct's is as good.
  const lower = sh`--all-features --llvm-nontrapping-fptoint-lowering --low-memory-unused
    --optimize-added-constants-propagate -Oz --converge`;
  passes.push(
    binaryen('wasm-opt', form, file('lowered.wasm'), lower),
    binaryen('wasm2js', file('lowered.wasm'), file('wasm2js.js'), ['--all-features', '-Oz']),
    script(module, ...alone, file('wasm2js.js'), thin.script),
  );
  return runPasses(log, thin.compiled, thin.work, [thin.file, thin.script], passes);
}

/** The wasm file of `rejitter/lab`, with wasm-bindgen's glue for bundlers. @param {Log} log */
function bindLab(log) {
  const compiled = join(lab.target, WASM_TARGET, 'release/rejitter_wasm.wasm');
  const file = (/** @type {string} */ name) => join(lab.folder, name);
  const passes = [
    // The one target whose glue neither loads nor compiles anything itself.
    command(sh`${wasmTool('wasm-bindgen')} ${compiled} --target bundler --no-typescript --remove-producers-section
      --remove-name-section --out-dir ${lab.folder} --out-name lab`),
    optimised('-O3', file('lab_bg.wasm'), file('optimised.wasm')),
    script('untraceable.mjs', file('optimised.wasm'), file('lab.wasm')),
  ];
  return runPasses(log, compiled, lab.folder, [file('lab.wasm')], passes);
}

/** The passes depend on this besides their input and command lines. */
const RECIPE = [
  'Cargo.lock',
  'package-lock.json',
  ...['javascript', 'machines', 'roots', 'untraceable'].map((name) => `xtask/npm/${name}.mjs`),
];

/**
 * Runs the passes that make `results` from `input` in the folder `work`, unless neither the input nor anything else
 * that the result depends on has changed.
 * @param {Log} log
 * @param {string} input
 * @param {string} work
 * @param {string[]} results
 * @param {Command[]} passes
 */
async function runPasses(log, input, work, results, passes) {
  const bytes = readFileSync(input);
  const before = join(work, 'input.wasm');
  const recipe = [...passes.map(({ line }) => line.join(' ')), ...RECIPE.map((file) => textOf(inRoot(file)))].join(
    '\n',
  );
  const sizes = () => results.map((file) => `${basename(file).replace(/\..*/, '')} ${sizeOf(file)}`).join(', ');
  const unchanged = results.every((file) => existsSync(file)) && textOf(join(work, 'recipe')) === recipe;
  if (unchanged && existsSync(before) && readFileSync(before).equals(bytes)) {
    log.note = `${sizes()}, nothing changed`;
    return;
  }
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  for (const pass of passes) await log.run(pass);
  // Last: a run that was cut off is done again.
  writeFileSync(before, bytes);
  writeFileSync(join(work, 'recipe'), recipe);
  log.note = sizes();
}

/**
 * Assembles the package with these machines of protection in the folder `out`.
 * @param {string} made
 * @param {string} out
 */
export const assembly = (made, out) => ({
  ...script(
    'assemble.mjs',
    ...sh`--version ${version()} --wasm ${core.file} --light ${light.script} --machines ${made}
      --lab ${lab.folder} --out ${out}`,
  ),
  remedy: 'the message in the log names the file of pkg-template/ or src/js/ at fault',
});

/** The version of the package and of the crate. */
export const version = () =>
  /^version = "(.*)"/m.exec(readFileSync(inRoot('crates/rejitter/Cargo.toml'), 'utf8'))?.[1] ?? '';

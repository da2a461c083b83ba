// The checks of the published crates: seconds of them in `cargo xtask test`, all in `cargo xtask crate`.

import { existsSync, readdirSync } from 'node:fs';
import { parse } from 'node:path';

import { answer, cargo, cargoOf, command, sh } from '../run/command.mjs';
import { inRoot, inTarget, root, wasmTool } from '../run/places.mjs';
import { TOOL_BUILDS } from '../run/run.mjs';
import { version } from './package.mjs';
import { NODE, TARGET, WASM_BINDGEN, WASM_TARGET, textOf } from './setup.mjs';

/** The crate, published as it lies. */
const folder = inRoot('crates/rejitter');
/** The crates that are published, together, and their folders. */
export const CRATES = { rejitter: folder, 'rejitter-lab': inRoot('lab') };
const BOTH = Object.keys(CRATES)
  .map((name) => `--package ${name}`)
  .join(' ');
const programs = inRoot('tests/crate/programs');
/** Cargo locks the folder. */
const build = inTarget('crate-build');
const BUILD = 'target/crate-build';

const WASI = 'wasm32-wasip1';
const WASI_2 = 'wasm32-wasip2';
const BARE = 'thumbv7em-none-eabi';
/** The oldest compiler that the manifest allows. */
export const OLDEST = '1.85';
/** The oldest compiler, and some between it and the newest. */
const COMPILERS = [OLDEST, '1.88', '1.92'];

/** Programs that retry what the crates do whose names they have. */
const SERVICES = readdirSync(`${programs}/services/src/bin`).map((file) => parse(file).name);

/** Tools that check the crate: its features, its dependencies, its promises. */
const TOOLS = {
  'cargo-hack': '0.6.46',
  'cargo-deny': '0.20.2',
  'cargo-semver-checks': '0.51.0',
};
/** The compiler of docs.rs, which interprets tests, too. */
const NIGHTLY = 'nightly-2026-05-20';

const JUDGES = 'tools that judge the crate';
const TARGETS = "Rust's other targets";
const OLD_COMPILERS = "Rust's older compilers";

/** Where the tools of these versions are installed. */
const tools = inTarget(`crate-tools-${Object.values(TOOLS).join('-')}`);
const tool = (name) => `${tools}/bin/${name}`;

const rustup = (line) => command(line, { remedy: 'rustup must reach the server that it was set up for' });

export const steps = [
  { name: TARGETS, setUp: (log) => log.run(rustup(sh`rustup target add ${WASI} ${WASI_2} ${BARE}`)) },
  {
    name: OLD_COMPILERS,
    setUp: (log) => log.run(rustup(sh`rustup toolchain install ${COMPILERS} --profile minimal --no-self-update`)),
  },
  {
    name: JUDGES,
    group: TOOL_BUILDS,
    async setUp(log) {
      for (const [name, version] of Object.entries(TOOLS)) {
        if (existsSync(`${tools}/bin/${name}`)) continue;
        const line = sh`install --locked ${name} --version ${version} --root ${tools}`;
        await log.run(cargo(line, { remedy: "see the compiler's message in the log" }));
      }
      const components = sh`--profile minimal --no-self-update --component miri,rust-src`;
      await log.run(rustup(sh`rustup toolchain install ${NIGHTLY} ${components}`));
    },
  },
];

const env = { CARGO_TARGET_DIR: build };
const manifestOf = (crate) => `${CRATES[crate]}/Cargo.toml`;
const STRICT = { ...env, RUSTDOCFLAGS: '-D warnings' };

/** Cargo in the crate. */
const inCrate = (line, more) => cargo(line, { dir: folder, env, ...more });
/** Cargo on both crates, in the workspace. */
export const ofBoth = (line, more) => cargo(`${line} ${BOTH}`, { env, ...more });
/** Cargo in the workspace of the programs. */
const ofPrograms = (line) => cargo(line, { dir: programs, env });

/** Builds a program to wasm. */
const wasmProgram = (name, target) => ofPrograms(`build --package ${name} --target ${target}`);
const wasmFile = (name, target) =>
  `${build}/${target}/debug/${target === WASM_TARGET ? name.replaceAll('-', '_') : name}.wasm`;
/** Runs the program's script of tests/crate on its wasm file. */
const wasmScript = (name, target) =>
  command(sh`node --no-warnings ${inRoot(`tests/crate/${name}.mjs`)} ${wasmFile(name, target)}`);

/** Looks for the host's function for panics in the program that was built last. */
const ofWithoutPanic = (...more) => {
  const file = `${build}/${WASM_TARGET}/release/without_panic.wasm`;
  return command(sh`node ${inRoot('tests/crate/without-panic.mjs')} ${file} ${more}`);
};

const step = (name, needs, commands, runner) => {
  return { name: `crate: ${name}`, needs, group: BUILD, commands, runner };
};

/** The features of a crate that docs.rs builds, by the manifest. */
function featuresOfDocs(crate) {
  const { packages } = JSON.parse(
    answer(sh`cargo metadata --no-deps --format-version 1 --manifest-path ${manifestOf(crate)}`),
  );
  const { features } = packages.find(({ name }) => name === crate).metadata.docs.rs;
  return features ? `--features ${features.join()}` : '';
}

/**
 * Cargo packs a crate with a warning, too. That the tests of the lab stay here is meant. For Cargo, a version of the
 * registry that it makes for both never changes: what it unpacked and built of it before has to go.
 */
const WITHOUT_WARNINGS =
  `rm -rf "\${CARGO_HOME:-$HOME/.cargo}"/registry/src/-*/rejitter-[0-9]*; cargo clean --quiet ${BOTH}; ` +
  `out=$(cargo package ${BOTH} --allow-dirty 2>&1); code=$?; echo "$out"; ` +
  'case $(echo "$out" | grep -v "warning: ignoring test") in *warning*) exit 1 ;; esac; exit $code';

const daily = [
  step('no standard library', [], [inCrate('clippy --quiet --lib --no-default-features -- -D warnings')]),
  step(
    'wasm without JavaScript',
    [TARGET, NODE],
    [wasmProgram('without-javascript', WASM_TARGET), wasmScript('without-javascript', WASM_TARGET)],
  ),
  step(
    'decisions without a panic',
    [TARGET, NODE],
    [
      ofPrograms(`build --release --package without-panic --target ${WASM_TARGET}`),
      ofWithoutPanic(),
      ofPrograms(`build --release --package without-panic --features control --target ${WASM_TARGET}`),
      ofWithoutPanic('control'),
    ],
  ),
].map((each) => ({ ...each, quick: true }));

/** The steps of `cargo xtask test`. */
export const testSteps = [
  step('packaged without warnings', [], [command(['sh', '-c', WITHOUT_WARNINGS], { dir: root, env })]),
  ...daily,
];

/** No feature, each alone, each pair, and all, natively or for a target; there, perhaps some alone. */
const features = (target, some) => {
  const set = sh`--feature-powerset --depth 2 --exclude-features default`;
  const more = [...(target ? ['--target', target] : []), ...(some ? ['--include-features', some] : [])];
  const hack = sh`${tool('cargo-hack')} hack ${set} clippy --quiet --lib ${more} -- -D warnings`;
  return step(`features, ${target ?? 'native'}`, [JUDGES, TARGET, TARGETS], [command(hack, { dir: folder, env })]);
};

/** The newest version that a changelog gives a date, but for the one in hand. */
export const lastReleased = (changelog, own) =>
  Array.from(changelog.matchAll(/^## \[([\d.]+)\] - \d/gm), ([, version]) => version).find((each) => each !== own);

/** The steps of `cargo xtask crate`. */
export const allSteps = [
  ...testSteps,
  ...[undefined, WASM_TARGET, WASI, WASI_2].map((target) => features(target)),
  // Those that need no standard library.
  features(BARE, 'http,async'),
  step(
    "on embassy's timers",
    [TARGETS],
    [ofPrograms(`build --package embassy --target ${BARE}`), ofPrograms('test --package embassy')],
  ),
  step('dependencies', [JUDGES], () => {
    const config = inRoot('xtask/deny.toml');
    const deny = sh`${tool('cargo-deny')} --all-features --config ${config} check bans licenses sources`;
    return Object.values(CRATES).map((dir) => command(deny, { dir }));
  }),
  step(
    'the core, interpreted',
    [JUDGES],
    () => {
      // Not what tries millions of numbers: that would take hours.
      const line = 'miri test --lib -- core:: --skip elementary --skip random';
      return [cargoOf(NIGHTLY, line, { dir: folder, env: { CARGO_TARGET_DIR: `${build}/miri` } })];
    },
    'cargo',
  ),
  // In a folder, as in a workspace or with a path: cargo caps the lints of what it downloads alone.
  step('older compilers', [OLD_COMPILERS], () => [
    ...COMPILERS.map((each) => cargoOf(each, `check --all-features ${BOTH}`, { env })),
    // The oldest one builds what is packed, too. It packs one crate at a time, of which the other needs a published
    // one.
    cargoOf(OLDEST, 'package --allow-dirty --all-features', { dir: folder, env }),
  ]),
  // A link to an item that only some targets have breaks on the others.
  step('documentation', [TARGET], () =>
    ['', ` --target ${WASM_TARGET}`].map((on) => ofBoth(`doc --no-deps --all-features${on}`, { env: STRICT })),
  ),
  step("next to a user's exports", [TARGET, NODE, WASM_BINDGEN], () => {
    const out = `${build}/own-exports`;
    const wasm = wasmFile('own-exports', WASM_TARGET);
    return [
      wasmProgram('own-exports', WASM_TARGET),
      command(sh`${wasmTool('wasm-bindgen')} ${wasm} --target experimental-nodejs-module --out-dir ${out}`),
      command(sh`node ${inRoot('tests/crate/own-exports.mjs')} ${`${out}/own_exports.js`}`),
    ];
  }),
  step('public names, as docs.rs builds them', [NODE, JUDGES], () => {
    const env = { CARGO_TARGET_DIR: `${build}/docs.rs`, RUSTDOCFLAGS: '-D warnings --cfg docsrs' };
    const remedy = 'if the change is meant, run it again with REJITTER_WRITE_NAMES=1';
    return Object.entries(CRATES).flatMap(([crate, dir]) => {
      const pages = `${build}/docs.rs/doc/${crate.replace('-', '_')}`;
      return [
        cargoOf(NIGHTLY, `doc --no-deps ${featuresOfDocs(crate)}`.trim(), { dir, env }),
        command(sh`node ${inRoot('tests/crate/public-names.mjs')} ${pages} ${`${crate}.txt`}`, { remedy }),
      ];
    });
  }),
  step('what its version promises', [JUDGES], () => {
    const released = lastReleased(textOf(inRoot('CHANGELOG.md')) ?? '', version());
    // The first release has nothing to keep: compared with itself, it shows that the tool reads the crate.
    const baseline = (dir) => (released === undefined ? ['--baseline-root', dir] : ['--baseline-version', released]);
    return Object.entries(CRATES).map(([crate, dir]) => {
      const semver = sh`${tool('cargo-semver-checks')} semver-checks --all-features --manifest-path ${manifestOf(crate)}`;
      return command([...semver, ...baseline(dir)], { env });
    });
  }),
  step(
    'with other crates',
    [],
    SERVICES.map((name) => ofPrograms(`run --package services --bin ${name}`)),
  ),
  step('the rows of the migration from other crates', [], [cargo('test --package rejitter-bench')], 'cargo'),
  step('WASI', [TARGETS, NODE], [wasmProgram('wasi', WASI), wasmScript('wasi', WASI)]),
];

// `cargo xtask release --rehearse`: publishes the files of a release to registries on the loopback, by the script that
// the workflow runs, installs both packages and both crates from there, runs their READMEs, and publishes again.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';

import { inRoot, target } from '../run/places.mjs';
import { startCrates } from './crates.mjs';
import { FOLDER } from './files.mjs';
import { startNpm } from './npm.mjs';

const run = promisify(execFile);
const PUBLISH = join(import.meta.dirname, 'publish.mjs');
const REGISTRIES = ['npm', 'crates'];

const version = readFileSync(join(FOLDER, 'VERSION'), 'utf8').trim();
const folder = mkdtempSync(join(target, 'rehearsal-'));
const inFolder = (...parts) => join(folder, ...parts);
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** Writes files, by path, into a folder of the rehearsal. Returns the folder. */
function project(name, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(inFolder(name, path)), { recursive: true });
    writeFileSync(inFolder(name, path), text);
  }
  return inFolder(name);
}

const start = performance.now();
const say = (what) => console.log(`${String(Math.round((performance.now() - start) / 1000)).padStart(4)} s  ${what}`);

/** Nothing of the machine's own settings and caches is used, or changed. */
function settings(npm, crates) {
  project('npm', { '.npmrc': `${npm.url.slice('http:'.length)}:_authToken=rehearsal\n` });
  project('cargo', {
    'config.toml': `[source.crates-io]\nreplace-with = "rehearsal"\n
[registries.rehearsal]\nindex = "sparse+${crates.url}"\ntoken = "rehearsal"\n
[registry]\ndefault = "rehearsal"\n`,
  });
  return {
    ...env,
    ...{ npm_config_registry: npm.url, npm_config_userconfig: inFolder('npm/.npmrc') },
    ...{ npm_config_cache: inFolder('npm/cache'), CARGO_HOME: inFolder('cargo') },
    ...{ CARGO_TARGET_DIR: inFolder('target'), NODE_TEST_CONTEXT: undefined },
  };
}

/** Publishes to both, and checks how many packages the script says it published, and found. */
async function publish(environment, files, ...counts) {
  for (const registry of REGISTRIES) {
    const { stdout } = await run('node', [PUBLISH, registry, files], { cwd: inRoot(), env: environment });
    const found = ['is published now', 'is there'].map((words) => stdout.split(words).length - 1);
    assert.deepEqual(found, counts, stdout);
  }
}

/** A file that is not what the registry has must be an error. */
async function refusesOthers(environment) {
  const others = project('others', { VERSION: `${version}\n` });
  for (const [registry, file] of [
    ['npm', 'rejitter.tgz'],
    ['crates', `rejitter-${version}.crate`],
  ]) {
    writeFileSync(join(others, file), 'other bytes');
    const published = run('node', [PUBLISH, registry, others], { cwd: inRoot(), env: environment });
    await assert.rejects(published, /rejitter [\d.]+ must be what was built, got other bytes/);
  }
}

/** Installs both npm packages, and runs the samples of their READMEs on what the registry sends. */
async function npmPackages(environment) {
  const names = ['rejitter', 'rejitter-lab'];
  const cwd = project('consumer', { 'package.json': '{ "private": true, "type": "module" }' });
  const options = { cwd, env: environment };
  // The peer comes with it.
  await run('npm', ['install', 'rejitter-lab'], options);
  const lines = names.map((name, i) => `import * as _${i} from '${name}'; console.log(Object.keys(_${i}).length);`);
  const { stdout } = await run('node', ['--input-type=module', '--eval', lines.join('\n')], options);
  assert.match(stdout, /^\d{2,}\n\d{2,}\n$/);
  const tarballs = {};
  for (const name of names) {
    const packed = await run('npm', ['pack', '--silent', `${name}@${version}`], options);
    tarballs[name] = join(cwd, packed.stdout.trim());
    assert.deepEqual(readFileSync(tarballs[name]), readFileSync(join(FOLDER, `${name}.tgz`)));
  }
  const ofRegistry = {
    ...{ REJITTER_TARBALL: tarballs.rejitter, REJITTER_LAB_TARBALL: tarballs['rejitter-lab'] },
    REJITTER_TARGET_DIR: inFolder('target'),
  };
  const SAMPLES = { 'tests/package/docs/documents.test.mjs': 2, 'lab/tests/samples.test.mjs': 1 };
  for (const [file, least] of Object.entries(SAMPLES)) {
    const args = ['--test', '--test-reporter=tap', '--test-name-pattern=README.md, block', inRoot(file)];
    const tests = await run('node', args, { cwd, env: { ...environment, ...ofRegistry } });
    const passed = Number(/^# pass (\d+)$/m.exec(tests.stdout)?.[1]);
    assert.ok(passed >= least, tests.stdout);
  }
}

/** Builds a program with both crates, whose documentation has the samples of their READMEs. */
async function bothCrates(environment) {
  const cwd = project('program', {
    'Cargo.toml': `[workspace]\n[package]\nname = "program"\nedition = "2024"\n
[dependencies]\nrejitter-lab = "${version}"\nrejitter = { version = "${version}", features = ["tokio"] }\n`,
    'src/lib.rs':
      '#[doc = include_str!("rejitter.md")]\npub mod a {}\n#[doc = include_str!("rejitter-lab.md")]\npub mod b {}\n',
  });
  const options = { cwd, env: environment, maxBuffer: 2 ** 28 };
  const { stdout } = await run('cargo', ['metadata', '--format-version', '1'], options);
  for (const name of ['rejitter', 'rejitter-lab']) {
    const { manifest_path } = JSON.parse(stdout).packages.find((crate) => crate.name === name);
    assert.ok(manifest_path.startsWith(inFolder('cargo')), manifest_path);
    copyFileSync(join(dirname(manifest_path), 'README.md'), join(cwd, 'src', `${name}.md`));
  }
  const tests = await run('cargo', ['test', '--doc'], options);
  assert.match(tests.stdout, /test result: ok\. [3-9] passed; 0 failed/);
}

const npm = await startNpm(project('npm', { htpasswd: '' }));
const crates = await startCrates();
const environment = settings(npm, crates);
say('checksums');
await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: FOLDER });
say('a run that breaks after the first package of each registry');
await run('npm', ['publish', '--access', 'public', join(FOLDER, 'rejitter.tgz')], { env: environment });
const first = ['publish', '--package', 'rejitter', '--no-verify', '--allow-dirty'];
await run('cargo', first, { cwd: inRoot(), env: environment });
say('the next run publishes the second');
await publish(environment, FOLDER, 1, 1);
say('npm packages: install, READMEs');
await npmPackages(environment);
say('crates: build, READMEs');
await bothCrates(environment);
say('another run publishes nothing');
await publish(environment, FOLDER, 0, 2);
await refusesOthers(environment);
say('nothing is left');
npm.close();
crates.close();
process.exit();

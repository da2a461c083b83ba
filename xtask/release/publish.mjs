// Publishes the files of a release, those that `cargo xtask release --dry-run` made: both npm packages, or both crates.
// A second run publishes what is missing, and nothing else. It imports no package, because it runs with the right to
// publish.
//
//   node xtask/release/publish.mjs npm|crates FOLDER

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Both in npm and as crates. The second one needs the first. */
const NAMES = ['rejitter', 'rejitter-lab'];

const run = (program, args, more) => execFileSync(program, args, { encoding: 'utf8', ...more });
const digest = (algorithm, bytes, encoding) => createHash(algorithm).update(bytes).digest(encoding);

/** Runs a question. Returns the output, or `undefined` if the error is that there is no such version. */
function ask(program, args, missing, more) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', ...more });
  if (status === 0) return stdout;
  if (missing.test(stdout + stderr)) return undefined;
  throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`);
}

/** Calls `act` in a temporary folder. */
function inFolder(act) {
  const folder = mkdtempSync(join(tmpdir(), 'release-'));
  try {
    return act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const npm = {
  fileOf: (name) => `${name}.tgz`,
  hashOf: (bytes) => `sha512-${digest('sha512', bytes, 'base64')}`,
  /** An old version that is not there is an empty answer; a name that is not there, an error. */
  published: (name, version) =>
    ask('npm', ['view', `${name}@${version}`, 'dist.integrity', '--prefer-online'], /\bE404\b/)?.trim() || undefined,
  publish: ({ file }) => run('npm', ['publish', '--access', 'public', file], { stdio: 'inherit' }),
};

const crates = {
  fileOf: (name, version) => `${name}-${version}.crate`,
  hashOf: (bytes) => digest('sha256', bytes, 'hex'),
  /** Cargo writes the hash of what it finds into a lock file. */
  published: (name, version) =>
    inFolder((cwd) => {
      const dependency = `${name} = { version = "=${version}", default-features = false }`;
      const manifest = `[package]\nname = "asks"\nedition = "2024"\n\n[dependencies]\n${dependency}\n`;
      mkdirSync(join(cwd, 'src'));
      writeFileSync(join(cwd, 'src/lib.rs'), '');
      writeFileSync(join(cwd, 'Cargo.toml'), manifest);
      const missing = /no matching package named|failed to select a version for the requirement/;
      if (ask('cargo', ['generate-lockfile'], missing, { cwd }) === undefined) return undefined;
      const lock = readFileSync(join(cwd, 'Cargo.lock'), 'utf8');
      return new RegExp(`name = "${name}"\nversion = .*\nsource = .*\nchecksum = "(.*)"`).exec(lock)?.[1];
    }),
  /** Cargo packs once more. With --no-verify it builds nothing: no code of others runs with the right to publish. */
  publish: ({ name, version, hash }) =>
    inFolder((target) => {
      const args = ['--package', name, '--no-verify', '--allow-dirty', '--target-dir', target];
      run('cargo', ['package', ...args], { stdio: 'inherit' });
      const packed = crates.hashOf(readFileSync(join(target, 'package', crates.fileOf(name, version))));
      if (packed !== hash) throw new Error(`${name} ${version} must be packed as in the build: it has other bytes`);
      run('cargo', ['publish', ...args], { stdio: 'inherit' });
    }),
};

const REGISTRIES = { npm, crates };

/** Publishes each package that is not there. Returns the names of those that it published. */
export function publish(registry, folder) {
  const { fileOf, hashOf, published, publish } = REGISTRIES[registry];
  const version = readFileSync(join(folder, 'VERSION'), 'utf8').trim();
  return NAMES.filter((name) => {
    const file = join(folder, fileOf(name, version));
    const hash = hashOf(readFileSync(file));
    const there = published(name, version);
    if (there !== undefined && there !== hash)
      throw new Error(`${name} ${version} must be what was built, got other bytes in the registry: ${there}`);
    console.log(`${registry}: ${name} ${version} ${there === undefined ? 'is published now' : 'is there'}`);
    if (there === undefined) publish({ name, version, file, hash });
    return there === undefined;
  });
}

if (process.argv[1] === import.meta.filename) {
  const [registry, folder] = process.argv.slice(2);
  if (!Object.hasOwn(REGISTRIES, registry) || folder === undefined)
    throw new Error('usage: node publish.mjs npm|crates FOLDER');
  publish(registry, folder);
}

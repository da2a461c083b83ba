// A registry of crates on the loopback, for the rehearsal: a sparse index, downloads and publishing. It stands for
// crates.io, and has of it the crates of our lock file.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { buffer } from 'node:stream/consumers';

import { root } from '../run/places.mjs';

/** The path of a crate in an index. */
const pathOf = (name) => {
  if (name.length < 3) return `${name.length}/${name}`;
  return name.length === 3 ? `3/${name[0]}/${name}` : `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
};

/** A line of the index, of what `cargo metadata` tells of a crate, or `cargo publish`. */
const lineOf = (crate, cksum, dependencies) => ({
  ...{ name: crate.name, vers: crate.version ?? crate.vers, deps: dependencies, features: crate.features },
  ...{ cksum, yanked: false, links: crate.links ?? undefined, rust_version: crate.rust_version ?? undefined, v: 2 },
});

/** The name that a crate uses for another one comes first. */
const named = ({ name, rename }) => (rename ? { name: rename, package: name } : { name });

const ofMetadata = (crate, cksum) =>
  lineOf(
    crate,
    cksum,
    crate.dependencies.map(({ name, rename, req, features, optional, uses_default_features, target, kind }) => ({
      ...named({ name, rename }),
      ...{ req, features, optional, default_features: uses_default_features, target, kind: kind ?? 'normal' },
    })),
  );

const ofPublished = (crate, cksum) =>
  lineOf(
    crate,
    cksum,
    crate.deps.map(({ name, explicit_name_in_toml, version_req, registry, ...more }) => ({
      ...named({ name, rename: explicit_name_in_toml }),
      ...{ ...more, req: version_req },
    })),
  );

/** The crates by others in our lock file, as the index has them, with their files in cargo's cache. */
function ofLockFile() {
  const cargo = (...args) =>
    execFileSync(env.CARGO ?? 'cargo', [...args, '--locked'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  cargo('fetch');
  const cache = join(env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/cache');
  const files = new Map(
    readdirSync(cache, { recursive: true, encoding: 'utf8' }).map((path) => [path.split('/').pop(), join(cache, path)]),
  );
  const { packages } = JSON.parse(cargo('metadata', '--all-features', '--format-version', '1'));
  return packages
    .filter(({ source }) => source !== null)
    .map((crate) => {
      const bytes = readFileSync(files.get(`${crate.name}-${crate.version}.crate`) ?? '');
      return { bytes, line: ofMetadata(crate, sha256(bytes)) };
    });
}

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The two parts of a request to publish: a description and a file, each after its length. */
function partsOf(body) {
  const length = body.readUInt32LE(0);
  return [JSON.parse(body.subarray(4, 4 + length).toString()), body.subarray(8 + length)];
}

/** Starts the registry. Resolves with its address and what closes it. */
export async function startCrates() {
  const crates = ofLockFile();
  const answer = async (request) => {
    const path = request.url.slice(1);
    if (path === 'config.json') return JSON.stringify({ dl: `${url}dl/{crate}/{version}`, api: url.slice(0, -1) });
    if (path === 'api/v1/crates/new') {
      const [crate, bytes] = partsOf(await buffer(request));
      crates.push({ bytes, line: ofPublished(crate, sha256(bytes)) });
      return '{}';
    }
    if (path.startsWith('dl/')) {
      const [, name, version] = path.split('/');
      return crates.find(({ line }) => line.name === name && line.vers === version)?.bytes;
    }
    const lines = crates.filter(({ line }) => pathOf(line.name.toLowerCase()) === path);
    return lines.map(({ line }) => JSON.stringify(line)).join('\n') || undefined;
  };
  const server = createServer(async (request, response) => {
    const body = await answer(request);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const url = `http://127.0.0.1:${/** @type {any} */ (server.address()).port}/`;
  return { url, close: () => server.close() };
}

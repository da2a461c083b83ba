// Where things are, and what the set-up has found.

import { join, relative, resolve } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
/** All that xtask makes lies under it. A relative CARGO_TARGET_DIR counts from the checkout, where cargo was called. */
export const target = resolve(root, env.CARGO_TARGET_DIR || 'target');

export const inRoot = (...parts) => join(root, ...parts);
export const inTarget = (...parts) => join(target, ...parts);
/** A path as a reader in the checkout would write it. */
export const fromRoot = (path) => relative(root, path);

/** The two packages: assembled as folders, and packed. */
export const pkg = inTarget('pkg');
export const tarball = inTarget('pkg-tarball/rejitter.tgz');
export const labPkg = inTarget('lab-pkg');
export const labTarball = inTarget('lab-tarball/rejitter-lab.tgz');
/** A program that the lock file of the build tools pins. */
export const npmTool = (name) => inRoot('xtask/npm/node_modules/.bin', name);
/** A program of the npm packages of tests/clients. */
export const clientTool = (name) => inRoot('tests/clients/node_modules/.bin', name);
/** A tool that the lock file of the crates pins. */
export const wasmTool = (name) => inTarget('tools', name);

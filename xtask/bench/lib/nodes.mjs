// @ts-check
// The Nodes that are measured: those that npm has installed here, or the one that runs this.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Node
 * @property {string} name such as "Node 24"
 * @property {string} path
 */

const MAJORS = [20, 22, 24, 26];

/** The Node of a quick run and of the document: the newest with long-term support. */
export const MAIN = 'Node 24';

/** @returns {Node[]} */
export function nodes() {
  const found = MAJORS.map((major) => ({
    name: `Node ${major}`,
    path: fileURLToPath(new URL(`../node_modules/node-${major}/bin/node`, import.meta.url)),
  })).filter(({ path }) => existsSync(path));
  // The packages with the binaries are for Linux on x64.
  return found.length > 0 ? found : [{ name: `Node ${process.versions.node.split('.')[0]}`, path: process.execPath }];
}

/**
 * The main one, or the newest.
 * @template T
 * @param {readonly T[]} list
 * @param {(item: T) => string} nameOf
 */
export const mainOf = (list, nameOf) => list.find((item) => nameOf(item) === MAIN) ?? list[list.length - 1];

// The tables of worlds.

import { WORLDS } from './worlds.mjs';

/**
 * The name is the head of the first column.
 * @typedef {{ name: string, contenders: string[], worlds: import('./worlds.mjs').World[] }} Table
 */

const PEERS = ['cockatiel', 'opossum', 'AWS tokens'];

/** @type {Table[]} */
export const TABLES = [
  { name: 'calls', contenders: ['no protection', 'breaker()', 'all three', ...PEERS], worlds: WORLDS },
];

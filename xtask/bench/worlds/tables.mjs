// The tables of worlds.

import { ANSWERS } from './answers.mjs';
import { BATCH, CAUSES } from './causes.mjs';
import { ONE_PROCESS, TEN_PROCESSES } from './sweep.mjs';
import { WORLDS } from './worlds.mjs';

/**
 * The name is the head of the first column.
 * @typedef {{ name: string, contenders: string[], worlds: import('./worlds.mjs').World[] }} Table
 */

const OURS = ['no retries', 'no protection', 'budget()', 'breaker()', 'all three'];
const PEERS = ['cockatiel', 'opossum', 'AWS tokens'];

export const TABLES = [
  { name: 'calls', contenders: ['no protection', 'breaker()', 'all three', ...PEERS], worlds: WORLDS },
  { name: 'errors, one process', contenders: OURS, worlds: ONE_PROCESS },
  { name: 'errors, ten processes', contenders: OURS, worlds: TEN_PROCESSES },
  { name: 'outages and limits', contenders: OURS, worlds: CAUSES },
  { name: 'batch job', contenders: [...OURS, 'breaker(), cooldown()'], worlds: BATCH },
  { name: 'repeated attempts', contenders: OURS.slice(1), worlds: ANSWERS },
];

// The schedules of single policies: what the simulation needs of them.

import { pathToFileURL } from 'node:url';

import { check } from './check.mjs';
import { perform } from './perform.mjs';
import { makeSchedule } from './schedule.mjs';
import { changes } from './shrink.mjs';
import { trace } from './trace.mjs';

export const suite = { name: 'schedules', makeSchedule, perform, check, changes, trace };

/** @param {string} folder of the unpacked package */
export async function open(folder) {
  const load = (file) => import(new URL(file, `${pathToFileURL(folder)}/`).href);
  return { ...(await load('index.js')), presets: await load('presets.js') };
}

// The schedules of operations that share protections: what the simulation needs of them.

import { pathToFileURL } from 'node:url';

import { check } from './oracle.mjs';
import { perform } from './perform.mjs';
import { makeSchedule } from './schedule.mjs';
import { changes, trace } from './trace.mjs';

export const suite = { name: 'protection', makeSchedule, perform, check, changes, trace };

/** @param {string} folder of the unpacked package */
export const open = async (folder) => {
  const part = (file) => import(new URL(file, `${pathToFileURL(folder)}/`).href);
  const pkg = { ...(await part('index.js')), ...(await part('protection.js')) };
  return { ...pkg, twin: { ...(await part('index.no-wasm.js')), ...(await part('protection.no-wasm.js')) } };
};

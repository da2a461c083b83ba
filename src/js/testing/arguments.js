// @ts-check
// Numbers as arguments of the testing tools.

import { problemOf } from '../options/messages.js';

/** @type {[types: string, rule: string]} */
const MILLISECONDS = ['number', 'a finite, non-negative number of milliseconds'];
/** @type {[types: string, rule: string]} */
const COUNT = ['number', 'a non-negative integer'];

/**
 * @param {string} name
 * @param {any} ms
 */
export function requireMs(name, ms) {
  if (typeof ms !== 'number' || !(ms >= 0 && ms < Infinity)) throw problemOf(name, ms, MILLISECONDS);
}

/**
 * @param {string} name
 * @param {any} count
 */
export function requireCount(name, count) {
  if (!Number.isInteger(count) || count < 0) throw problemOf(name, count, COUNT);
}

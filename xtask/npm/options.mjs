// The table of options (crates/rejitter/src/data/table.rs): whatever lists options takes them from here.

import { readFileSync, writeFileSync } from 'node:fs';

import { inRoot } from '../run/places.mjs';

const TABLE = readFileSync(inRoot('crates/rejitter/src/data/table.rs'), 'utf8');
const ROW = /^ {12}"(\w+)" (\w+)(?:\(([^)]*)\))? \[([\w.]*)\] "([^"]*)" "([a-z ]+)";$/gm;

/**
 * @typedef {object} Option
 * @property {string} name
 * @property {string} rule
 * @property {string} range as the documents write it
 * @property {string[]} words of a rule that lists some; the first is the default
 * @property {boolean} isData
 * @property {string} standard the documented default, as code; '' if there is none
 * @property {string[]} takers the functions that take it
 */

/** Rule → the values that it allows, as the documents write them; what lists words has these. */
const RANGES = {
  milliseconds: '0 … 2^53−1',
  longest: '0 … ∞',
  limit: 'above 0 … ∞',
  idle: 'above 0 … ∞, or `{ firstMs, thenMs }`',
  factor: '1 … below ∞',
  truncate_at: 'whole 1 … 1024',
  max_attempts: 'whole 1 … ∞',
  backoff: 'a [name](formulas.md), a function, or a list of 1 to 1,000 delays',
  jitter: 'a [name](formulas.md) or an object',
  signal: 'an AbortSignal',
  function: 'a function',
  hook: 'a function',
  text: 'a string',
  seed: 'whole 0 … 2^53−1, a bigint, or a string',
  switch: 'true or false',
  protect: 'a protection or false',
  weight: 'above 0 … below ∞, or a function',
};

/** @type {Option[]} */
export const OPTIONS = [...TABLE.matchAll(ROW)].map(([, name, rule, list = '', field, standard, takers]) => {
  const words = [...list.matchAll(/"(\w+)"/g)].map(([, word]) => word);
  const range = RANGES[rule] ?? words.map((word) => `'${word}'`).join(' or ');
  return { name, rule, range, words, isData: field !== '', standard, takers: takers.split(' ') };
});

if (OPTIONS.length !== TABLE.match(/^ +".*$/gm)?.length) throw new Error('a line of the table of options is none');

/** Returns the module of JavaScript that has the options by name, each with its rule of src/js/options/rules.js. */
export function rulesModule() {
  const ruleOf = ({ rule, words, takers }) => {
    if (words.length > 0) return `/* @__PURE__ */ rules.${rule}('${words.join("', '")}')`;
    return takers.includes('retry') ? `rules.${rule.toUpperCase()}` : `rules.POLICY_${rule.toUpperCase()}`;
  };
  return [
    '// Written by `node xtask/npm/options.mjs`, of the table of all options: crates/rejitter/src/data/table.rs.',
    '',
    "import * as rules from './rules.js';",
    '',
    "/** The options by name. @type {Readonly<Record<string, import('./reader.js').Rule>>} */",
    'export const RULES = {',
    ...OPTIONS.map((option) => `  ${option.name}: ${ruleOf(option)},`),
    '};',
    '',
  ].join('\n');
}

/** `wasm-pack build` takes the modules of the driver as they lie, so this one lies there, too. */
export const MODULE = inRoot('src/js/options/table.js');

if (process.argv[1] === import.meta.filename) writeFileSync(MODULE, rulesModule());

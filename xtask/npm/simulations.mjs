// The numbers that simulations take as options. Each is described once, in Rust, by its name, type, documentation and
// default: the declarations and the names that JavaScript knows are made of these.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { inRoot } from '../run/places.mjs';

const FOLDER = inRoot('lab/src/simulation');
/** A struct that is written as such, or by the macro `options!`. */
const STRUCT = /^(?:pub struct (\w+) \{| {4}(\w+):\n)(.*?)^\}/gms;
const FIELD = /((?:^ *\/\/\/.*\n)+) +(?:pub )?(\w+): (f64|u32)(?: = .*)?,$/gm;
const DEFAULT = / ?\bDefault(?:s to|:) ([\w,.]*\w)[^.]*\./;

const camelCase = (text) =>
  text.replaceAll(/\b[a-z]+(?:_[a-z]+)+\b/g, (name) => name.replaceAll(/_(.)/g, (_, c) => c.toUpperCase()));

/** A default as JavaScript writes it. */
function literalOf(text) {
  if (text === 'infinite') return 'Infinity';
  const [whole, ...fraction] = text.split('.');
  const digits = whole.replaceAll(',', '');
  return [digits.length > 4 ? digits.replaceAll(/\B(?=(\d{3})+$)/g, '_') : digits, ...fraction].join('.');
}

/** @typedef {{ name: string, text: string, standard: string }} NumberOption */

/** Returns the numbers of the structs in a text of Rust, by the struct's name. */
export function numbersIn(code) {
  const structs = {};
  for (const [, plain, macro, body] of code.matchAll(STRUCT)) {
    structs[plain ?? macro] = [...body.matchAll(FIELD)].flatMap(([, comment, field, type]) => {
      const about = comment.replaceAll(/\s*\/\/\/ ?/g, ' ').trim();
      const standard = DEFAULT.exec(about)?.[1];
      if (standard === undefined) return [];
      const text = camelCase(about.replace(DEFAULT, '')).replaceAll(/\binfinite\b/g, 'Infinity');
      const whole = type === 'u32' ? text.replace(/\. Between (?=\d)/, ': an integer between ') : text;
      return [{ name: camelCase(field), text: whole, standard: literalOf(standard) }];
    });
  }
  return structs;
}

export const NUMBERS = numbersIn(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.rs'))
    .sort()
    .map((file) => readFileSync(join(FOLDER, file), 'utf8'))
    .join('\n'),
);

/** The member of an interface. */
const declared = ({ name, text, standard }, indent) =>
  `${indent}/** ${text} @default ${standard} */\n${indent}${name}?: number | undefined;`;

/**
 * Puts the members of a struct where an interface has an index signature with its name, as `[LoadOptions: string]:
 * unknown`, but for those that the interface declares below.
 */
export const withNumbers = (declarations) =>
  declarations.replaceAll(/^( *)\[(\w+): string\]: unknown;\n(?=([^}]*))/gm, (_, indent, struct, below) =>
    NUMBERS[struct]
      .filter(({ name }) => !below.includes(` ${name}?: `))
      .map((option) => `${declared(option, indent)}\n`)
      .join(''),
  );

/** Returns the module of the names, for lab/js/simulations.js. */
export function numbersModule() {
  const given = Object.entries(NUMBERS).filter(([, options]) => options.length > 0);
  const names = given.map(([struct, options]) => [struct, options.map(({ name }) => name)]);
  return `export const NUMBERS = ${JSON.stringify(Object.fromEntries(names))};\n`;
}

// Standard output, which steps share that run at the same time.

import { stdout } from 'node:process';
import { createInterface } from 'node:readline';

import { signalReceived, stopped } from './command.mjs';

/** Erases the line of progress, which only a terminal has. */
const ERASE = '\r\x1b[2K';
/** Lines to print once the reader has answered: they would hide the question. @type {string[] | undefined} */
let held;

/** Prints a text at once. @param {string} text */
export function say(text) {
  if (held) held.push(text);
  else stdout.write(`${stdout.isTTY ? ERASE : ''}${text}`);
}

/** Shows a text that the next one erases. A longer line would wrap, and could not be erased. @param {string} text */
export const show = (text) => held || say(text.slice(0, 78));

/** Asks the reader. A signal ends the wait for the answer. @param {string} question */
export async function confirm(question) {
  held = [];
  const reader = createInterface({ input: process.stdin, output: stdout });
  const interrupted = setInterval(() => signalReceived() && reader.close(), 50);
  const line = await new Promise((done) => {
    reader.once('close', () => done('no'));
    reader.once('SIGINT', () => process.emit('SIGINT'));
    reader.question(`${question} [Y/n] `, done);
  });
  clearInterval(interrupted);
  reader.close();
  const texts = held;
  held = undefined;
  texts.forEach(say);
  if (signalReceived()) throw stopped();
  return ['', 'y', 'yes'].includes(line.trim().toLowerCase());
}

// Edits a file of somebody else's package, by patterns. Each must be found, once: otherwise the package has changed.

import { readFileSync, writeFileSync } from 'node:fs';

/**
 * @param {string} file
 * @param {[pattern: RegExp, text: string][]} edits in their order; the text may refer to the pattern's groups
 */
export function edit(file, edits) {
  const before = readFileSync(file, 'utf8');
  let text = before;
  for (const [pattern, replacement] of edits) {
    const found = text.match(new RegExp(pattern, `${pattern.flags.replace('g', '')}g`))?.length ?? 0;
    if (found !== 1) throw new Error(`${pattern} must be in ${file} once, got ${found}`);
    text = text.replace(pattern, replacement);
  }
  writeFileSync(file, text);
  const lines = (code) => code.split('\n').length;
  return lines(text) - lines(before);
}

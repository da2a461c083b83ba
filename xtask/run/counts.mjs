// How many tests a runner says it ran.

/**
 * Skipped tests are neither passed nor failed, but not to be overlooked.
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {keyof typeof RUNNERS} Runner
 */

/** @type {(text: string, pattern: RegExp) => number} */
const sumOf = (text, pattern) =>
  Array.from(text.matchAll(pattern), ([, number]) => Number(number)).reduce((a, b) => a + b, 0);

/** Who printed the output. */
const RUNNERS = {
  /** `cargo test` and wasm-bindgen's runner: a line per test binary, progress may stand before it. */
  cargo(/** @type {string} */ output) {
    // The log has the command too.
    const lines = output.split('\n').filter((line) => !line.startsWith('$ ') && line.includes('test result: '));
    const of = (/** @type {string} */ word) => sumOf(lines.join('\n'), new RegExp(`(\\d+) ${word}\\b`, 'g'));
    return { passed: of('passed'), failed: of('failed'), skipped: of('ignored') };
  },
  /** `node --test`: the last summary, because a test that prints that of a runner of its own comes before it. */
  node(/** @type {string} */ output) {
    const of = (/** @type {string} */ word) =>
      Number([...output.matchAll(new RegExp(`^ℹ ${word} (\\d+)$`, 'gm'))].at(-1)?.[1] ?? 0);
    return { passed: of('pass'), failed: of('fail') + of('cancelled'), skipped: of('skipped') + of('todo') };
  },
  /** A command that is right or wrong as a whole. */
  check: (/** @type {string} */ _, /** @type {boolean} */ good) => ({ passed: Number(good), failed: 0, skipped: 0 }),
  /** The same, of cargo; wrong, too, if it prints a warning. */
  silent(/** @type {string} */ output, /** @type {boolean} */ good) {
    const warns = /^warning/m.test(output);
    return { passed: Number(good && !warns), failed: Number(warns), skipped: 0 };
  },
};

/**
 * A failure is never lost: a runner that died before its summary counts as one failed test.
 * @param {Runner} runner
 * @param {string} output
 * @param {boolean} good whether the commands succeeded
 * @returns {Counts}
 */
export function count(runner, output, good) {
  // Without the colours and cursor movements of terminals.
  const counts = RUNNERS[runner](output.replaceAll(/\x1b\[[^@-~]*[@-~]/g, ''), good);
  return { ...counts, failed: Math.max(counts.failed, Number(!good)) };
}

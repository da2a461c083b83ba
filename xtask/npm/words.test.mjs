import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { PHRASES, problemsIn } from './words.mjs';

/** For each phrase, a file and a line with it. */
const SAMPLES = [
  ['a.rs', '/// Of which attempt the record is.'],
  ['a.mjs', "test('what is thrown stays', () => {});"],
  ['a.js', '// The hook is told of the error.'],
  ['a.ts', '/** The default, unless another is given. */'],
  ['a.md', 'A function judges each response.'],
  ['a.css', '/* The value is no colour. */'],
  ['a.js', "throw new Error('wait for it: there is none');"],
  ['a.js', '// It handles at most so many events.'],
  ['a.js', '// The signal is looked at.'],
  ['a.html', '<p>Nobody gives up.</p>'],
  ['a.js', '// It takes the place of the curve.'],
  ['a.rs', 'let text = "an attempt under way"; // text'],
  ['a.js', 'run(); // It begins.'],
  ['a.js', '// The error comes out.'],
  ['a.js', '// No retry mends it.'],
  ['a.js', 'const text = `baseMs is ${value}; it must be a number`;'],
  ['a.js', '// The option is refused.'],
  ['a.js', '// The predicate is asked.'],
  ['a.md', 'In 95 % of the runs.'],
  ['a.md', 'After 10 000 ms.'],
  ['package-lock.json', '"resolved": "https://registry.npmjs.org/a/-/a-1.0.0.tgz"'],
];

describe('words', () => {
  test('finds each phrase in a comment, a string, a title or a page', () => {
    const found = SAMPLES.map(([path, line]) => problemsIn(path, line));
    for (const [i, problems] of found.entries()) assert.equal(problems.length, 1, SAMPLES[i][1]);
    const advice = new Set(found.flat().map((problem) => problem.replace(/^.*?”: /, '')));
    assert.deepEqual(advice, new Set(PHRASES.map(([, instead]) => instead)));
  });

  test('accepts names in code, other meanings, and the middle of a comment', () => {
    for (const line of [
      'if (asked) told.push(story.begin);',
      "const kind = 'refused';",
      '// A connection was refused.',
      "// An event of the type 'refused'.",
      '// assert_eq!(api.status().budget.unwrap().refused, 1);',
      'assert!(begun.len() > 10, "they came back at once: {begun:?}");',
      '// There is no limit.',
      '/// Number of runs. Between 1 and 100.',
      '// It ends the call with what it threw.',
      '// First line of a sentence\n// As in C, the rest follows.',
    ])
      assert.deepEqual(problemsIn('a.mjs', line), [], line);
  });

  test('accepts source text in planted bugs, and checks their names', () => {
    const path = 'tests/package/protection/mutants.mjs';
    assert.deepEqual(problemsIn(path, `[gate, 'const judged = done ||', '${'done || '.repeat(20)}'],`), []);
    assert.equal(problemsIn(path, "plant('a retry is refused', 'P2', [").length, 1);
  });

  test('limits the columns of lines that can break', () => {
    assert.deepEqual(problemsIn('a.mjs', `// ${'word '.repeat(24)}`), [
      'a.mjs:1: a line must have at most 120 columns, got 123',
    ]);
    assert.deepEqual(problemsIn('a.mjs', ` * @property {(${'operation: any, '.repeat(8)}) => void} ended`), []);
    assert.deepEqual(problemsIn('a.md', `| ${'word '.repeat(30)}|`), []);
    assert.deepEqual(problemsIn('a.md', `See https://example.com/ ${'word '.repeat(30)}`), []);
  });
});

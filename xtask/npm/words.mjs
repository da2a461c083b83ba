// Checks the words of the repository: `node xtask/npm/words.mjs [folder]` lists lines that are too long, and phrases
// that were replaced everywhere, in comments, strings and pages.

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const COLUMNS = 120;

const CODE = ['.rs', '.js', '.mjs', '.cjs', '.ts', '.css'];
const PAGES = ['.md', '.html'];
const SKIPPED = ['node_modules', 'target', 'dist'];

/** This list of phrases, and its test, which has each of them. */
const ITSELF = /(^|\/)words(\.test)?\.mjs$/;

/**
 * Lines that cannot break: rows of tables, regular expressions, addresses, tags with one long value, type expressions,
 * and files in which an expected compiler error must be on the next line.
 */
const UNBREAKABLE = [
  /^\|/,
  /^\s*\/.*\/\w*[;,)]*$/,
  /https?:\/\//,
  /\S{100}/,
  /^ *<(meta|link|svg)\b/,
  /^\s*(\* |\/\*\* )?@(typedef|returns|param|type) \{/,
];
const UNBROKEN_FILES = [/^tests\/package\/types\//, /^tests\/package\/schedules\/mutants\.mjs$/, /^CHANGELOG\.md$/];

/** Phrases, and the words to use. `in`: only in texts of these kinds. */
const PHRASES = [
  [/^(?:Of|By which|What|Beside|Between(?! \d)|As) /, 'begin with the subject, or with a verb', 'opening'],
  [/^(?:what|who|that|those|of|by|nobody|nothing)\b/, 'begin with the behaviour', 'title'],
  [/\b[Tt]old\b|\btells? (?:the|of|about|it|what|how|whether|when|its)\b/, 'notify, report, show, receive'],
  [/\bunless (?:\S+ )?(?:is |was |are )?given\b|\b(?:is|are|was|were|if|not) given\b/, 'set, passed'],
  [/\bjudg(?:e|es|ed|ing)\b/, 'decide, classify'],
  [
    /(?<![Tt]here )\b(?:is|are|was|were|be) (?:none|no (?!longer|more|less|later|earlier|wider)[a-z]+)\b/,
    'is not a …, is unset, is invalid',
  ],
  [/\bthere (?:is|are) none\b/, 'unset, missing'],
  [/\bso (?:many|much|long)\b(?! (?:as|that|waits are)\b)/, 'this many, the number, the time'],
  [/\blook(?:s|ed|ing)? (?:at|whether)\b/, 'check, read'],
  [/\b(?:whoever|somebody|everybody|nobody|those who)\b/i, 'name the actor'],
  [/\bin the place of\b|\btak(?:es?|ing) the place of\b/, 'replaces, instead of'],
  [
    /\bunder way\b|\banew\b|\blikewise\b|\bmeanwhile\b|\bin vain\b|\bon the average\b|\bbeside\b/i,
    'running, again, too, next to',
  ],
  [/\b(?:is|are|was|were) (?:begun|over|spent)\b|\bbeg(?:ins?|inning|un)\b/, 'start, end'],
  [/\bcomes? (?:out|on top)\b|\blet(?:s|ting)? go of\b|\bgives? back\b/, 'is returned, cancels, releases'],
  [
    /\bnonsense\b|\bmends?\b|\bgood enough\b|\b(?:does|do) not act\b|\bnever acts\b/,
    'invalid values, fixes, has no effect',
  ],
  [/\bit must be\b|\bmust be left out\b/, '<name> must be <rule>, got <value>'],
  [
    /\brefus(?:e|es|ed|als?|ing)\b(?! (?:to|connections)\b)(?<!onnection (?:was )?refused)/,
    'reject (only a connection is refused)',
  ],
  [
    /\b(?:is|are|was|were|be|not) asked\b(?! (?:for|to)\b)|\bsmall letters\b|\bin capitals\b/,
    'called, lower case, upper case',
  ],
  [/\d[ \u00a0]%/, '99%'],
  [/(?<![\d,.#])\b\d{1,3} 000\b/, '10,000'],
  [
    /\b(?:registry\.npmjs\.org|static\.crates\.io|index\.crates\.io|proxy\.golang\.org|pypi\.org)\b/,
    'no host of a registry',
  ],
];

/** A text of a file: a comment, a string, or the line of a page. The title is the name of a test. */
function textsOf(path, line, before) {
  if (PAGES.includes(extname(path))) return [{ kind: 'page', text: line }];
  const comment = /^\s*(?:\/\/[/!]?|\/\*\*?|\*(?= |$))\s?(.*?)\s*(?:\*\/)?$/.exec(line);
  const opens = !/^\s*(?:\/\/|\*).*\w/.test(before);
  if (comment)
    return [
      { kind: opens ? 'opening' : 'comment', text: comment[1].replace(/^@\w+ (?:\{.*\} )?(?:\[?\w+\]?(?: |$))?/, '') },
    ];
  const quotes = extname(path) === '.rs' ? '"' : '"\'`';
  const strings = line.matchAll(new RegExp(`([${quotes}])((?:\\\\.|(?!\\1).)*)\\1`, 'g'));
  const texts = [];
  let rest = line;
  for (const [whole, , text] of strings) {
    const isTitle = /\b(?:test|it|describe)\(\s*$/.test(line.slice(0, line.indexOf(whole)));
    texts.push({ kind: isTitle ? 'title' : 'string', text: text.replaceAll(/\$\{[^}]*\}/g, '…') });
    rest = rest.replace(whole, '');
  }
  const trailing = /(?:^|\s)(?:\/\/|\/\*\*?) (.*?)(?: \*\/)?$/.exec(rest);
  if (trailing) texts.push({ kind: 'opening', text: trailing[1] });
  return texts;
}

/** Returns what is wrong with a file, one line each. */
export function problemsIn(path, source) {
  const problems = [];
  const longMay = UNBROKEN_FILES.some((file) => file.test(path));
  const lines = source.split('\n');
  for (const [index, line] of lines.entries()) {
    const at = `${path}:${index + 1}`;
    if (!longMay && [...line].length > COLUMNS && !UNBREAKABLE.some((kind) => kind.test(line)))
      problems.push(`${at}: ${[...line].length} columns, at most ${COLUMNS}`);
    for (const { kind, text } of textsOf(path, line, lines[index - 1] ?? '')) {
      for (const [phrase, instead, only] of PHRASES) {
        if ((only === undefined || only === kind) && (kind !== 'string' || /\w \w/.test(text)) && phrase.test(text))
          problems.push(`${at}: “${phrase.exec(text)[0].trim()}”: ${instead}`);
      }
    }
  }
  return problems;
}

/** The paths of all texts in a folder. */
function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || SKIPPED.includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if ([...CODE, ...PAGES].includes(extname(path)) && !ITSELF.test(path)) yield path;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL('../..', import.meta.url));
  const problems = [...filesIn(folder)].flatMap((path) =>
    problemsIn(relative(folder, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')),
  );
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

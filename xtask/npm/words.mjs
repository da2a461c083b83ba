// Checks the words of the repository: `node xtask/npm/words.mjs [folder]` lists the lines that are too long, and the
// phrases that its comments, strings and pages no longer use.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const COLUMNS = 120;

const CODE = ['.rs', '.js', '.mjs', '.cjs', '.ts', '.css'];
const PAGES = ['.md', '.html'];
const DATA = ['.json', '.toml', '.lock', '.yml'];
const SKIPPED = ['node_modules', 'target', 'dist'];
/** The list of the phrases, and the test that has each of them. */
const ITSELF = ['words.mjs', 'words.test.mjs'];

/**
 * Lines that cannot break: rows of tables, expected messages, regular expressions, addresses, long tokens, tags, types.
 */
const UNBREAKABLE = [
  /^\|/,
  /^\/\/(!? \||~ )/,
  /^\s*\/.*\/\w*[;,)]*$/,
  /\.exec\($/,
  /https?:\/\//,
  /\S{100}/,
  /^ *<(meta|link|svg)\b/,
  /^\s*(\* |\/\*\* )?@(typedef|property|returns|param|type) \{/,
];
/** Planted bugs, with pieces of source text. */
const QUOTING = /^tests\/package\/(protection|schedules)\/mutants\.mjs$/;
/** Files with programs in which the line of an error counts, or with pieces of source text. */
const UNBROKEN = [/^tests\/package\/types\//, QUOTING];

/**
 * Phrases, the words to use instead, and the kind of text if not all: the opening of a comment, a test's title, or
 * data.
 * @type {[phrase: RegExp, instead: string, only?: string][]}
 */
export const PHRASES = [
  [/^(?:Of|By which|What|Beside|Between(?! \d)|As) /, 'start with the subject, or with a verb', 'opening'],
  [/^(?:what|who|that|those|of|by|nobody)\b/, 'start with the behaviour', 'title'],
  [/\btold\b|\btells? (?:the|of|about|it|what|how|whether|when|its)\b/i, 'notify, report, show, receive'],
  [/\bunless (?:\S+ )?(?:is |was |are )?given\b|\b(?:is|are|was|were|if|not) given\b/i, 'set, passed'],
  [/\bjudg(?:e|es|ed|ing)\b/i, 'decide, classify'],
  [/(?<!there )\b(?:is|are|was|were|be) (?:none|no (?!longer|more|less|later|earlier|wider)[a-z]+)\b/i, 'is not a …'],
  [/\bthere (?:is|are) none\b/i, 'unset, missing'],
  [/\bso (?:many|much|long)\b(?! (?:as|that)\b)/i, 'this many, the number, the time'],
  [/\blook(?:s|ed|ing)? (?:at|whether)\b/i, 'check, read'],
  [/\b(?:whoever|somebody|everybody|nobody|those who)\b/i, 'name the actor'],
  [/\bin the place of\b|\btak(?:es?|ing) the place of\b/i, 'replaces, instead of'],
  [/\b(?:under way|anew|likewise|meanwhile|in vain|on the average|beside)\b/i, 'running, again, too, next to'],
  [/\b(?:is|are|was|were) (?:begun|over|spent)\b|\bbeg(?:ins?|inning|un)\b/i, 'start, end'],
  [/\bcomes? (?:out|on top)\b|\blet(?:s|ting)? go of\b|\bgives? back\b/i, 'is returned, cancels, releases'],
  [/\b(?:nonsense|mends?|good enough|(?:does|do) not act|never acts)\b/i, 'invalid, fixes, has no effect'],
  [/\bit must be\b|\bmust be left out\b/i, '<name> must be <rule>, got <value>'],
  [
    /(?<!onnection.*|[`'.])\brefus(?:e|es|ed|als?|ing)\b(?!\.\w| to\b|.*onnection)/i,
    'reject (only a connection is refused)',
  ],
  [/\b(?:is|are|was|were|be|not) asked\b(?! (?:for|to)\b)|\bsmall letters\b|\bin capitals\b/i, 'called, lower case'],
  [/\d[ \u00a0]%/i, '99%'],
  [/(?<![\d,.#])\b\d{1,3} 000\b/i, '10,000'],
  [/\b(?:registry\.npmjs\.org|(?:static|index)\.crates\.io|proxy\.golang\.org|pypi\.org)\b/i, 'no registry', 'data'],
];

/** A text of a line: part of a comment or its opening, a string, the title of a test, the line of a page. */
function* textsOf(path, line, before) {
  if (DATA.includes(extname(path))) return;
  if (PAGES.includes(extname(path))) return yield { kind: 'page', text: line };
  const comment = /^\s*(?:\/\/[/!]?|\/\*\*?|\*(?= |$))\s?(.*?)\s*(?:\*\/)?$/.exec(line);
  if (comment) {
    const kind = /^\s*(?:\/\/|\*).*\w/.test(before) ? 'comment' : 'opening';
    return yield { kind, text: comment[1].replace(/^@\w+ (?:\{.*\} )?(?:\[?\w+\]?(?: |$))?/, '') };
  }
  const quotes = extname(path) === '.rs' ? '"' : '"\'`';
  let rest = line;
  for (const [whole, , text] of line.matchAll(new RegExp(`([${quotes}])((?:\\\\.|(?!\\1).)*)\\1`, 'g'))) {
    const isTitle = /\b(?:test|it|describe)\(\s*$/.test(line.slice(0, line.indexOf(whole)));
    // A single word may be a name in code, and a planted bug quotes source text.
    const isCode = !/\w \w/.test(text) || (QUOTING.test(path) && /[=;(]/.test(text));
    if (!isCode) yield { kind: isTitle ? 'title' : 'string', text: text.replaceAll(/\$\{[^}]*\}|\{\w*:\?\}/g, '…') };
    rest = rest.replace(whole, '');
  }
  const trailing = /(?:^|\s)(?:\/\/|\/\*\*?) (.*?)(?: \*\/)?$/.exec(rest);
  if (trailing) yield { kind: 'opening', text: trailing[1] };
}

/** Returns the problems of a file, one line each. */
export function problemsIn(path, source) {
  const problems = [];
  const mayBeLong = DATA.includes(extname(path)) || UNBROKEN.some((file) => file.test(path));
  const lines = source.split('\n');
  for (const [index, line] of lines.entries()) {
    const at = `${path}:${index + 1}`;
    const columns = [...line].length;
    if (!mayBeLong && columns > COLUMNS && !UNBREAKABLE.some((kind) => kind.test(line)))
      problems.push(`${at}: a line must have at most ${COLUMNS} columns, got ${columns}`);
    const texts = [{ kind: 'data', text: line }, ...textsOf(path, line, lines[index - 1] ?? '')];
    for (const { kind, text } of texts)
      for (const [phrase, instead, only] of PHRASES) {
        if (only === undefined ? kind === 'data' : kind !== only) continue;
        const found = phrase.exec(text);
        if (found) problems.push(`${at}: “${found[0].trim()}”: ${instead}`);
      }
  }
  return problems;
}

/** Lists the files with texts in a folder. */
function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.') || SKIPPED.includes(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if ([...CODE, ...PAGES, ...DATA].includes(extname(path)) && !ITSELF.includes(basename(path))) yield path;
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

// V8 looks through a function at import and compiles it when it is called, one by one: for a first failure, that is
// some forty functions, and most of its time. A function in parentheses it compiles with its module, in one pass. Which
// functions the first operations of a process call is measured, not listed.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { argv, execPath } from 'node:process';
import { parse } from 'acorn';

/** A success and a failure, of a function and, where there are some, of a policy. */
const FIRST = `
  let n = 0;
  const fn = async () => { if (n++ % 3 === 1) throw new Error(); };
  const options = { maxAttempts: 2, baseMs: 0, capMs: 0 };
  const { RetryPolicy, retry, retryWithFullJitter = retry } = entry;
  const policy = RetryPolicy && new RetryPolicy(options);
  for (const run of [() => policy?.run(fn), () => retryWithFullJitter(fn, options)])
    for (let i = 0; i < 2; i++) await run();
`;

/**
 * Returns the text of an entry point, bundled into one file, with the functions that {@link FIRST} calls in
 * parentheses. Those of the module are expressions then, and stand before all statements, as declarations act.
 * @param {string} text
 */
export function eager(text) {
  const called = new Set(JSON.parse(execFileSync(execPath, [import.meta.filename], { input: text, encoding: 'utf8' })));
  const { body } = parse(text, { ecmaVersion: 'latest', sourceType: 'module' });
  const isCalled = ({ start, end }) => called.has(`${start} ${end}`);
  const wrapped = expressionsIn(body).filter(isCalled);
  /** A part of the text, with the function expressions in it in parentheses. */
  const textOf = (start, end) => {
    const inside = wrapped.filter((node) => node.start >= start && node.end <= end);
    const places = inside.flatMap((node) => [
      { at: node.start, put: '(' },
      { at: node.end, put: ')' },
    ]);
    places.sort((a, b) => b.at - a.at);
    return places.reduce(
      (part, { at, put }) => part.slice(0, at - start) + put + part.slice(at - start),
      text.slice(start, end),
    );
  };
  const first = body.filter((node) => node.type === 'FunctionDeclaration' && isCalled(node));
  const declared = first.map((node) => `var ${node.id.name} = (${textOf(node.start, node.end)});\n`);
  let from = 0;
  const rest = first.map(({ start, end }) => {
    const before = textOf(from, start);
    from = text[end] === '\n' ? end + 1 : end;
    return before;
  });
  return [...declared, ...rest, textOf(from, text.length)].join('');
}

/** The function expressions below nodes; methods, which cannot have parentheses, are none. @returns {any[]} */
function expressionsIn(value, parent) {
  if (Array.isArray(value)) return value.flatMap((each) => expressionsIn(each, parent));
  if (typeof value?.type !== 'string') return [];
  const isMethod =
    parent?.type === 'MethodDefinition' || (parent?.type === 'Property' && (parent.method || parent.kind !== 'init'));
  const own = /^(Arrow)?FunctionExpression$/.test(value.type) && !isMethod ? [value] : [];
  return [...own, ...Object.values(value).flatMap((child) => expressionsIn(child, value))];
}

/** Prints the ranges of the functions of a module that its first operations call. */
async function printCalled(text) {
  // Two builds are the same: no timer is early here, and none late.
  let now = 0;
  performance.now = () => ++now;
  globalThis.setTimeout = (callback) => setImmediate(callback);
  globalThis.clearTimeout = clearImmediate;
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const url = `data:text/javascript,${encodeURIComponent(text)}`;
  const entry = await import(url);
  await new (async () => {}).constructor('entry', FIRST)(entry);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const { functions } = result.find((script) => script.url === url) ?? { functions: [] };
  const ranges = functions.map(({ ranges: [range] }) => range).filter(({ count }) => count > 0);
  console.log(JSON.stringify(ranges.map(({ startOffset, endOffset }) => `${startOffset} ${endOffset}`)));
}

if (argv[1] === import.meta.filename) await printCalled(readFileSync(0, 'utf8'));

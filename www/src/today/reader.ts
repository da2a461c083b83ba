/** Reads `name: value` pairs of pasted options. No pasted code runs: values are literals and arithmetic of numbers. */

/** An expression that is not a value here. */
export class Unread {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  get isFunction(): boolean {
    return /=>|\bfunction\b/.test(this.text);
  }
}

export type Value = number | string | boolean | readonly number[] | Unread;

export interface Pasted {
  /** The first value of each name; names of inner objects too. */
  readonly values: ReadonlyMap<string, Value>;
  /** The function whose argument the options are, if they are one. */
  readonly callee: string | undefined;
  readonly modules: readonly string[];
  /** The text without its comments. */
  readonly text: string;
}

/** Longer texts are not options. */
export const MAX_CHARS = 20_000;

const TOKEN =
  /\s+|\/\/[^\n]*|\/\*[^]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`|(?:0x[\da-f]+|[\d][\d_]*\.?[\d_]*(?:e[+-]?\d+)?|\.\d+)|[\w$][\w$.]*|=>|\*\*|\.\.\.|[^]/giy;

export function read(pasted: string): Pasted {
  const text = pasted.slice(0, MAX_CHARS).replaceAll(/\/\*[^]*?\*\/|(?<!:)\/\/[^\n]*/g, ' ');
  const tokens = [...text.matchAll(TOKEN)].map(([token]) => token).filter((token) => token.trim() !== '');
  const values = new Map<string, Value>();
  let callee: string | undefined;
  // The brackets that are open around each token, and the function of a call.
  const open: { readonly bracket: string; readonly callee: string | undefined }[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] ?? '';
    const before = tokens[i - 1];
    if ('([{'.includes(token)) {
      const name = token === '(' && before !== undefined && /^[\w$]/.test(before) ? before : undefined;
      if (token === '{') callee ??= open.findLast((one) => one.callee !== undefined)?.callee;
      open.push({ bracket: token, callee: name });
    } else if (')]}'.includes(token)) open.pop();
    else if (
      tokens[i + 1] === ':' &&
      (before === undefined || before === '{' || before === ',') &&
      open.at(-1)?.bracket !== '('
    ) {
      const end = endOf(tokens, i + 2);
      const name = token.replaceAll(/['"]/g, '');
      if (/^[\w$]+$/.test(name) && !values.has(name)) values.set(name, valueOf(tokens.slice(i + 2, end)));
      // Inner objects are read as well.
      i++;
    }
  }
  const modules = [...text.matchAll(/(?:\bfrom|\brequire\()\s{0,20}['"]([^'"\n]{1,200})['"]/g)].map(
    ([, name = '']) => name,
  );
  return { values, callee, modules, text };
}

/** Where a value ends: at the comma or the bracket that closes what is around it. */
function endOf(tokens: readonly string[], from: number): number {
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
    const token = tokens[i] ?? '';
    if (depth === 0 && (token === ',' || token === ';' || ')]}'.includes(token))) return i;
    if ('([{'.includes(token)) depth++;
    else if (')]}'.includes(token)) depth--;
  }
  return tokens.length;
}

function valueOf(tokens: readonly string[]): Value {
  const unread = new Unread(tokens.join(' ').slice(0, 200));
  const [first = ''] = tokens;
  if (tokens.length === 1 && /^['"`]/.test(first)) return first.slice(1, -1);
  if (tokens.length === 1 && (first === 'true' || first === 'false')) return first === 'true';
  if (first === '[') {
    const items = tokens
      .slice(1, -1)
      .join(' ')
      .split(',')
      .map((item) => arithmetic(item.split(' ').filter(Boolean)));
    return items.every((item) => item !== undefined) ? items : unread;
  }
  return arithmetic(tokens) ?? unread;
}

const MOST_TOKENS = 200;

/** Sums, products and powers of numbers; undefined if there is anything else. */
export function arithmetic(tokens: readonly string[]): number | undefined {
  let at = 0;
  const fail = Symbol('not a number');
  const atom = (): number => {
    // No options are longer, and each step may go one deeper.
    if (at > MOST_TOKENS) throw fail;
    const token = tokens[at++] ?? '';
    if (token === '-') return -atom();
    if (token === '(') {
      const value = sum();
      if (tokens[at++] !== ')') throw fail;
      return value;
    }
    if (token === 'Infinity' || token === 'Number.POSITIVE_INFINITY') return Infinity;
    const value = /^[\d.]/.test(token) ? Number(token.replaceAll('_', '')) : NaN;
    if (Number.isNaN(value)) throw fail;
    return value;
  };
  const power = (): number => {
    const base = atom();
    if (tokens[at] !== '**') return base;
    at++;
    return base ** power();
  };
  const product = (): number => {
    let value = power();
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * power() : value / power();
    return value;
  };
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  try {
    const value = sum();
    return at === tokens.length ? value : undefined;
  } catch (failure) {
    if (failure !== fail) throw failure;
    return undefined;
  }
}

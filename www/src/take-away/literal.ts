/**
 * Reads options out of pasted JavaScript without running any of it: literals, calls and products of
 * numbers are understood; names and functions are kept as what they are called; everything else is
 * kept as text.
 */

export type Value = number | string | boolean | null | undefined | readonly Value[] | Fields | Call | Other;

/** An object. A Map, so that a pasted `__proto__` is a name like any other. */
export class Fields {
  readonly map = new Map<string, Value>();
  /** What was spread into it, which nobody here knows. */
  readonly spreads: string[] = [];
}

/** `new Name(…)` or `name(…)`; of `a.b()` the callee is `a.b`. */
export class Call {
  readonly callee: string;
  readonly args: readonly Value[];
  constructor(callee: string, args: readonly Value[]) {
    this.callee = callee;
    this.args = args;
  }
}

/** What has no value here: a name, a function, or any other expression. */
export class Other {
  readonly kind: 'name' | 'function' | 'expression';
  readonly text: string;
  constructor(kind: Other['kind'], text: string) {
    this.kind = kind;
    this.text = text;
  }
}

export interface Parsed {
  readonly values: readonly Value[];
  /** Why the rest could not be read, if it could not. */
  readonly error: string | undefined;
}

/** Pasted options are short; what is not is a mistake. */
const MAX_CHARS = 20_000;
const MAX_DEPTH = 50;
/** Steps of {@link Reader.skip}: some texts make the reader try the same characters again from many places. */
const MAX_STEPS = 20 * MAX_CHARS;

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
  ['Infinity', Infinity],
  ['Number.POSITIVE_INFINITY', Infinity],
  ['Number.MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
]);

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/uy;
const NUMBER = /0x[\da-f_]+|0b[01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?/iy;
// A comment without an end takes all that follows: else every `/*` would be a search to the end of the text.
const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))+/y;
// Each character fits one branch only: with a `[` that fits two, an unclosed regular expression would take time 2^n.
const REGEXP = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*/y;
const TYPE_ARGUMENTS = /<[\w\s.,<>[\]|'"]{0,200}>(?=\()/y;
const SIGN = /[-+]/y;
const OPERATOR = /\*\*|[-+*/%]/y;
const PRECEDENCE: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2, '%': 2, '**': 3 };
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

class Unreadable extends Error {}

/** The values of the statements in a text, in order; declarations give what they declare. */
export function parse(text: string): Parsed {
  if (text.length > MAX_CHARS) return { values: [], error: `This is ${text.length} characters long; paste the options alone.` };
  const values: Value[] = [];
  try {
    // What stands between the braces, copied without them.
    if (/^\s*(?:['"]?[\w$]+['"]?\s*:|\.\.\.)/.test(text)) return { values: [new Reader(`{${text}}`, 1).whole()], error: undefined };
    const reader = new Reader(text);
    while (!reader.atEnd()) {
      const value = reader.statement();
      if (value !== undefined) values.push(value);
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { values, error: error.message };
  }
  return { values, error: undefined };
}

class Reader {
  private readonly text: string;
  /** How many characters were put before what was pasted. */
  private readonly before: number;
  private at = 0;
  private depth = 0;
  private steps = 0;

  constructor(text: string, before = 0) {
    this.text = text;
    this.before = before;
  }

  atEnd(): boolean {
    this.space();
    return this.at >= this.text.length;
  }

  /** One expression, and nothing after it. */
  whole(): Value {
    const value = this.expression();
    if (!this.atEnd()) this.fail('the end of the options');
    return value;
  }

  statement(): Value {
    if (this.take(';')) return undefined;
    const from = this.at;
    let word = this.name();
    if (word === 'import') {
      this.skip(';\n');
      return undefined;
    }
    if (word === 'export') {
      word = this.word('default') ?? this.name();
    }
    if (word === 'const' || word === 'let' || word === 'var') {
      if (!this.name()) this.skip('=');
      if (this.take(':')) this.skip('=');
      if (!this.take('=')) this.fail('=');
    } else if (word !== 'return' && word !== 'default') {
      this.at = from;
    }
    const value = this.expression();
    this.take(';');
    return value;
  }

  /** Up to a comma, a semicolon, a closing bracket or the end of the statement. */
  private expression(): Value {
    this.deeper();
    this.space();
    const from = this.at;
    let value = this.sum(0);
    if (this.word('as') || this.word('satisfies')) {
      this.skip(',;\n');
    } else if (!this.ended()) {
      // More than is understood: the whole is kept as text.
      this.at = from;
      this.skip(',;');
      value = new Other('expression', this.text.slice(from, this.at).trim());
      if (value.text === '') this.fail('a value');
    }
    this.depth--;
    return value;
  }

  /** Whether nothing of an expression follows; a line break ends one that is not within brackets. */
  private ended(): boolean {
    const from = this.at;
    this.space();
    if (this.at >= this.text.length || ',;)]}'.includes(this.text.charAt(this.at))) return true;
    const newLine = this.text.slice(from, this.at).includes('\n');
    return this.depth === 1 && newLine && /[\p{ID_Start}$_{]/u.test(this.text.charAt(this.at));
  }

  private sum(least: number): Value {
    let left = this.single();
    while (typeof left === 'number') {
      const from = this.at;
      const sign = this.match(OPERATOR) ?? '';
      const rank = PRECEDENCE[sign] ?? 0;
      this.deeper();
      // Powers group from the right.
      const right = rank > least ? this.sum(sign === '**' ? rank - 1 : rank) : undefined;
      this.depth--;
      if (typeof right !== 'number') {
        this.at = from;
        break;
      }
      left = calculated(left, sign, right);
    }
    return left;
  }

  private single(): Value {
    this.space();
    const from = this.at;
    if (this.isFunction()) return this.functionText(from);
    this.at = from;
    const first = this.text.charAt(from);
    if (first === '{') return this.fields();
    if (first === '[') return this.list('[');
    if (first === '"' || first === "'" || first === '`') return this.string();
    if (first === '-' || first === '+') {
      let sign = 1;
      for (let char = this.match(SIGN); char; char = this.match(SIGN)) if (char === '-') sign = -sign;
      const value = this.single();
      return typeof value === 'number' ? sign * value : new Other('expression', this.text.slice(from, this.at));
    }
    if (first === '(') {
      this.at++;
      const value = this.expression();
      if (!this.take(')')) this.fail(')');
      return value;
    }
    const number = this.match(NUMBER);
    if (number !== undefined) return Number(number.replaceAll('_', ''));
    return this.nameOrCall();
  }

  private nameOrCall(): Value {
    const from = this.at;
    while (this.word('await') || this.word('new'));
    let path = this.name();
    if (path === undefined) return this.fail('a value');
    while (this.take('?.') || this.take('.')) path += `.${this.name() ?? this.fail('a name')}`;
    if (CONSTANTS.has(path)) return CONSTANTS.get(path);
    this.typeArguments();
    this.space();
    if (this.text.charAt(this.at) === '(') {
      const call = new Call(path, this.list('('));
      // What is done with the result, `.then(…)` or `.execute(…)`, says nothing about the options.
      while (this.depth === 1 && this.take('.')) {
        this.name();
        this.space();
        if (this.text.charAt(this.at) === '(') this.balanced();
      }
      return call;
    }
    return this.text.slice(from, this.at).startsWith('new') ? new Call(path, []) : new Other('name', path);
  }

  /** `<Response>` before the arguments of a call. */
  private typeArguments(): void {
    this.match(TYPE_ARGUMENTS);
  }

  private list(open: '(' | '['): Value[] {
    const values: Value[] = [];
    const close = CLOSING[open] ?? '';
    this.at++;
    while (!this.take(close)) {
      if (this.take('...')) values.push(new Other('expression', `...${String(textOf(this.expression()))}`));
      else values.push(this.expression());
      if (this.take(',')) continue;
      if (!this.take(close)) this.fail(close);
      break;
    }
    return values;
  }

  private fields(): Fields {
    const fields = new Fields();
    this.deeper();
    this.at++;
    while (!this.take('}')) {
      this.field(fields);
      if (this.take(',')) continue;
      if (!this.take('}')) this.fail(', or }');
      break;
    }
    this.depth--;
    return fields;
  }

  private field(fields: Fields): void {
    this.space();
    const from = this.at;
    if (this.take('...')) {
      fields.spreads.push(textOf(this.expression()));
      return;
    }
    const quoted = `'"`.includes(this.text.charAt(this.at)) && !this.atEnd();
    let key = quoted ? this.string() : (this.name() ?? this.match(NUMBER) ?? this.fail('the name of an option'));
    if (key === 'async' && !this.follows(':,}(')) key = this.name() ?? this.fail('the name of an option');
    this.space();
    if (this.text.charAt(this.at) === '(') {
      // A method.
      this.balanced();
      if (this.take(':')) this.skip('{');
      this.space();
      if (this.text.charAt(this.at) !== '{') this.fail('{');
      this.balanced();
      fields.map.set(key, new Other('function', this.text.slice(from, this.at)));
    } else if (this.take(':')) {
      fields.map.set(key, this.expression());
    } else if (!quoted && this.follows(',}')) {
      fields.map.set(key, new Other('name', key));
    } else {
      this.fail(`: after ${key}`);
    }
  }

  private string(): string {
    const from = this.at;
    const quote = this.text.charAt(this.at++);
    let out = '';
    for (let char = this.text.charAt(this.at); char !== quote; char = this.text.charAt(this.at)) {
      if (char === '' || (char === '\n' && quote !== '`')) {
        this.at = from;
        this.fail(`the end of the string that begins here`);
      }
      // Escapes have no place in the names of options and their values; this keeps their letter.
      if (char === '\\') this.at++;
      out += this.text.charAt(this.at++);
    }
    this.at++;
    return out;
  }

  /** Moves past the head of a function, if one begins here: its parameters and the arrow. */
  private isFunction(): boolean {
    this.word('async');
    if (this.word('function')) {
      this.take('*');
      this.name();
      this.space();
      return this.text.charAt(this.at) === '(' && (this.balanced(), true);
    }
    this.space();
    if (this.text.charAt(this.at) === '(') {
      const { depth } = this;
      try {
        this.balanced();
      } catch (error) {
        if (this.steps > MAX_STEPS) throw error;
        this.depth = depth;
        return false;
      }
      if (this.take(':')) this.skip('=');
    } else if (this.name() === undefined) {
      return false;
    }
    return this.take('=>');
  }

  private functionText(from: number): Other {
    this.space();
    if (this.text.charAt(this.at) === '{') this.balanced();
    else this.skip(',;');
    return new Other('function', this.text.slice(from, this.at).trim());
  }

  /** Past a bracket and what belongs into it. */
  private balanced(): void {
    const from = this.at;
    const close = CLOSING[this.text.charAt(this.at++)] ?? '';
    this.skip('');
    if (this.take(close)) return;
    this.at = from;
    this.fail(`the ${close} that closes this bracket`);
  }

  /** Up to one of `stops` or to a closing bracket; brackets, strings and comments are passed whole. */
  private skip(stops: string): void {
    this.deeper();
    let last = '';
    while (this.at < this.text.length) {
      if (++this.steps > MAX_STEPS) throw new Unreadable('This is too involved to be read; paste the options alone.');
      const char = this.text.charAt(this.at);
      if (stops.includes(char) || ')]}'.includes(char)) break;
      if (char in CLOSING) this.balanced();
      else if (`'"\``.includes(char)) this.string();
      else if (this.match(SPACE) !== undefined) continue;
      else if (char === '/' && '(,=:[!&|?{};>'.includes(last)) this.match(REGEXP) ?? this.at++;
      else this.at++;
      last = char;
    }
    this.depth--;
  }

  private name(): string | undefined {
    return this.match(NAME);
  }

  /** Moves past this word. */
  private word(word: string): string | undefined {
    const from = this.at;
    if (this.name() === word) return word;
    this.at = from;
    return undefined;
  }

  private take(token: string): boolean {
    const from = this.at;
    this.space();
    const found = token !== '' && this.text.startsWith(token, this.at);
    this.at = found ? this.at + token.length : from;
    return found;
  }

  private follows(chars: string): boolean {
    this.space();
    return chars.includes(this.text.charAt(this.at));
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    if (SPACE.test(this.text)) this.at = SPACE.lastIndex;
  }

  private match(pattern: RegExp): string | undefined {
    const from = this.at;
    if (pattern !== SPACE) this.space();
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    this.at = found === undefined ? from : this.at + found.length;
    return found;
  }

  private deeper(): void {
    if (++this.depth > MAX_DEPTH) throw new Unreadable('The brackets are nested too deeply for options.');
  }

  private fail(expected: string): never {
    const read = this.text.slice(this.before, this.at).split('\n');
    const place = `line ${read.length}, column ${(read.at(-1)?.length ?? 0) + 1}`;
    const found = this.text.charAt(this.at);
    const here = this.at >= this.text.length || (this.before > 0 && this.at >= this.text.length - 1) ? 'the text ends' : `there is ${JSON.stringify(found)}`;
    throw new Unreadable(`At ${place}, ${here} where ${expected} was expected.`);
  }
}

function calculated(left: number, operator: string, right: number): number {
  if (operator === '+') return left + right;
  if (operator === '-') return left - right;
  if (operator === '*') return left * right;
  if (operator === '/') return left / right;
  return operator === '%' ? left % right : left ** right;
}

/** A value as it would be written, for messages. */
export function textOf(value: Value): string {
  if (value instanceof Other) return value.kind === 'function' ? 'a function' : value.text;
  if (value instanceof Call) return `${value.callee}(…)`;
  if (value instanceof Fields) return '{ … }';
  if (Array.isArray(value)) return '[ … ]';
  return typeof value === 'string' ? `'${value}'` : String(value);
}

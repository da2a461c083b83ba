/**
 * Reads pasted JavaScript and TypeScript: acorn parses the text, and an evaluator computes literals, constants of the text
 * and pure functions of numbers. Nothing that is pasted runs. Names, signals and other functions keep their text.
 */
import { Parser, getLineInfo, tokTypes as token, type AnyNode, type Node, type TokenType } from 'acorn';

export type Value = number | string | boolean | null | undefined | readonly Value[] | Fields | Call | Fn | Other;

/** An object. A Map, so that a pasted `__proto__` is a name like any other. */
export class Fields {
  readonly map = new Map<string, Value>();
  /** Texts that were spread into it or computed its names: their fields are unknown. */
  readonly spreads: string[] = [];
}

/** `new Name(…)` or `name(…)`. The callee of `a.b()` is `a.b`; a call on the result of a call is `a().b`. */
export class Call {
  readonly callee: string;
  readonly args: readonly Value[];
  constructor(callee: string, args: readonly Value[]) {
    this.callee = callee;
    this.args = args;
  }
}

/** A function of the text, which can be computed for given arguments if it consists of arithmetic. */
export class Fn {
  readonly text: string;
  /** Gives undefined where the function does more than arithmetic; `random` replaces Math.random(). */
  readonly apply: (args: readonly Value[], random: number) => Value;
  constructor(text: string, apply: Fn['apply']) {
    this.text = text;
    this.apply = apply;
  }
}

/** An expression without a known value: a name, or anything else. */
export class Other {
  readonly kind: 'name' | 'expression';
  readonly text: string;
  constructor(kind: Other['kind'], text: string) {
    this.kind = kind;
    this.text = text;
  }
}

/** An object literal, and the callees of the calls around it, the innermost first. */
export interface Found<T> {
  readonly value: T;
  readonly within: readonly string[];
}

export interface Parsed {
  /** In the order of the text: the outer ones before the inner ones. */
  readonly objects: readonly Found<Fields>[];
  readonly calls: readonly Found<Call>[];
  /** Names that the text uses as values. */
  readonly names: ReadonlySet<string>;
  /** Modules by the local names of what is imported or required from them. */
  readonly modules: ReadonlyMap<string, string>;
  /** Why the rest could not be read, if it could not. */
  readonly error: string | undefined;
  /** Tokens read and nodes visited: proportional to the length of the text. */
  readonly steps: number;
}

/** Longer texts are no options. The limit also bounds the work, which is at most MAX_STEPS. */
const MAX_CHARS = 20_000;
const MAX_STEPS = 20 * MAX_CHARS;
const MAX_DEPTH = 100;

const TOO_DEEP = 'The brackets are nested too deeply for options.';
const TOO_LONG = 'This is too complex to read. Paste the options only.';

class Unreadable extends Error {}

/** acorn's parser with the methods that its plugins override; its declarations leave them out. */
interface Internals {
  readonly input: string;
  readonly start: number;
  readonly type: TokenType;
  readonly value: unknown;
  pos: number;
  readonly lastTokEnd: number;
  next(): void;
  nextToken(): void;
  parse(): unknown;
  eat(type: TokenType): boolean;
  isContextual(name: string): boolean;
  startNode(): Node;
  finishNode(node: Node, type: string): Node;
  parseExpression(): AnyNode;
  parseStatement(context: unknown, topLevel?: boolean): AnyNode;
  parseMaybeUnary(...args: unknown[]): AnyNode;
  parseExprOp(...args: unknown[]): AnyNode;
  parseExprAtomDefault(): never;
  parseSubscript(...args: unknown[]): AnyNode;
  parsePropertyValue(property: { key: { name?: string; value?: unknown } }, ...args: unknown[]): void;
  parseVarId(...args: unknown[]): void;
  parseFunctionBody(...args: unknown[]): void;
  shouldParseArrow(...args: unknown[]): boolean;
}
const Base = Parser as unknown as new (options: object, input: string) => Internals;

/** `<Response>` before the arguments of a call; `: Promise<Response> =>` after parameters. Both look ahead a bounded way. */
const TYPE_ARGUMENTS = /<[\w\s.,<>[\]|'"]{0,200}>(?=\s{0,20}\()/y;
const RETURN_TYPE = /:[\w\s.,<>[\]|'"]{1,200}=>/y;
const IMPORT = /import\b[^;'"]*['"][^'"\n]*['"]/y;

/** Reads one statement after the other, passes over TypeScript's types, and says what it expected where it stops. */
class Reader extends Base {
  readonly statements: AnyNode[] = [];
  steps = 0;
  private stopped: Unreadable | undefined;
  /** The length of what was put before the pasted text. */
  private readonly before: number;
  private depth = 0;
  constructor(text: string, before: number) {
    super({ ecmaVersion: 'latest', sourceType: 'module', allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true }, text);
    this.before = before;
  }

  parseTopLevel(node: Node): Node {
    while (this.type !== token.eof) {
      // A brace opens the options, not a block.
      if (this.type === token.braceL) {
        this.statements.push(this.parseExpression());
        this.semicolon();
      } else {
        this.statements.push(this.parseStatement(null, true));
      }
      // What was read until here counts.
      if (this.stopped) throw this.stopped;
    }
    return this.finishNode(node, 'Program');
  }

  override nextToken(): void {
    this.steps++;
    super.nextToken();
  }

  override parseStatement(context: unknown, topLevel?: boolean): AnyNode {
    // Types are imported, too.
    if (this.type === token._import && this.skip(IMPORT)) {
      const node = this.startNode();
      this.semicolon();
      return this.finishNode(node, 'EmptyStatement') as AnyNode;
    }
    return this.deeper(() => super.parseStatement(context, topLevel));
  }

  override parseMaybeUnary(...args: unknown[]): AnyNode {
    return this.deeper(() => super.parseMaybeUnary(...args));
  }

  override parseExprOp(...args: unknown[]): AnyNode {
    while (!this.startsLine() && (this.isContextual('as') || this.isContextual('satisfies'))) {
      this.next();
      this.type_([token.comma, token.semi]);
    }
    return super.parseExprOp(...args);
  }

  override parseSubscript(...args: unknown[]): AnyNode {
    if (this.value === '<' && this.skip(TYPE_ARGUMENTS)) return super.parseSubscript(...args);
    if (this.value === '!' && this.type === token.prefix && !this.startsLine()) this.next();
    return super.parseSubscript(...args);
  }

  override parsePropertyValue(property: { key: { name?: string; value?: unknown } }, ...args: unknown[]): void {
    const follows = [token.colon, token.parenL, token.comma, token.braceR, token.eq, token.name, token.bracketL, token.string];
    if (!follows.includes(this.type)) this.fail(`\`:\` after \`${String(property.key.name ?? property.key.value)}\``);
    super.parsePropertyValue(property, ...args);
  }

  override parseVarId(...args: unknown[]): void {
    super.parseVarId(...args);
    if (this.eat(token.colon)) this.type_([token.eq, token.semi]);
  }

  /** Called by acorn for each parameter of an arrow function. */
  parseParenItem(item: AnyNode): AnyNode {
    if (this.eat(token.colon)) this.type_([token.comma, token.eq]);
    return item;
  }

  /** Called by acorn for each parameter of another function. */
  parseBindingListItem(item: AnyNode): AnyNode {
    return this.parseParenItem(item);
  }

  override shouldParseArrow(...args: unknown[]): boolean {
    RETURN_TYPE.lastIndex = this.start;
    if (this.type === token.colon && RETURN_TYPE.test(this.input)) {
      this.next();
      this.type_([token.arrow]);
    }
    return super.shouldParseArrow(...args);
  }

  override parseFunctionBody(...args: unknown[]): void {
    if (this.eat(token.colon)) this.type_([token.braceL]);
    super.parseFunctionBody(...args);
  }

  override parseExprAtomDefault(): never {
    return this.fail('a value');
  }

  parseIdentNode(): Node {
    if (this.type !== token.name && this.type.keyword === undefined) this.fail('a name');
    const node = this.startNode() as Node & { name: unknown };
    node.name = this.type.keyword ?? this.value;
    return node;
  }

  expect(type: TokenType): void {
    if (!this.eat(type)) this.fail(type === token.braceR || type === token.comma ? '`,` or the closing bracket' : `\`${type.label}\``);
  }

  semicolon(): void {
    if (!this.eat(token.semi) && this.type !== token.eof && this.type !== token.braceR && !this.startsLine()) this.stopped ??= this.failure('the end of the options');
  }

  unexpected(at?: number): never {
    return this.fail('something else', at);
  }

  raise(at: number, message: string): never {
    throw message.startsWith('Not enough stack') ? new Unreadable(TOO_DEEP) : this.error(at, message);
  }

  private error(at: number, message: string): Unreadable {
    const where = getLineInfo(this.input.slice(this.before), Math.min(at, this.pastedEnd()) - this.before);
    const sentence = message.charAt(0).toUpperCase() + message.slice(1).replace(/ \(\d+:\d+\)$/, '').replace(/\.$/, '');
    return new Unreadable(`Line ${where.line}, column ${where.column + 1}: ${sentence}.`);
  }

  /** Rules of whole programs, such as names declared twice, do not matter here. */
  raiseRecoverable(): void {}
  declareName(): void {}
  checkLocalExport(): void {}
  checkUnreserved(): void {}
  validateRegExpFlags(): void {}
  validateRegExpPattern(): void {}

  private fail(expected: string, at?: number): never {
    throw this.failure(expected, at);
  }

  private failure(expected: string, at = this.start): Unreadable {
    const found = this.input.slice(at, this.pastedEnd()).match(/^[\w$]+|^[^]/u)?.[0];
    const here = found === undefined ? 'the text ends' : `found ${found === '`' ? 'a backtick' : `\`${found}\``}`;
    return this.error(at, expected === 'something else' ? `${here}, which does not fit here` : `expected ${expected}, but ${here}`);
  }

  /** The end of the pasted text: a brace was added where the options came without. */
  private pastedEnd(): number {
    return this.input.length - this.before;
  }

  private startsLine(): boolean {
    return this.input.slice(this.lastTokEnd, this.start).includes('\n');
  }

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.start;
    if (!pattern.test(this.input)) return false;
    this.pos = pattern.lastIndex;
    this.nextToken();
    return true;
  }

  /** Passes over a type, up to one of these tokens, a closing bracket, or a new line outside brackets. */
  private type_(stops: readonly TokenType[]): void {
    let open = 0;
    for (let first = true; this.type !== token.eof; first = false, this.next()) {
      const brackets = OPENING.includes(this.type) || this.value === '<' ? 1 : CLOSING.includes(this.type) || this.value === '>' ? -1 : this.value === '>>' ? -2 : 0;
      if (open === 0 && (brackets < 0 || (!first && this.startsLine()) || (stops.includes(this.type) && !(first && this.type === token.braceL)))) return;
      open += brackets;
    }
  }

  private deeper<T>(parse: () => T): T {
    if (++this.depth > MAX_DEPTH) throw new Unreadable(TOO_DEEP);
    const result = parse();
    this.depth--;
    return result;
  }
}

const OPENING = [token.parenL, token.bracketL, token.braceL, token.dollarBraceL];
const CLOSING = [token.parenR, token.bracketR, token.braceR];

export function parse(text: string): Parsed {
  const evaluator = new Evaluator(text);
  let error: string | undefined;
  try {
    if (text.length > MAX_CHARS) throw new Unreadable(`This text has ${text.length} characters. Paste the options only.`);
    // Options copied without the braces around them.
    const bare = /^\s*(?:['"]?[\w$]+['"]?\s*:|\.\.\.)/.test(text);
    const reader = new Reader(bare ? `{${text}}` : text, bare ? 1 : 0);
    evaluator.text = bare ? `{${text}}` : text;
    try {
      reader.parse();
    } finally {
      evaluator.steps += reader.steps;
      evaluator.walk(reader.statements);
    }
  } catch (failure) {
    // Very long texts can exhaust the stack before the limit of depth counts them; browsers name that differently.
    if (!(failure instanceof Unreadable || failure instanceof RangeError || (failure as Error).name === 'InternalError')) throw failure;
    error = failure instanceof Unreadable ? failure.message : TOO_DEEP;
  }
  const { objects, calls, names, modules, steps } = evaluator;
  return { objects, calls, names, modules, error, steps };
}

const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['undefined', undefined],
  ['Infinity', Infinity],
  ['Number.POSITIVE_INFINITY', Infinity],
  ['Number.MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
]);

const MATH = ['abs', 'ceil', 'exp', 'floor', 'log', 'log2', 'max', 'min', 'pow', 'round', 'sqrt', 'trunc'] as const;

/** The variables of a function that is being computed. */
interface Scope {
  readonly locals: Map<string, Value>;
  readonly random: number;
}

class Evaluator {
  readonly objects: Found<Fields>[] = [];
  readonly calls: Found<Call>[] = [];
  readonly names = new Set<string>();
  readonly modules = new Map<string, string>();
  text: string;
  steps = 0;
  private readonly constants = new Map<string, AnyNode>();
  private readonly known = new Map<AnyNode, Value>();
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Finds all objects and calls of the program, also within functions. */
  walk(statements: readonly AnyNode[]): void {
    for (const [, names = '', module = ''] of this.text.matchAll(/\bimport\b([^;'"()]{0,2000}?)\bfrom\s{0,20}['"]([^'"\n]{1,200})['"]/g)) {
      for (const name of names.match(/[\w$]+/g) ?? []) this.modules.set(name, module);
    }
    interface Entry {
      readonly node: AnyNode;
      readonly within: readonly string[];
    }
    const found: Entry[] = [];
    const open: Entry[] = statements.map((node) => ({ node, within: [] as readonly string[] })).reverse();
    for (let entry = open.pop(); entry; entry = open.pop()) {
      this.step();
      const { node } = entry;
      if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) this.declare(node.id.name, node.init);
      if (node.type === 'FunctionDeclaration' && node.id) this.declare(node.id.name, node);
      if (node.type === 'Identifier') this.names.add(node.name);
      if (node.type === 'ObjectExpression' || node.type === 'CallExpression' || node.type === 'NewExpression') found.push(entry);
      const within = node.type === 'CallExpression' || node.type === 'NewExpression' ? [this.path(node.callee), ...entry.within].slice(0, 4) : entry.within;
      const children = Object.values(node).flatMap((child: unknown) => (Array.isArray(child) ? child : [child])).filter(isNode);
      for (const child of children.reverse()) open.push({ node: child, within });
    }
    for (const { node, within } of found) {
      const value = this.value(node);
      if (value instanceof Fields) this.objects.push({ value, within });
      else if (value instanceof Call) this.calls.push({ value, within });
    }
  }

  private declare(name: string, init: AnyNode): void {
    const value = init.type === 'AwaitExpression' ? init.argument : init;
    const [first] = value.type === 'CallExpression' && this.path(value.callee) === 'require' ? value.arguments : [];
    if (first?.type === 'Literal') this.modules.set(name, String(first.value));
    // A name that is declared twice means something else in each place.
    else this.constants.set(name, this.constants.has(name) ? UNKNOWN : init);
  }

  private step(): void {
    if (++this.steps > MAX_STEPS) throw new Unreadable(TOO_LONG);
  }

  private value(node: AnyNode, scope?: Scope): Value {
    if (!scope && this.known.has(node)) return this.known.get(node);
    this.step();
    if (++this.depth > 3 * MAX_DEPTH) throw new Unreadable(TOO_DEEP);
    // Until it is known, a constant that contains itself is a name.
    if (!scope) this.known.set(node, new Other('expression', this.source(node)));
    const value = this.compute(node, scope);
    if (!scope) this.known.set(node, value);
    this.depth--;
    return value;
  }

  private compute(node: AnyNode, scope?: Scope): Value {
    const other = (): Other => new Other('expression', this.source(node));
    const number = (inner: AnyNode): number | undefined => numberOr(this.value(inner, scope));
    switch (node.type) {
      case 'Literal':
        return typeof node.value === 'object' && node.value !== null || typeof node.value === 'bigint' ? other() : (node.value as Value);
      case 'TemplateLiteral':
        return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? '') : other();
      case 'Identifier':
      case 'MemberExpression':
      case 'ChainExpression':
        return this.name(node, scope);
      case 'ObjectExpression':
        return this.fields(node, scope);
      case 'ArrayExpression':
        return node.elements.map((element) => (element ? this.value(element, scope) : undefined));
      case 'SpreadElement':
        return new Other('expression', `...${this.source(node.argument)}`);
      case 'ParenthesizedExpression':
        return this.value(node.expression, scope);
      case 'AwaitExpression':
        return this.value(node.argument, scope);
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
      case 'FunctionDeclaration':
        return this.fn(node);
      case 'CallExpression':
      case 'NewExpression':
        return this.call(node, scope);
      case 'UnaryExpression': {
        const value = this.value(node.argument, scope);
        if (node.operator === '!' && typeof value === 'boolean') return !value;
        if (typeof value !== 'number' || (node.operator !== '-' && node.operator !== '+')) return other();
        return node.operator === '-' ? -value : value;
      }
      case 'BinaryExpression': {
        const [left, right] = [number(node.left as AnyNode), number(node.right)];
        const value = left === undefined || right === undefined ? undefined : calculated(left, node.operator, right);
        return value === undefined ? other() : value;
      }
      case 'LogicalExpression': {
        const left = this.value(node.left, scope);
        if (typeof left === 'object' && left !== null) return other();
        const decides = node.operator === '??' ? left != null : node.operator === '||' ? Boolean(left) : !left;
        return decides ? left : this.value(node.right, scope);
      }
      case 'ConditionalExpression': {
        const test = this.value(node.test, scope);
        return typeof test === 'boolean' ? this.value(test ? node.consequent : node.alternate, scope) : other();
      }
      default:
        return other();
    }
  }

  private name(node: AnyNode, scope?: Scope): Value {
    const path = this.path(node);
    if (CONSTANTS.has(path)) return CONSTANTS.get(path);
    const [root = '', field, ...more] = path.split('.');
    const local = scope?.locals.has(root) ? scope.locals.get(root) : this.constant(root);
    if (field === undefined && local !== undefined) return local;
    if (local instanceof Fields && more.length === 0 && field !== undefined && local.map.has(field)) return local.map.get(field);
    return new Other('name', path);
  }

  private constant(name: string): Value {
    const init = this.constants.get(name);
    const value = init && init !== UNKNOWN ? this.value(init) : undefined;
    // What another function gives has no value here.
    return value instanceof Other || value instanceof Call ? undefined : value;
  }

  private fields(node: Extract<AnyNode, { type: 'ObjectExpression' }>, scope?: Scope): Fields {
    const fields = new Fields();
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        const spread = this.value(property.argument, scope);
        if (spread instanceof Fields) for (const [key, value] of spread.map) fields.map.set(key, value);
        else fields.spreads.push(`…${this.source(property.argument)}`);
      } else if (property.computed || property.kind !== 'init') {
        fields.spreads.push(this.source(property).split('\n', 1)[0] ?? '');
      } else {
        const { key } = property;
        const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
        // Set anew, so that the last of two counts in its own place, as in JavaScript.
        fields.map.set(name, this.value(property.value, scope));
      }
    }
    return fields;
  }

  private call(node: Extract<AnyNode, { type: 'CallExpression' | 'NewExpression' }>, scope?: Scope): Value {
    const callee = this.path(node.callee);
    const args = node.arguments.map((arg) => this.value(arg, scope));
    if (node.type === 'CallExpression') {
      if (callee === 'Math.random' && scope) return scope.random;
      const math = MATH.find((name) => callee === `Math.${name}`);
      const numbers = args.filter((arg) => typeof arg === 'number');
      if (math && numbers.length === args.length) return (Math[math] as (...values: number[]) => number)(...numbers);
      const called = scope && node.callee.type === 'Identifier' ? this.constant(callee) : undefined;
      if (called instanceof Fn && scope) return called.apply(args, scope.random);
    }
    return new Call(callee, args);
  }

  private fn(node: Extract<AnyNode, { type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration' }>): Fn {
    return new Fn(this.source(node), (args, random) => {
      const { depth } = this;
      const scope: Scope = { locals: new Map(), random };
      try {
        const bound = node.params.every((param, i) => this.bind(param, args[i], scope));
        if (!bound || node.async || node.generator) return undefined;
        return node.body.type === 'BlockStatement' ? this.run(node.body.body, scope) : this.value(node.body, scope);
      } catch (failure) {
        // It calls itself without end, or takes more steps than options need.
        if (!(failure instanceof Unreadable)) throw failure;
        this.depth = depth;
        return undefined;
      }
    });
  }

  /** Gives a parameter its value; a parameter without one is unknown where it is used. */
  private bind(param: AnyNode, value: Value, scope: Scope): boolean {
    if (param.type === 'AssignmentPattern') return this.bind(param.left, value === undefined ? this.value(param.right, scope) : value, scope);
    if (param.type === 'Identifier') return (scope.locals.set(param.name, value), true);
    if (param.type !== 'ObjectPattern' || !(value instanceof Fields)) return false;
    return param.properties.every((property) =>
      property.type === 'Property' && property.key.type === 'Identifier' && !property.computed && this.bind(property.value, value.map.get(property.key.name), scope));
  }

  /** The value that these statements return, if they only calculate. */
  private run(statements: readonly AnyNode[], scope: Scope): Value {
    for (const statement of statements) {
      this.step();
      if (statement.type === 'ReturnStatement') return statement.argument ? this.value(statement.argument, scope) : undefined;
      if (statement.type === 'VariableDeclaration' && statement.kind === 'const') {
        for (const { id, init } of statement.declarations) if (!init || !this.bind(id, this.value(init, scope), scope)) return undefined;
      } else if (statement.type === 'IfStatement') {
        const test = this.value(statement.test, scope);
        if (typeof test !== 'boolean') return undefined;
        const branch = test ? statement.consequent : statement.alternate;
        const value = branch && this.run(branch.type === 'BlockStatement' ? branch.body : [branch], scope);
        if (value !== undefined && value !== null) return value;
      } else {
        return undefined;
      }
    }
    return undefined;
  }

  /** `a.b` of names; `a().b` where the result of a call has it. */
  private path(node: AnyNode): string {
    let path = '';
    for (let at: AnyNode = node, links = 0; links < 50; links++) {
      if (at.type === 'ChainExpression' || at.type === 'AwaitExpression') at = at.type === 'ChainExpression' ? at.expression : at.argument;
      else if (at.type === 'Identifier') return at.name + path;
      else if (at.type === 'ThisExpression') return `this${path}`;
      else if (at.type === 'MemberExpression' && at.property.type === 'Identifier' && !at.computed) [path, at] = [`.${at.property.name}${path}`, at.object as AnyNode];
      else if (at.type === 'CallExpression' || at.type === 'NewExpression') [path, at] = [`()${path}`, at.callee as AnyNode];
      else break;
    }
    return `…${path}`;
  }

  private source(node: Node): string {
    return this.text.slice(node.start, node.end);
  }
}

/** Stands for a name whose value is not known. */
const UNKNOWN = { type: 'EmptyStatement', start: 0, end: 0 } as AnyNode;

function isNode(child: unknown): child is AnyNode {
  return typeof child === 'object' && child !== null && 'type' in child && typeof child.type === 'string' && 'start' in child;
}

function numberOr(value: Value): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function calculated(left: number, operator: string, right: number): number | boolean | undefined {
  switch (operator) {
    case '+': return left + right;
    case '-': return left - right;
    case '*': return left * right;
    case '/': return left / right;
    case '%': return left % right;
    case '**': return left ** right;
    case '<<': return left << right;
    case '<': return left < right;
    case '>': return left > right;
    case '<=': return left <= right;
    case '>=': return left >= right;
    case '==': case '===': return left === right;
    case '!=': case '!==': return left !== right;
    default: return undefined;
  }
}

/** A value as a person would write it, for messages. */
export function textOf(value: Value): string {
  if (value instanceof Fn) return 'a function';
  if (value instanceof Other) return value.text.length > 60 ? `${value.text.slice(0, 60)}…` : value.text;
  if (value instanceof Call) return `${value.callee}(…)`;
  if (value instanceof Fields) return '{ … }';
  if (Array.isArray(value)) return '[ … ]';
  return typeof value === 'string' ? `'${value}'` : String(value);
}

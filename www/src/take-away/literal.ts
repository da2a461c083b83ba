/**
 * The values in pasted JavaScript: literals, constants of the text, and pure functions of numbers. No pasted code runs.
 * Names, signals and other functions keep their text.
 */
import type { AnyNode, Node } from 'acorn';
import { MAX_CHARS, MAX_DEPTH, TOO_DEEP, Unreadable, parseProgram } from './parser';

export type Value = number | string | boolean | null | undefined | readonly Value[] | Fields | Call | Fn | Other;

/** An object. A Map, so that a pasted `__proto__` is a name like any other. */
export class Fields {
  readonly map = new Map<string, Value>();
  /** Texts that were spread into it or computed its names: their fields are unknown. */
  readonly spreads: string[] = [];
  /** The name of the preset of rejitter whose options are among these. */
  preset: string | undefined;
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

/** Enough for anything that options hold; functions that call each other need more. */
const MAX_STEPS = 20 * MAX_CHARS;
const TOO_LONG = 'This is too complex to read. Paste the options only.';

/** The value of a name that the text does not declare, and the module that it comes from, if it says so. */
type Imported = (name: string, module: string | undefined) => Fields | undefined;

export function parse(pasted: string, imported: Imported = () => undefined): Parsed {
  const { text, statements, error, steps } = parseProgram(pasted);
  const evaluator = new Evaluator(text, imported);
  try {
    evaluator.walk(statements);
    return { ...evaluator.found, error, steps: steps + evaluator.steps };
  } catch (failure) {
    if (!(failure instanceof Unreadable)) throw failure;
    return { ...evaluator.found, error: failure.message, steps: steps + evaluator.steps };
  }
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
  readonly found = {
    objects: [] as Found<Fields>[],
    calls: [] as Found<Call>[],
    names: new Set<string>(),
    modules: new Map<string, string>(),
  };
  steps = 0;
  private readonly text: string;
  private readonly constants = new Map<string, AnyNode>();
  private readonly known = new Map<AnyNode, Value>();
  private readonly imported: Imported;
  private depth = 0;

  constructor(text: string, imported: Imported) {
    this.text = text;
    this.imported = imported;
  }

  /** Finds all objects and calls of the program, also within functions. */
  walk(statements: readonly AnyNode[]): void {
    for (const [, names = '', module = ''] of this.text.matchAll(
      /\bimport\b([^;'"()]{0,2000}?)\bfrom\s{0,20}['"]([^'"\n]{1,200})['"]/g,
    )) {
      for (const name of names.match(/[\w$]+/g) ?? []) this.found.modules.set(name, module);
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
      if (node.type === 'VariableDeclaration')
        for (const { id, init } of node.declarations)
          if (id.type === 'Identifier' && init) this.declare(id.name, init, node.kind === 'const');
      if (node.type === 'FunctionDeclaration' && node.id) this.declare(node.id.name, node, true);
      if (node.type === 'Identifier') this.found.names.add(node.name);
      if (node.type === 'ObjectExpression' || node.type === 'CallExpression' || node.type === 'NewExpression')
        found.push(entry);
      const within =
        node.type === 'CallExpression' || node.type === 'NewExpression'
          ? [this.path(node.callee), ...entry.within].slice(0, 4)
          : entry.within;
      const children = Object.values(node)
        .flatMap((child: unknown) => (Array.isArray(child) ? child : [child]))
        .filter(isNode);
      for (const child of children.reverse()) open.push({ node: child, within });
    }
    for (const { node, within } of found) {
      const value = this.value(node);
      if (value instanceof Fields) this.found.objects.push({ value, within });
      else if (value instanceof Call) {
        this.found.calls.push({ value, within });
        for (const arg of value.args)
          if (arg instanceof Fields && arg.preset !== undefined)
            this.found.objects.push({ value: arg, within: [value.callee, ...within] });
      }
    }
  }

  private declare(name: string, init: AnyNode, constant: boolean): void {
    const value = init.type === 'AwaitExpression' ? init.argument : init;
    const [first] = value.type === 'CallExpression' && this.path(value.callee) === 'require' ? value.arguments : [];
    if (first?.type === 'Literal') this.found.modules.set(name, String(first.value));
    // A name that changes, or is declared twice, has no single value.
    else this.constants.set(name, constant && !this.constants.has(name) ? init : UNKNOWN);
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
    switch (node.type) {
      case 'Literal':
        return (typeof node.value === 'object' && node.value !== null) || typeof node.value === 'bigint'
          ? other()
          : (node.value as Value);
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
        const [left, right] = [this.value(node.left as AnyNode, scope), this.value(node.right, scope)];
        const operator = OPERATORS[node.operator.replace(/^[=!]=$/, '$&=')];
        return operator && typeof left === 'number' && typeof right === 'number' ? operator(left, right) : other();
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
    if (local instanceof Fields && more.length === 0 && field !== undefined && local.map.has(field))
      return local.map.get(field);
    return new Other('name', path);
  }

  private constant(name: string): Value {
    const init = this.constants.get(name);
    if (!init) return this.imported(name, this.found.modules.get(name));
    const value = init !== UNKNOWN ? this.value(init) : undefined;
    // The result of a call is unknown.
    return value instanceof Other || value instanceof Call ? undefined : value;
  }

  private fields(node: Extract<AnyNode, { type: 'ObjectExpression' }>, scope?: Scope): Fields {
    const fields = new Fields();
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        const spread = this.value(property.argument, scope);
        if (spread instanceof Fields) {
          for (const [key, value] of spread.map) fields.map.set(key, value);
          fields.preset = spread.preset ?? fields.preset;
        } else fields.spreads.push(`…${this.source(property.argument)}`);
      } else if (property.computed || property.kind !== 'init') {
        fields.spreads.push(this.source(property).split('\n', 1)[0] ?? '');
      } else {
        const { key } = property;
        const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';
        // Set again, so that the last of two counts in its own place, as in JavaScript.
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

  private fn(
    node: Extract<AnyNode, { type: 'ArrowFunctionExpression' | 'FunctionExpression' | 'FunctionDeclaration' }>,
  ): Fn {
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
    if (param.type === 'AssignmentPattern')
      return this.bind(param.left, value === undefined ? this.value(param.right, scope) : value, scope);
    if (param.type === 'Identifier') {
      scope.locals.set(param.name, value);
      return true;
    }
    if (param.type !== 'ObjectPattern' || !(value instanceof Fields)) return false;
    return param.properties.every(
      (property) =>
        property.type === 'Property' &&
        property.key.type === 'Identifier' &&
        !property.computed &&
        this.bind(property.value, value.map.get(property.key.name), scope),
    );
  }

  /** The value that these statements return, if they only calculate. */
  private run(statements: readonly AnyNode[], scope: Scope): Value {
    for (const statement of statements) {
      this.step();
      if (statement.type === 'ReturnStatement')
        return statement.argument ? this.value(statement.argument, scope) : undefined;
      if (statement.type === 'VariableDeclaration' && statement.kind === 'const') {
        for (const { id, init } of statement.declarations)
          if (!init || !this.bind(id, this.value(init, scope), scope)) return undefined;
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
      if (at.type === 'ChainExpression' || at.type === 'AwaitExpression')
        at = at.type === 'ChainExpression' ? at.expression : at.argument;
      else if (at.type === 'Identifier') return at.name + path;
      else if (at.type === 'ThisExpression') return `this${path}`;
      else if (at.type === 'MemberExpression' && at.property.type === 'Identifier' && !at.computed)
        [path, at] = [`.${at.property.name}${path}`, at.object as AnyNode];
      else if (at.type === 'CallExpression' || at.type === 'NewExpression')
        [path, at] = [`()${path}`, at.callee as AnyNode];
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
  return (
    typeof child === 'object' && child !== null && 'type' in child && typeof child.type === 'string' && 'start' in child
  );
}

const OPERATORS: Readonly<Record<string, (left: number, right: number) => number | boolean>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '**': (left, right) => left ** right,
  '<<': (left, right) => left << right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
  '===': (left, right) => left === right,
  '!==': (left, right) => left !== right,
};

/** A value as a person would write it, for messages. */
export function textOf(value: Value): string {
  if (value instanceof Fn) return 'a function';
  if (value instanceof Other) return value.text.length > 60 ? `${value.text.slice(0, 60)}…` : value.text;
  if (value instanceof Call) return `${value.callee}(…)`;
  if (value instanceof Fields) return '{ … }';
  if (Array.isArray(value)) return '[ … ]';
  return typeof value === 'string' ? `'${value}'` : String(value);
}

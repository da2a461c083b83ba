/** acorn for pasted text: statements or bare options, with TypeScript's types, up to the first mistake. */
import { Parser, getLineInfo, tokTypes as token, type AnyNode, type Node, type TokenType } from 'acorn';

/** Why a text could not be read, as a sentence. */
export class Unreadable extends Error {}

export const TOO_DEEP = 'The brackets are nested too deeply for options.';
/** Longer texts are not options. The limit bounds the work, too. */
export const MAX_CHARS = 20_000;
export const MAX_DEPTH = 100;

export interface Program {
  /** The text that the positions of nodes refer to: the pasted one, within braces if it came without. */
  readonly text: string;
  readonly statements: readonly AnyNode[];
  /** Why the rest could not be read, if it could not. */
  readonly error: string | undefined;
  /** Tokens read: no more than the text has, because nothing is read twice. */
  readonly steps: number;
}

export function parseProgram(pasted: string): Program {
  if (pasted.length > MAX_CHARS)
    return {
      text: '',
      statements: [],
      error: `This text has ${pasted.length} characters. Paste the options only.`,
      steps: 0,
    };
  // Options copied without the braces around them.
  const bare = /^\s*(?:['"]?[\w$]+['"]?\s*:|\.\.\.)/.test(pasted);
  const text = bare ? `{${pasted}}` : pasted;
  const reader = new Reader(text, bare ? 1 : 0);
  let error: string | undefined;
  try {
    reader.parse();
  } catch (failure) {
    // Long texts can exhaust the stack before the depth reaches its limit. Engines name that differently.
    if (
      !(failure instanceof Unreadable || failure instanceof RangeError || (failure as Error).name === 'InternalError')
    )
      throw failure;
    error = failure instanceof Unreadable ? failure.message : TOO_DEEP;
  }
  return { text, statements: reader.statements, error, steps: reader.steps };
}

/** `<Response>` before arguments, and `: Promise<Response> =>` after parameters. Both look ahead a bounded way. */
const TYPE_ARGUMENTS = /<[\w\s.,<>[\]|'"]{0,200}>(?=\s{0,20}\()/y;
const RETURN_TYPE = /:[\w\s.,<>[\]|'"]{1,200}=>/y;
const IMPORT = /import\b[^;'"]*['"][^'"\n]*['"]/y;

const OPENING = [token.parenL, token.bracketL, token.braceL, token.dollarBraceL];
const CLOSING = [token.parenR, token.bracketR, token.braceR];
const AFTER_KEY = [
  token.colon,
  token.parenL,
  token.comma,
  token.braceR,
  token.eq,
  token.name,
  token.bracketL,
  token.string,
];

/** acorn's declarations leave out the methods that its plugins override. */
const Base = Parser as unknown as new (options: object, input: string) => any;

/** Reads one statement after the other, passes over types, and says what it expected where it stops. */
class Reader extends Base {
  readonly statements: AnyNode[] = [];
  steps = 0;
  private stopped: Unreadable | undefined;
  private level = 0;
  /** The length of what was put before the pasted text, and after it. */
  private readonly before: number;

  constructor(text: string, before: number) {
    super(
      {
        ecmaVersion: 'latest',
        sourceType: 'module',
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
      },
      text,
    );
    this.before = before;
  }

  parseTopLevel(node: Node): Node {
    while (this.type !== token.eof) {
      // A brace opens the options, not a block.
      const options = this.type === token.braceL;
      this.statements.push(options ? this.parseExpression() : this.parseStatement(null, true));
      if (options) this.semicolon();
      // Everything read until here counts.
      if (this.stopped) throw this.stopped;
    }
    return this.finishNode(node, 'Program');
  }

  nextToken(): void {
    this.steps++;
    super.nextToken();
  }

  parseStatement(...args: unknown[]): AnyNode {
    // Imports of types are not JavaScript; their modules are read from the text.
    if (this.type !== token._import || !this.skip(IMPORT)) return this.deeper(() => super.parseStatement(...args));
    this.semicolon();
    return this.finishNode(this.startNode(), 'EmptyStatement');
  }

  parseMaybeUnary(...args: unknown[]): AnyNode {
    return this.deeper(() => super.parseMaybeUnary(...args));
  }

  private deeper<T>(parse: () => T): T {
    if (++this.level > MAX_DEPTH) throw new Unreadable(TOO_DEEP);
    const result = parse();
    this.level--;
    return result;
  }

  // TypeScript: `as Type`, `name<Type>()`, `name!`, and the types of variables, parameters and results.

  parseExprOp(...args: unknown[]): AnyNode {
    while (!this.startsLine() && (this.isContextual('as') || this.isContextual('satisfies')))
      this.passType(token.comma, token.semi);
    return super.parseExprOp(...args);
  }

  parseSubscript(...args: unknown[]): AnyNode {
    if (this.value === '!' && this.type === token.prefix && !this.startsLine()) this.next();
    else if (this.value === '<') this.skip(TYPE_ARGUMENTS);
    return super.parseSubscript(...args);
  }

  parseVarId(...args: unknown[]): void {
    super.parseVarId(...args);
    if (this.type === token.colon) this.passType(token.eq, token.semi);
  }

  parseParenItem(item: AnyNode): AnyNode {
    if (this.type === token.colon) this.passType(token.comma, token.eq);
    return item;
  }

  parseBindingListItem(item: AnyNode): AnyNode {
    return this.parseParenItem(item);
  }

  shouldParseArrow(...args: unknown[]): boolean {
    RETURN_TYPE.lastIndex = this.start;
    if (this.type === token.colon && RETURN_TYPE.test(this.input)) this.passType(token.arrow);
    return super.shouldParseArrow(...args);
  }

  parseFunctionBody(...args: unknown[]): void {
    if (this.type === token.colon) this.passType(token.braceL);
    super.parseFunctionBody(...args);
  }

  /** Passes over a colon or a word and the type after it, up to a stop, a closing bracket, or a new line. */
  private passType(...stops: readonly TokenType[]): void {
    let open = 0;
    this.next();
    for (let first = true; this.type !== token.eof; first = false, this.next()) {
      const bracket =
        OPENING.includes(this.type) || this.value === '<'
          ? 1
          : CLOSING.includes(this.type) || this.value === '>'
            ? -1
            : this.value === '>>'
              ? -2
              : 0;
      const stop =
        bracket < 0 || (!first && this.startsLine()) || (stops.includes(this.type) && !(first && bracket > 0));
      if (open === 0 && stop) return;
      open += bracket;
    }
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

  // Mistakes, with their place and what was expected there.

  parseExprAtomDefault(): never {
    throw this.mistake('a value');
  }

  parsePropertyValue(property: { key: { name?: string; value?: unknown } }, ...args: unknown[]): void {
    if (!AFTER_KEY.includes(this.type))
      throw this.mistake(`\`:\` after \`${String(property.key.name ?? property.key.value)}\``);
    super.parsePropertyValue(property, ...args);
  }

  expect(type: TokenType): void {
    if (!this.eat(type))
      throw this.mistake(
        type === token.braceR || type === token.comma ? '`,` or the closing bracket' : `\`${type.label}\``,
      );
  }

  semicolon(): void {
    if (!this.eat(token.semi) && this.type !== token.eof && this.type !== token.braceR && !this.startsLine())
      this.stopped ??= this.mistake('the end of the options');
  }

  unexpected(at: number = this.start): never {
    throw this.mistake(undefined, at);
  }

  raise(at: number, message: string): never {
    throw message.startsWith('Not enough stack')
      ? new Unreadable(TOO_DEEP)
      : this.placed(at, message.replace(/ \(\d+:\d+\)$/, ''));
  }

  private mistake(expected: string | undefined, at: number = this.start): Unreadable {
    const found = /^[\w$]+|^[^]/u.exec(this.input.slice(at, this.input.length - this.before))?.[0];
    const here = found === undefined ? 'the text ends' : `found ${found === '`' ? 'a backtick' : `\`${found}\``}`;
    return this.placed(
      at,
      expected === undefined ? `${here}, which does not fit here` : `expected ${expected}, but ${here}`,
    );
  }

  private placed(at: number, message: string): Unreadable {
    const { line, column } = getLineInfo(
      this.input.slice(this.before),
      Math.min(at, this.input.length - this.before) - this.before,
    );
    return new Unreadable(
      `Line ${line}, column ${column + 1}: ${message.charAt(0).toUpperCase()}${message.slice(1).replace(/\.$/, '')}.`,
    );
  }

  // Rules of whole programs, such as names declared twice, do not matter here.
  raiseRecoverable(): void {}
  declareName(): void {}
  checkLocalExport(): void {}
  checkUnreserved(): void {}
  validateRegExpFlags(): void {}
  validateRegExpPattern(): void {}
}

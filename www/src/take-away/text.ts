/** Finds named settings, their numbers and their durations in a text of any language. */
import { duration } from '../charts/format';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  millis: 1,
  millisecond: 1,
  s: 1000,
  second: 1000,
  m: 60_000,
  minute: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
};

/** Spellings of durations: `TimeSpan.FromSeconds(2)`, `Duration.ofMillis(5)`, `2 * time.Second`, `"0.1s"`, `PT0.5S`. */
const DURATIONS: readonly { readonly pattern: RegExp; readonly number: number; readonly unit: number }[] = [
  { pattern: /^(?:TimeSpan\.From|Duration\.of)(Millis|Second|Minute|Hour)(?:econd)?s?\(([\d._]+)/, number: 2, unit: 1 },
  { pattern: /^([\d._]+)\s*\*\s*time\.(Millisecond|Second|Minute|Hour)/, number: 1, unit: 2 },
  { pattern: /^time\.(Millisecond|Second|Minute|Hour)(?:\s*\*\s*([\d._]+))?/, number: 2, unit: 1 },
  { pattern: /^timedelta\((second|minute|hour)s\s*=\s*([\d._]+)/, number: 2, unit: 1 },
  { pattern: /^["']?([\d.]+)\s*(ms|s|m|h)\b/, number: 1, unit: 2 },
  { pattern: /^["']?PT([\d.]+)([SMH])/, number: 1, unit: 2 },
];

/** The settings in a text. Every search looks a bounded way. */
export class Text {
  readonly read: string[] = [];
  readonly unread: string[] = [];
  readonly notes: string[] = [];
  private readonly looked = new Set<string>();
  private readonly text: string;
  constructor(text: string) {
    // Comments hold other settings.
    this.text = text.replace(/\/\/[^\n]*|#[^\n]*/g, '');
  }

  has(name: string): boolean {
    return new RegExp(`\\b${name}\\b`).test(this.text);
  }

  /** Whether a value follows the name. */
  sets(name: string): boolean {
    return new RegExp(`\\b${name}["']?\\s{0,20}[=:(]`).test(this.text);
  }

  /** Takes note of a setting that is looked up in another way. */
  know(name: string): void {
    this.looked.add(name);
  }

  number(name: string): number | undefined {
    return this.value(name, plainNumber, String);
  }

  /** A duration in ms. A plain number is in `unit` ms. */
  ms(name: string, unit = 1): number | undefined {
    return this.value(name, (text) => durationOf(text, unit), duration);
  }

  flag(name: string): boolean | undefined {
    return this.value(
      name,
      (text) => (/^true\b/i.test(text) ? true : /^false\b/i.test(text) ? false : undefined),
      String,
    );
  }

  /** The last part of a name, as in `DelayBackoffType.Linear`. */
  word(name: string): string | undefined {
    return this.value(name, (text) => /^(?:\w+\.)?(\w+)/.exec(text)?.[1], String);
  }

  /** Argument `i` of a call, as a number. */
  argument(name: string, i: number): number | undefined {
    const text = this.args(name)?.[i];
    return text === undefined ? undefined : this.value(name, () => plainNumber(text), String);
  }

  /** The arguments of a call as texts. */
  args(name: string): readonly string[] | undefined {
    this.looked.add(name);
    const start = new RegExp(`\\b${name}\\s{0,5}\\(`).exec(this.text);
    if (!start) return undefined;
    const args = [''];
    let depth = 0;
    for (const char of this.text.slice(start.index + start[0].length, start.index + 500)) {
      if (char === ')' && depth === 0) return args.map((arg) => arg.trim()).filter((arg) => arg !== '');
      depth += char === '(' ? 1 : char === ')' ? -1 : 0;
      if (char === ',' && depth === 0) args.push('');
      else args[args.length - 1] += char;
    }
    return undefined;
  }

  /** Settings in addition to those that were asked for. */
  others(known: readonly string[]): string[] {
    const names = [...this.text.matchAll(/[{(,]\s{0,200}([A-Za-z]\w{1,40})\s{0,5}=(?![=>])/g)].map(
      ([, name = '']) => name,
    );
    return [...new Set(names)]
      .filter(
        (name) =>
          !this.looked.has(name) && !known.includes(name) && !['retry', 'wait', 'stop', 'backoff'].includes(name),
      )
      .slice(0, 8);
  }

  said(name: string, value: string): void {
    this.read.push(`\`${name}\` ${value}`);
  }

  private value<T>(name: string, parse: (text: string) => T | undefined, show: (value: T) => string): T | undefined {
    this.looked.add(name);
    const found = new RegExp(`\\b${name}["']?\\s{0,20}(?::=|=(?![=>])|:|\\()\\s{0,20}([^\\n;]{1,100})`).exec(
      this.text,
    )?.[1];
    if (found === undefined) return undefined;
    const value = parse(found);
    if (value === undefined) this.unread.push(name);
    else this.said(name, show(value));
    return value;
  }
}

export function plainNumber(text: string): number | undefined {
  const digits = /^\(?["']?(\d[\d_]*(?:\.\d+)?|\.\d+)(?:[LlFfDdMm]\b)?(?=["'\s,;)}\]]|$)/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits.replaceAll('_', ''));
}

export function durationOf(text: string, unit: number): number | undefined {
  for (const { pattern, number, unit: at } of DURATIONS) {
    const found = pattern.exec(text);
    const scale = UNITS[found?.[at]?.toLowerCase() ?? ''];
    if (found && scale !== undefined) return Number((found[number] ?? '1').replaceAll('_', '')) * scale;
  }
  const plain = plainNumber(text);
  return plain === undefined ? undefined : plain * unit;
}

/** The colours of the style sheets as values, for drawings that are made without a browser. */
import { readFileSync } from 'node:fs';

export type Scheme = 'light' | 'dark';

const sheet = (name: string): string =>
  readFileSync(new URL(`src/styles/${name}.css`, import.meta.url), 'utf8').replace(/\/\*[^]*?\*\//g, '');

/** The custom properties of `:root`, as they are written. */
const tokens = new Map(
  [...sheet('base').matchAll(/^\s*(--[\w-]+): ([^;]+);/gm)]
    .map(([, name = '', value = '']) => [name, value] as const)
    .reverse(),
);

/** A CSS value without `var()`, `light-dark()` and `color-mix()`. */
export function resolved(value: string, scheme: Scheme, jitter = 'none'): string {
  const hues: Record<string, string> = {
    '--hue': `var(--${jitter})`,
    '--hue-text': `var(--${jitter}-text)`,
    '--hue-fill': 'color-mix(in srgb, var(--hue) 20%, var(--card))',
  };
  for (let before = ''; before !== value; ) {
    before = value;
    value = value
      .replace(
        /var\((--[\w-]+)(?:, [^()]*(?:\([^()]*\))?)?\)/g,
        (_, name: string) => hues[name] ?? tokens.get(name) ?? 'black',
      )
      .replace(/light-dark\(([^(),]+), ([^(),]+)\)/g, (_, light: string, dark: string) =>
        scheme === 'light' ? light : dark,
      )
      .replace(/color-mix\(in srgb, ([^(),]+) ([\d.]+)%, ([^(),]+)\)/g, (_, a: string, percent: string, b: string) =>
        mixed(a, b, Number(percent) / 100),
      );
  }
  return value;
}

function mixed(a: string, b: string, part: number): string {
  const [from, to] = [channels(b), channels(a)];
  return `#${from
    .map((value, i) =>
      Math.round(value + ((to[i] ?? 0) - value) * part)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** Red, green and blue of `#rrggbb`. */
export function channels(hex: string): number[] {
  if (!/^#[\da-f]{6}$/i.test(hex)) throw new Error(`not a colour: ${hex}`);
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** The rules for marks of figures, one for each jitter where the hue matters. */
export function markRules(scheme: Scheme, jitters: readonly string[]): string {
  const rules = ['figures', 'herd'].flatMap((name) => [...sheet(name).matchAll(/^svg ([^{}]+) \{([^{}]*)\}/gm)]);
  return rules
    .flatMap(([, selectors = '', body = '']) => {
      // resvg does not know the shorthand that gives all texts their font.
      if (selectors === 'text') return [];
      const each = selectors.split(/,\s*(?:svg )?/);
      if (!body.includes('--hue')) return `${each.join(', ')} {${resolved(body, scheme)}}`;
      return jitters.map(
        (jitter) =>
          `${each.map((selector) => `[data-jitter="${jitter}"] ${selector}`).join(', ')} ` +
          `{${resolved(body, scheme, jitter)}}`,
      );
    })
    .join('\n');
}

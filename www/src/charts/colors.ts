/** The colours of the style sheet as numbers, for pictures that are drawn point by point. */

export type Rgb = readonly [red: number, green: number, blue: number];

const CHANGED = 'rejitter:colors';

/** The value that a colour variable has now, `--none` say. */
export function colorOf(variable: string): Rgb {
  const probe = document.createElement('i');
  // Only a real property resolves light-dark().
  probe.style.color = `var(${variable})`;
  // Where the reader has the system replace colours, it would be the text's.
  probe.style.setProperty('forced-color-adjust', 'none');
  document.body.append(probe);
  const [r = 0, g = 0, b = 0] = (getComputedStyle(probe).color.match(/[\d.]+/g) ?? []).map(Number);
  probe.remove();
  return [r, g, b];
}

export function mixed(a: Rgb, b: Rgb, part: number): Rgb {
  const at = (i: 0 | 1 | 2): number => Math.round(a[i] + (b[i] - a[i]) * part);
  return [at(0), at(1), at(2)];
}

/** To be called when the reader has chosen light or dark. */
export function colorsChanged(): void {
  dispatchEvent(new Event(CHANGED));
}

/** Calls back whenever light turns into dark or back. */
export function onColors(draw: () => void): void {
  addEventListener(CHANGED, draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

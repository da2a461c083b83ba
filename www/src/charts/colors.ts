/** The colours of the style sheet as numbers, for pictures that leave the page. */

export type Rgb = readonly [red: number, green: number, blue: number];

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

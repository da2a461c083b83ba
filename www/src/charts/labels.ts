/** Where direct labels go, so that none covers another. */

/** Width of a label in 12 px semi-bold Inter: rather too wide than too narrow, and known before the font is there. */
export function labelWidth(text: string): number {
  let width = 0;
  for (const character of text)
    width += /[fijlrt1 .,:·'()\u00a0]/.test(character) ? 4.3 : /[A-Zmw%±]/.test(character) ? 9.4 : 7.05;
  return Math.ceil(width);
}

/** Height of one line of text. */
export const LABEL_HEIGHT = 16;

/** Positions on a line near the wanted ones, in their order: at least `gap` apart, and inside the span. */
export function spread(wanted: readonly number[], gap: number, [from, to]: readonly [number, number]): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = [...wanted];
  // Down from the first, then up from the last.
  let least = from;
  for (const i of order) least = (places[i] = Math.max(places[i] ?? 0, least)) + gap;
  let most = to;
  for (const i of order.toReversed()) most = (places[i] = Math.min(places[i] ?? 0, most)) - gap;
  return places;
}

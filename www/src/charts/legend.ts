/** Where the items of a legend stand. */
import { labelWidth } from './labels';

export interface Place {
  readonly left: number;
  readonly line: number;
}

/** A swatch before each label, on as many lines as the width needs. */
export function legendPlaces(labels: readonly string[], swatch: number, width: number, gap = 18): Place[] {
  let [left, line] = [0, 0];
  return labels.map((label) => {
    const needed = swatch + labelWidth(label);
    if (left > 0 && left + needed > width) [left, line] = [0, line + 1];
    const place = { left, line };
    left += needed + gap;
    return place;
  });
}

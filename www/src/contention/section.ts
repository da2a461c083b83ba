/** The AWS figure of 2015. */
import { mountFigure } from '../charts/figure';
import { follow } from '../compute/client';
import type { State } from '../state/state';
import { CLIENTS, LINES } from './compute';
import { contention } from './figure';

/** A part of a second, where the post's figure has 100. */
const RUNS = 10;
/** The ends and the middle first, so that the lines are there at once and only get finer. */
const COARSE_FIRST = [...new Set([10, 100, 190, 50, 150, 30, 70, 120, 170, ...CLIENTS])];

export function mountContention(root: HTMLElement): void {
  const figure = mountFigure(root, contention);
  const inputOf = ({ seed }: State) => ({ clients: COARSE_FIRST, runs: RUNS, seed });
  follow(figure.card, [figure], 'contention', inputOf, (result, _, whole) => {
    if (result.points.length >= 3 * LINES.length) figure.show(result, whole);
  });
}

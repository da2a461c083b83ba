/** The AWS figure of 2015. */
import { mountFigure } from '../charts/figure';
import type { Computer } from '../compute/client';
import { CLIENTS, LINES } from './compute';
import { contention } from './figure';
import { follow } from '../shell/follow';
import type { State } from '../state/state';
import type { Store } from '../state/store';

/** A part of a second, where the post's figure has 100. */
const RUNS = 10;

/** The ends and the middle first, so that the lines are there at once and only get finer. */
const COARSE_FIRST: readonly number[] = [10, 100, 190, 50, 150, 30, 70, 120, 170, ...CLIENTS].filter(
  (n, i, all) => all.indexOf(n) === i,
);

export function mountContention(root: HTMLElement, store: Store, computer: Computer): void {
  const figure = mountFigure(root, contention);
  const inputOf = ({ seed }: State) => ({ clients: COARSE_FIRST, runs: RUNS, seed });
  follow(figure, store, computer, 'contention', inputOf, ({ points, input }, _, whole) => {
    if (points.length < 3 * LINES.length) return;
    figure.show({ points, seed: input.seed });
    figure.busy(!whole);
  });
}

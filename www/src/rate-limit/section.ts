/** A server that answers 429, with a cooldown that the workers share, and without. */
import { html } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import type { Computer } from '../compute/client';
import { follow } from '../shell/follow';
import { partToggles } from '../shell/toggles';
import { partsIn } from '../state/state';
import type { Store } from '../state/store';
import { rateLimitFigure } from './figure';

export function mountRateLimit(root: HTMLElement, store: Store, computer: Computer): void {
  const toggle = partToggles(store, 'All workers share', ['cooldown']);
  const figure = mountFigure(root, rateLimitFigure, html('div', { class: 'fields' }, toggle));
  const inputOf = ({ strategy, seed }: ReturnType<Store['get']>) => ({ strategy, seed });
  follow(figure, store, computer, 'rateLimit', inputOf, (result, { protection }) =>
    figure.show({ ...result, isShared: partsIn(protection.parts).includes('cooldown') }),
  );
}

/** The herd of the page's state, computed once for all who show it. */
import type { Store } from '../state/store';
import { CHOICES, JITTERS, sameChoice, type Choice } from '../state/strategy';
import type { Computer } from './client';
import type { HerdResult } from './herd';

export interface HerdView {
  /** The results so far; `whole` once all strategies are there. */
  show(result: HerdResult, whole: boolean): void;
  /** The shown result is being replaced. */
  busy?(): void;
  fail(message: string): void;
}

export interface HerdSource {
  subscribe(view: HerdView): void;
  /**
   * All sixteen, and those of the chosen backoff, are computed while a figure wants them; otherwise the two of the
   * first screen.
   */
  want(who: string, wanted: boolean): void;
}

const sources = new WeakMap<Computer, HerdSource>();

export function herdSource(store: Store, computer: Computer): HerdSource {
  const known = sources.get(computer);
  if (known) return known;
  const source = create(store, computer);
  sources.set(computer, source);
  return source;
}

/** The strategies of the first screen: no jitter with the chosen one, or with full. */
export function heroChoices({ backoff, jitter }: Choice): readonly [Choice, Choice] {
  return [
    { backoff, jitter: 'none' },
    { backoff, jitter: jitter === 'none' ? 'full' : jitter },
  ];
}

function create(store: Store, computer: Computer): HerdSource {
  const views: HerdView[] = [];
  const wanting = new Set<string>();
  let last: { result: HerdResult; whole: boolean } | undefined;

  const channel = computer.channel(
    'herd',
    (result) => {
      last = { result, whole: result.runs.length > 2 && result.runs.length === result.input.choices.length };
      for (const view of views) view.show(last.result, last.whole);
    },
    (message) => {
      for (const view of views) view.fail(message);
    },
  );

  function order(): void {
    const { strategy, herd, seed } = store.get();
    const { clients, downMs, capacityPerS, rejectionCost, limits } = herd;
    const first = heroChoices(strategy);
    // Those of the chosen backoff before the rest: they are drawn together.
    const all = [...first, ...JITTERS.map((jitter) => ({ backoff: strategy.backoff, jitter })), ...CHOICES];
    const choices =
      wanting.size === 0 ? first : all.filter((choice, i) => all.findIndex((one) => sameChoice(one, choice)) === i);
    const ordered = channel.order({
      strategy,
      herd: { clients, downMs, capacityPerS, rejectionCost, limits },
      seed,
      choices,
      withOther: true,
    });
    if (ordered) for (const view of views) view.busy?.();
  }

  store.subscribe(order);
  return {
    subscribe(view) {
      views.push(view);
      if (last) view.show(last.result, last.whole);
    },
    want(who, wanted) {
      if (wanted) wanting.add(who);
      else wanting.delete(who);
      // Strategies that are not wanted any more are computed to their end: the reader may scroll back.
      if (wanted) order();
    },
  };
}

/** One state for the page; who shows something subscribes to it. */
import { fromQuery, toQuery } from './permalink';
import type { State } from './state';

export interface Store {
  get(): State;
  /** Replaces parts of the state. Subscribers are called at once, in the order in which they came. */
  set(part: Partial<State>): void;
  /** Calls back now, and after each change with the state before it. */
  subscribe(show: (state: State, before: State | undefined) => void): void;
}

/** Long enough for a dragged slider: browsers reject more than about three changes a second. */
const LINK_AFTER_MS = 350;

export function createStore(initial: State): Store {
  let state = initial;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const subscribers: ((state: State, before: State | undefined) => void)[] = [];

  function become(next: State): void {
    const before = state;
    state = next;
    for (const show of subscribers) show(state, before);
  }

  // Links within the page are steps of the history, each with its own settings: the page shows what the address says,
  // unless it is about to say what the page shows.
  addEventListener('popstate', () => {
    if (timer === undefined) become(fromQuery(location.search));
  });

  return {
    get: () => state,
    set(part) {
      // Whoever chooses a strategy wants to see it.
      const scene = part.strategy && !part.scene ? { ...state.scene, retry: 'policy' as const } : state.scene;
      become({ ...state, scene, ...part });
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        history.replaceState(history.state, '', linkTo(state));
      }, LINK_AFTER_MS);
    },
    subscribe(show) {
      subscribers.push(show);
      show(state, undefined);
    },
  };
}

/** The address of this page in this state. If the page shows only one figure, so does its address. */
export function linkTo(state: State, { hash = location.hash, figure = figureIn(location.search) } = {}): string {
  const query = new URLSearchParams(toQuery(state));
  if (figure) query.set('figure', figure);
  return location.pathname + (query.size > 0 ? `?${query}` : '') + hash;
}

/** The only figure that a link asks for; empty if it asks for the whole page. */
export function figureIn(search: string): string {
  return new URLSearchParams(search).get('figure') ?? '';
}

/** One state for the page; who shows something subscribes to it. */
import { fromQuery, toQuery } from './permalink';
import type { State } from './state';

export interface Store {
  get(): State;
  /** Replaces parts of the state. Subscribers are called at once, in the order in which they came. */
  set(part: Partial<State>): void;
  /** Calls back now, and after each change with the state before it. */
  subscribe(show: (state: State, before: State | undefined) => void): void;
  /** The address of this page in the state with these parts. */
  linkTo(part?: Partial<State>, hash?: string): string;
  /** The query of a link that sets the same on another page. */
  query(): string;
}

/** Long enough for a dragged slider: browsers reject more than about three changes a second. */
const LINK_AFTER_MS = 350;

export function createStore(initial: State, defaults: State): Store {
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
    if (timer === undefined) become(fromQuery(location.search, defaults));
  });

  const store: Store = {
    get: () => state,
    set(part) {
      become({ ...state, ...part });
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        history.replaceState(history.state, '', store.linkTo());
      }, LINK_AFTER_MS);
    },
    subscribe(show) {
      subscribers.push(show);
      show(state, undefined);
    },
    linkTo: (part = {}, hash = location.hash) => location.pathname + toQuery({ ...state, ...part }, defaults) + hash,
    query: () => toQuery(state, defaults),
  };
  return store;
}

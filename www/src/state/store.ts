/** One state for the page; who shows something subscribes to it. */
import { readQuery, toQuery } from './permalink';
import { defaultsAt, type State } from './state';

type Subscriber = (state: State, before: State | undefined) => void;

/** Long enough for a dragged slider: browsers reject more than about three changes a second. */
const LINK_AFTER_MS = 350;

function createStore() {
  const defaults = defaultsAt(location.pathname);
  let { state } = readQuery(location.search, defaults);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const subscribers: Subscriber[] = [];

  function become(next: State): void {
    const before = state;
    state = next;
    for (const show of subscribers) show(state, before);
  }

  // Links within the page are steps of the history, each with its own settings: the page shows what the address says,
  // unless it is about to say what the page shows.
  addEventListener('popstate', () => {
    if (timer === undefined) become(readQuery(location.search, defaults).state);
  });

  const store = {
    defaults,
    get: () => state,
    /** Replaces parts of the state. Subscribers are called at once, in the order in which they came. */
    set(part: Partial<State>): void {
      become({ ...state, ...part });
      clearTimeout(timer);
      timer = setTimeout(() => {
        timer = undefined;
        history.replaceState(history.state, '', store.linkTo());
      }, LINK_AFTER_MS);
    },
    /** Calls back now, and after each change with the state before it. */
    subscribe(show: Subscriber): void {
      subscribers.push(show);
      show(state, undefined);
    },
    /** The address of this page in the state with these parts. */
    linkTo: (part: Partial<State> = {}, hash = location.hash): string =>
      location.pathname + toQuery({ ...state, ...part }, defaults) + hash,
    /** The query of a link that sets the same on another page. */
    query: () => toQuery(state, defaults),
  };
  return store;
}

export const store = createStore();

/** The state of this page, for everything that is on it. */
import { fromQuery } from './permalink';
import { defaultsAt } from './state';
import { createStore } from './store';

export const defaults = defaultsAt(location.pathname);
export const store = createStore(fromQuery(location.search, defaults), defaults);

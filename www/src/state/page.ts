/** The state of this page, for everything that is on it. */
import { fromQuery } from './permalink';
import { createStore } from './store';

export const store = createStore(fromQuery(location.search));

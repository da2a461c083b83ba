/** Puts the page together: one state, and the sections that follow it. */
import { version } from 'rejitter/package.json';
import { byId } from './charts/dom';
import { createComputer } from './compute/client';
import { mountLive } from './live/live-section';
import { mountDelays } from './sections/delays';
import { mountControls } from './shell/controls';
import { mountHeader } from './shell/header';
import { mountTheme } from './shell/theme';
import { fromQuery } from './state/permalink';
import { createStore } from './state/store';
import './styles/base.css';
import './styles/controls.css';
import './styles/figures.css';
import './styles/delays.css';

const store = createStore(fromQuery(location.search));
// Two, so that a long simulation does not keep the waits waiting.
const quick = createComputer('waits');

byId('version').textContent = version;
mountTheme();
mountHeader(store);
mountControls(byId('controls-form'), store);
mountDelays(byId('delays-body'), store, quick);
mountLive(byId('live-body'), store);

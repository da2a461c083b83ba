/** The section of the live calls: its controls, the waterfall, the sentence that sums a run up, and the event log. */
import { html, svg } from '../charts/dom';
import { mountFigure } from '../charts/figure';
import { plural, share } from '../charts/format';
import { LIVE_FAILURES, type LiveFailure, type State } from '../state/state';
import type { Store } from '../state/store';
import { drawer } from './drawer';
import { NoFlakyServer, flakyStats, keepAlive, startFlakyServer } from './flaky-server';
import { forecast } from './forecast';
import { emptyRun, type Run, type Target } from './run';
import { startRun } from './send';
import { waterfall } from './waterfall';
import { counted, logLine, requestsOf, summary, whyNoAnswer } from './words';
import './styles.css';

const FAILURES: Record<LiveFailure, string> = {
  mixed: 'Mixed',
  503: '503 responses',
  429: '429 with Retry-After',
  network: 'Network errors',
  slow: 'Slow answers, timeout',
  offline: 'Offline at first',
};
const RATES = [0.3, 0.6, 0.9];
const CALLS = [1, 8, 50];

export function mountLive(root: HTMLElement, store: Store): void {
  const failure = select(
    'live-failure',
    LIVE_FAILURES.map((value) => [value, FAILURES[value]]),
  );
  const rate = select(
    'live-rate',
    RATES.map((value) => [String(value), share(value)]),
  );
  const calls = select(
    'live-calls',
    CALLS.map((value) => [String(value), String(value)]),
  );
  const own = html('input', {
    id: 'live-url',
    type: 'url',
    inputmode: 'url',
    placeholder: 'the flaky server',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const start = html('button', { id: 'live-start', type: 'button', class: 'primary' });
  const abort = html('button', { id: 'live-abort', type: 'button' }, 'Abort');
  abort.disabled = true;
  const controls = html(
    'div',
    { class: 'live-controls' },
    html('label', {}, 'Failure', failure),
    html('label', {}, 'Rate', rate),
    html('label', {}, 'Calls', calls),
    html('label', { class: 'live-own' }, 'Or a URL of your own (GET)', own),
    html('div', { class: 'buttons' }, start, abort),
  );
  // Not a status: it follows the controls of the whole page.
  const expected = html('p', { id: 'live-forecast' });
  const sentence = html('p', { id: 'live-sentence', role: 'status' });
  const log = html('ol', { id: 'live-log', tabindex: 0, 'aria-label': 'Events in order' });

  const figure = mountFigure<Run>(root, waterfall(store.get().live.calls), controls);
  figure.card.append(
    legend(),
    html('div', { class: 'live-words' }, expected, sentence),
    html('details', {}, html('summary', {}, 'Event log'), log),
  );

  let run: Run | undefined;
  let running: AbortController | undefined;

  function target({ live }: State): Target {
    const text = own.value.trim();
    return text === ''
      ? { kind: 'flaky', failure: live.failure, rate: live.rate }
      : { kind: 'own', url: new URL(text) };
  }

  /** The controls as the state has them; and, before the first run, what it will come to. */
  function showState(state: State): void {
    const { live, seed, strategy } = state;
    failure.value = live.failure;
    // A link may hold a rate of its own.
    if (![...rate.options].some(({ value }) => value === String(live.rate)))
      rate.append(html('option', { value: String(live.rate) }, share(live.rate)));
    rate.value = String(live.rate);
    calls.value = String(live.calls);
    start.textContent = `Send ${plural(live.calls, 'call')}`;
    if (run) return;
    figure.card.dataset.jitter = strategy.jitter;
    const isOwn = own.value.trim() !== '';
    const settings = { strategy, seed, calls: live.calls };
    const shown = isOwn
      ? emptyRun({ ...settings, target: { kind: 'flaky', ...live } })
      : forecast({ ...settings, failure: live.failure, rate: live.rate });
    figure.card.toggleAttribute('data-forecast', !isOwn);
    figure.show(shown);
    expected.textContent = isOwn ? 'Nothing is sent yet.' : `${summary(shown, false)} Nothing is sent yet.`;
  }

  async function go(): Promise<void> {
    const state = store.get();
    const controller = new AbortController();
    const { signal } = controller;
    running = controller;
    switchButtons(true);
    log.replaceChildren();
    for (const name of ['run', 'sent', 'counted']) delete figure.card.dataset[name];
    let rest = (): void => {};
    expected.hidden = true;
    try {
      const aim = target(state);
      sentence.textContent = `${plural(state.live.calls, 'call')} running.`;
      if (aim.kind === 'flaky') {
        await startFlakyServer();
        rest = keepAlive();
      }
      const atStart = aim.kind === 'flaky' ? await flakyStats('') : undefined;
      if (signal.aborted) {
        sentence.textContent = 'Aborted before anything was sent.';
        return;
      }
      const drawing = drawer(figure.show);
      const begun = startRun({
        strategy: state.strategy,
        seed: state.seed,
        calls: state.live.calls,
        target: aim,
        signal,
        changed(now, trace, leg) {
          log.append(html('li', {}, logLine(now, trace, leg)));
          drawing.changed();
        },
      });
      run = begun.run;
      figure.card.dataset.run = run.name;
      figure.card.removeAttribute('data-forecast');
      figure.card.dataset.jitter = state.strategy.jitter;
      drawing.begin(run);
      try {
        await begun.done;
      } finally {
        drawing.end();
      }
      const said = [summary(run, signal.aborted), whyNoAnswer(run, new URL(location.href))];
      if (atStart) {
        const atEnd = await flakyStats(run.name);
        said.push(counted(run, signal.aborted, atStart, atEnd));
        figure.card.dataset.counted = JSON.stringify(atEnd);
      }
      sentence.textContent = said.filter((part) => part !== undefined).join(' ');
      figure.card.dataset.sent = String(requestsOf(run));
    } catch (error) {
      controller.abort();
      sentence.textContent = error instanceof NoFlakyServer ? error.message : `The run failed: ${String(error)}`;
    } finally {
      rest();
      running = undefined;
      switchButtons(false);
    }
  }

  function switchButtons(on: boolean): void {
    // The focus stays on a button that works.
    const focused = document.activeElement === (on ? start : abort);
    start.disabled = on;
    abort.disabled = !on;
    if (focused) (on ? abort : start).focus();
  }

  start.addEventListener('click', () => {
    if (own.checkValidity() && isHttp(own.value.trim())) void go();
    else
      sentence.textContent = 'Your URL must start with http:// or https://, and must not contain a user or a password.';
  });
  abort.addEventListener('click', () => running?.abort(new DOMException('stopped by the Abort button', 'AbortError')));
  failure.addEventListener('change', () => set({ failure: failure.value as LiveFailure }));
  rate.addEventListener('change', () => set({ rate: Number(rate.value) }));
  calls.addEventListener('change', () => set({ calls: Number(calls.value) }));
  const set = (part: Partial<State['live']>): void => store.set({ live: { ...store.get().live, ...part } });
  own.addEventListener('input', () => {
    // The settings of the flaky server do not apply to another one.
    failure.disabled = rate.disabled = own.value.trim() !== '';
    showState(store.get());
  });
  store.subscribe((state, before) => {
    // Other settings than those of the run that is shown: a new forecast.
    if (before && !running && (['live', 'strategy', 'seed'] as const).some((part) => state[part] !== before[part])) {
      run = undefined;
      sentence.textContent = '';
      expected.hidden = false;
    }
    showState(state);
  });
}

function select(id: string, options: readonly (readonly [value: string, text: string])[]): HTMLSelectElement {
  return html('select', { id }, ...options.map(([value, text]) => html('option', { value }, text)));
}

function isHttp(text: string): boolean {
  if (text === '' || !URL.canParse(text)) return text === '';
  const { protocol, username, password } = new URL(text);
  // fetch rejects addresses with credentials.
  return /^https?:$/.test(protocol) && username + password === '';
}

function legend(): HTMLElement {
  const bar = (kind: string): SVGElement =>
    svg('g', { class: `attempt ${kind}` }, svg('rect', { x: 0.5, y: 1, width: 21, height: 12, rx: 3 }));
  const entry = (mark: SVGElement, text: string): HTMLElement =>
    html('span', {}, svg('svg', { width: 22, height: 14, 'aria-hidden': 'true' }, mark), text);
  return html(
    'p',
    { class: 'legend' },
    entry(bar('ok'), 'answered'),
    entry(bar('failed'), 'failed at once'),
    entry(bar('late'), 'no answer in time'),
    entry(svg('line', { x1: 1, x2: 21, y1: 7, y2: 7, class: 'wait' }), 'wait'),
  );
}

/** A strategy to be copied: as a program, or as the configuration of an engine. One that fails is not handed out. */
import { copies, html, place } from '../charts/dom';
import { channel } from '../compute/client';
import { outageInput } from '../compute/outage';
import { CODES, ENGINES, PROGRAMS, type Engine, type State } from '../state/state';
import { store } from '../state/store';
import type { HandedOut } from '../compute/remedy';
import { partsOf, programs } from './code';
import { engineName, engineText } from './engines';
import { handedInWords } from './words';
import './styles.css';

const PROGRAM_NAMES = {
  fetch: 'A fetch that retries',
  call: 'Any asynchronous call',
  delays: 'The delays only',
  rust: 'Rust',
};

const isEngine = (code: State['code']): code is Engine => ENGINES.some((engine) => engine === code);

export function mountCode(root: HTMLElement): void {
  const group = (label: string, codes: readonly State['code'][]): string => {
    const options = codes.map((code) => [code, isEngine(code) ? engineName(code) : PROGRAM_NAMES[code]]);
    const list = options.map(([code, name]) => `<option value="${code}">${name}</option>`);
    return `<optgroup label="${label}">${list.join('')}</optgroup>`;
  };
  type Parts = Record<
    'card' | 'copy' | 'code' | 'said' | 'where' | 'losses' | 'which' | 'why' | 'other' | 'pre',
    HTMLElement
  > & { choice: HTMLSelectElement };
  const { card, copy, choice, code, said, where, losses, which, why, other, pre } = place<Parts>(
    root,
    `<div class="card code-card" aria-busy="true" data-as="card">
      <div class="code-head"><select id="code" aria-label="Code for" data-as="choice">
        ${group('In your code', PROGRAMS)}${group('In an engine', ENGINES)}</select>
        <button type="button" data-as="copy">Copy</button></div>
      <p class="which" role="status" data-as="which" hidden><span data-as="why"></span> <button type="button" class="link" data-as="other"></button></p>
      <pre class="scroll" role="region" aria-label="The strategy as code" tabindex="0" data-as="pre" hidden><code data-as="code"></code></pre>
      <div class="said" data-as="said" hidden><p data-as="where"></p><ul data-as="losses"></ul></div>
    </div>`,
  );
  copies(
    copy,
    () => code.textContent ?? '',
    () => getSelection()?.selectAllChildren(code),
  );
  choice.addEventListener('change', () => store.set({ code: CODES[choice.selectedIndex] ?? 'fetch' }));

  let handed: HandedOut | undefined;
  /** Whether the reader wants the code of a strategy that fails. */
  let wantsOwn = false;
  other.addEventListener('click', () => {
    wantsOwn = !wantsOwn;
    print();
  });

  function print(): void {
    if (!handed) return;
    const { own, remedy } = handed;
    const state = { ...store.get(), strategy: (wantsOwn ? own : (remedy ?? own)).strategy };
    const words = handedInWords(handed, wantsOwn);
    which.hidden = words === '';
    why.textContent = words;
    other.hidden = remedy === undefined;
    other.textContent = wantsOwn ? 'What serves them' : 'The scene’s own';
    said.hidden = !isEngine(state.code);
    pre.hidden = false;
    card.setAttribute('aria-busy', 'false');
    if (!isEngine(state.code)) {
      code.textContent = programs(state.strategy, partsOf(state))[state.code];
      return;
    }
    const { text, place: belongs, losses: lost } = engineText(state.code, state);
    code.textContent = text;
    where.textContent = belongs;
    losses.replaceChildren(...lost.map((loss) => html('li', {}, loss)));
  }

  const { order } = channel(
    // Not behind the simulations, of which the verdict takes seconds.
    'waits',
    'handOut',
    (result) => {
      handed = result;
      print();
    },
    (message) => {
      which.hidden = false;
      why.textContent = message;
      card.setAttribute('aria-busy', 'false');
    },
  );
  store.subscribe((state, before) => {
    choice.value = state.code;
    if (before?.strategy !== state.strategy) wantsOwn = false;
    // The code of the strategy before stays until it is known whether this one fails.
    if (order(outageInput(state))) card.setAttribute('aria-busy', 'true');
    else if (card.getAttribute('aria-busy') === 'false') print();
  });
}

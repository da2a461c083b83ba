/** The chosen strategy to be copied: as a program, or as the configuration of an engine. */
import { html, place } from '../charts/dom';
import { CODES, ENGINES, PROGRAMS, type Engine, type State } from '../state/state';
import { store } from '../state/store';
import { partsOf, programs } from './code';
import { engineName, engineText } from './engines';
import { copyButton, highlighted, prose } from './text';
import './styles.css';

const PROGRAM_NAMES = { fetch: 'A fetch that retries', call: 'Any asynchronous call', delays: 'The delays only' };

const isEngine = (code: State['code']): code is Engine => ENGINES.some((engine) => engine === code);

export function mountCode(root: HTMLElement): void {
  const group = (label: string, codes: readonly State['code'][]): string => {
    const options = codes.map((code) => [code, isEngine(code) ? engineName(code) : PROGRAM_NAMES[code]]);
    const list = options.map(([code, name]) => `<option value="${code}">${name}</option>`);
    return `<optgroup label="${label}">${list.join('')}</optgroup>`;
  };
  type Parts = Record<'head' | 'code' | 'said' | 'where' | 'losses', HTMLElement> & { choice: HTMLSelectElement };
  const { head, choice, code, said, where, losses } = place<Parts>(
    root,
    `<div class="card code-card">
      <div class="code-head" data-as="head"><select id="code" aria-label="Code for" data-as="choice">
        ${group('In your code', PROGRAMS)}${group('In an engine', ENGINES)}</select></div>
      <pre class="scroll" role="region" aria-label="The chosen strategy" tabindex="0"><code data-as="code"></code></pre>
      <div class="said" data-as="said"><p data-as="where"></p><ul data-as="losses"></ul></div>
    </div>`,
  );
  head.append(copyButton(code));
  choice.addEventListener('change', () => store.set({ code: CODES[choice.selectedIndex] ?? 'fetch' }));

  store.subscribe((state, before) => {
    const parts = ['strategy', 'protection', 'hedgeMs', 'code'] as const;
    if (before && parts.every((part) => state[part] === before[part])) return;
    choice.value = state.code;
    said.hidden = !isEngine(state.code);
    if (!isEngine(state.code))
      return code.replaceChildren(highlighted(programs(state.strategy, partsOf(state))[state.code]));
    const { text, place: belongs, losses: lost } = engineText(state.code, state);
    code.replaceChildren(highlighted(text));
    where.replaceChildren(...prose(belongs));
    losses.replaceChildren(...lost.map((loss) => html('li', {}, ...prose(loss))));
  });
}

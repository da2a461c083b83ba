/** The menu of a figure: files, the table, the clipboard. Loaded when the first one is opened. */
import { linkTo } from '../state/store';
import { store } from '../state/page';
import { SAID_MS, isCopied, isImageCopied } from './clipboard';
import { html } from './dom';
import { picture, pngBlob, save, type Source } from './export';
import type { FigureSpec } from './spec';
import { csv, tableElement, type Table } from './table';

export interface Menu {
  toggle(): void;
  /** The figure shows other data. */
  drawn(): void;
}

export interface MenuOf {
  readonly spec: FigureSpec<unknown>;
  data(): unknown;
  readonly card: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly drawing: HTMLElement;
  readonly table: HTMLElement;
  readonly subtitle: HTMLElement;
}

/** The frame of an embedded figure, besides its card. */
const EMBED_EXTRA = 56;

export function createMenu({ spec, data, card, button, drawing, table, subtitle }: MenuOf): Menu {
  const status = html('span', { class: 'copied', role: 'status' });
  const list = html('div', { class: 'menu', role: 'menu', 'aria-label': spec.title });
  button.after(list, status);
  list.hidden = true;
  const name = `rejitter-${spec.id}`;

  const source = (): Source => ({
    spec,
    data: data(),
    card,
    subtitle,
    link: link({ hash: `#${spec.id}`, figure: '' }),
  });
  const png = async (isWide: boolean): Promise<Blob> => pngBlob(await picture(source(), isWide));
  const csvBlob = (made: Table): Blob => new Blob([csv(made)], { type: 'text/csv;charset=utf-8' });

  item('Download SVG', async () =>
    save(`${name}.svg`, new Blob([(await picture(source(), false)).text], { type: 'image/svg+xml' })),
  );
  item('Download PNG', async () => save(`${name}.png`, await png(false)));
  item('Download PNG, 1920 × 1080', async () => save(`${name}-1920x1080.png`, await png(true)));
  item('Copy as image', async () =>
    say(
      (await isImageCopied(png(false)))
        ? 'Copied'
        : 'This browser keeps its clipboard closed to images. Download the PNG.',
    ),
  );
  item('Download CSV', () => save(`${name}.csv`, csvBlob(spec.table(data()))));
  const asTable = item('Show as table', () => {
    table.hidden = !table.hidden;
    drawing.hidden = !table.hidden;
    asTable.setAttribute('aria-checked', String(drawing.hidden));
    drawn();
  });
  asTable.setAttribute('role', 'menuitemcheckbox');
  asTable.setAttribute('aria-checked', 'false');
  item('Copy embed code', () => copy(embedCode()));
  item('Copy link to this figure', () => copy(link({ hash: `#${spec.id}`, figure: '' })));
  const items = [...list.children] as HTMLButtonElement[];

  function item(text: string, act: () => unknown): HTMLButtonElement {
    const made = html('button', { type: 'button', role: 'menuitem', tabindex: -1 }, text);
    made.addEventListener('click', async () => {
      close();
      try {
        if (data() === undefined) say('This figure has no numbers yet.');
        else await act();
      } catch (error) {
        say(`That failed: ${String(error)}`);
      }
    });
    list.append(made);
    return made;
  }

  function say(text: string): void {
    status.textContent = text;
    setTimeout(() => (status.textContent = ''), text === 'Copied' ? SAID_MS : 4 * SAID_MS);
  }

  async function copy(text: string): Promise<void> {
    if (await isCopied(text)) say('Copied');
    else prompt('Copy:', text);
  }

  function embedCode(): string {
    const attributes = {
      src: link({ hash: '', figure: spec.id }),
      title: spec.title,
      width: '100%',
      height: card.offsetHeight + EMBED_EXTRA,
      loading: 'lazy',
      style: 'border: 0',
    };
    return html('iframe', attributes).outerHTML;
  }

  function drawn(): void {
    if (!table.hidden && data() !== undefined) table.replaceChildren(tableElement(spec.table(data())));
  }

  function close(): void {
    if (list.hidden) return;
    const hadFocus = list.contains(document.activeElement);
    list.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    removeEventListener('pointerdown', closeOutside, true);
    if (hadFocus) button.focus();
  }

  function closeOutside({ target }: Event): void {
    if (!(target instanceof Node && (list.contains(target) || button.contains(target)))) close();
  }

  function toggle(): void {
    if (!list.hidden) return close();
    list.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    addEventListener('pointerdown', closeOutside, true);
    items[0]?.focus();
  }

  list.addEventListener('keydown', (event) => {
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next !== undefined) items.at(next % items.length)?.focus();
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else return;
    // After Tab, the focus goes on from the button.
    if (event.key !== 'Tab') event.preventDefault();
  });

  return { toggle, drawn };
}

function link(where: { hash: string; figure: string }): string {
  return new URL(linkTo(store.get(), where), location.href).href;
}

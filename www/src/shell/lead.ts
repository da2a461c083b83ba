/** Links to other states of the page. */
import type { State } from '../state/state';
import type { Store } from '../state/store';

/** Gives a link the address of the state with this part, and sets it without a new page; hides the link without one. */
export function leadTo(
  link: HTMLAnchorElement,
  store: Store,
  part: Partial<State> | undefined,
  before?: () => void,
): void {
  link.hidden = part === undefined;
  if (!part) return;
  link.href = store.linkTo(part, '');
  link.onclick = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    before?.();
    store.set(part);
  };
}

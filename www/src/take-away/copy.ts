import { SAID_MS, isCopied } from '../charts/clipboard';
import { html } from '../charts/dom';

/** A button that copies the text of `shown`, or selects it where the clipboard is closed to pages. */
export function copyButton(shown: Element): HTMLButtonElement {
  const button = html('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    const copied = await isCopied(shown.textContent ?? '');
    if (!copied) getSelection()?.selectAllChildren(shown);
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => (button.textContent = 'Copy'), SAID_MS);
  });
  return button;
}

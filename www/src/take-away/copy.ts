import { html } from '../charts/dom';

const BACK_AFTER_MS = 1500;

/** A button that copies the text of `shown`, or selects it where the clipboard is closed to pages. */
export function copyButton(shown: Element): HTMLButtonElement {
  const button = html('button', { type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    const text = shown.textContent ?? '';
    const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
    if (!copied) getSelection()?.selectAllChildren(shown);
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C';
    setTimeout(() => (button.textContent = 'Copy'), BACK_AFTER_MS);
  });
  return button;
}

/** Light or dark: the system's choice until the button is used, then the reader's. */
import { byId } from '../charts/dom';

const KEY = 'rejitter-theme';

export function mountTheme(): void {
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = byId<HTMLButtonElement>('theme');
  const isDark = (): boolean => (root.style.colorScheme ? root.style.colorScheme === 'dark' : system.matches);
  const label = (): void => button.setAttribute('aria-label', isDark() ? 'Use light colours' : 'Use dark colours');

  const stored = recall();
  if (stored === 'light' || stored === 'dark') root.style.colorScheme = stored;
  button.addEventListener('click', () => {
    root.style.colorScheme = isDark() ? 'light' : 'dark';
    remember(root.style.colorScheme);
    label();
  });
  system.addEventListener('change', label);
  label();
}

// Storage can be switched off, and then throws; the choice lasts until the page is left.
function recall(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Nothing to do: see above.
  }
}

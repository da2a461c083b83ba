/** The chosen strategy as a program. */
import { usage, type Strategy } from './strategy';

export function program(strategy: Strategy): string {
  const { name, options } = usage(strategy);
  const settings = Object.entries(options).map(([key, value]) => `    ${key}: ${literal(value)},\n`);
  return `import { ${name} } from 'rejitter';

const response = await ${name}(
  async ({ signal }) => {
    const response = await fetch('https://example.com/orders', { signal });
    if (response.status === 429 || response.status >= 500) {
      throw new Error(\`HTTP \${response.status}\`);
    }
    return response;
  },
  {
${settings.join('')}  },
);
`;
}

/** Numbers grouped as a person would write them: 10_000. */
function literal(value: unknown): string {
  if (typeof value !== 'number') return `'${String(value)}'`;
  return String(value).replace(/\B(?=(\d{3})+$)/g, '_');
}

const TOKEN = /('[^']*'|`[^`]*`)|\b(import|from|const|await|async|return|if|throw|new)\b|\b(\d[\d_.]*)\b/g;
const KINDS = ['string', 'keyword', 'number'] as const;

/** The text with strings, keywords and numbers in elements of their own, for colour. */
export function highlighted(text: string): DocumentFragment {
  const out = document.createDocumentFragment();
  let from = 0;
  for (const match of text.matchAll(TOKEN)) {
    out.append(text.slice(from, match.index));
    const span = document.createElement('span');
    span.className = KINDS[match.slice(1).findIndex((group) => group !== undefined)] ?? '';
    span.textContent = match[0];
    out.append(span);
    from = match.index + match[0].length;
  }
  out.append(text.slice(from));
  return out;
}

/** Light colouring of printed programs. */

const TOKEN =
  /(\/\/[^\n]*)|('[^']*'|`[^`]*`)|\b(import|from|const|of|for|await|async|return|if|throw|new)\b|\b(\d[\d_.]*|Infinity)\b/g;
const KINDS = ['comment', 'string', 'keyword', 'number'] as const;

/** The text with comments, strings, keywords and numbers in elements of their own. */
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

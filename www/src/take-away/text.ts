/** Programs and sentences about them as elements. */
import { html } from '../charts/dom';

const TOKEN =
  /(?<comment>\/\/[^\n]*)|(?<string>'[^']*'|`[^`]*`)|\b(?:(?<keyword>import|from|const|of|for|await|async|return|if|throw|new|use|fn|let|pub)|(?<number>\d[\d_.]*|Infinity))\b/g;

/** A program with comments, strings, keywords and numbers in elements of their own. */
export function highlighted(text: string): DocumentFragment {
  const out = document.createDocumentFragment();
  let from = 0;
  for (const { 0: token, index, groups = {} } of text.matchAll(TOKEN)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    out.append(text.slice(from, index), html('span', { class: kind }, token));
    from = index + token.length;
  }
  out.append(text.slice(from));
  return out;
}

/** Sentences with the names of options and their values set as code: in camel case, in quotes, or between backticks. */
export function prose(text: string): Node[] {
  const pieces = text.split(/(\b[a-z]+[A-Z]\w*(?:\(\w*\))?|'[^'\s]*'|`[^`]*`)/);
  return pieces.map((piece, i) =>
    i % 2 === 1 ? html('code', {}, piece.replaceAll('`', '')) : document.createTextNode(piece),
  );
}

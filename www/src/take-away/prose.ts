import { html } from '../charts/dom';

/** Sentences with the names of options and their values set as code: in camel case, in quotes, or between backticks. */
export function prose(text: string): Node[] {
  const pieces = text.split(/(\b[a-z]+[A-Z]\w*(?:\(\w*\))?|'[^'\s]*'|`[^`]*`)/);
  return pieces.map((piece, i) =>
    i % 2 === 1 ? html('code', {}, piece.replaceAll('`', '')) : document.createTextNode(piece),
  );
}

/**
 * Texts below an element that cover one another, or that leave its card. Runs in the page.
 * @param {string} selector
 * @returns {string[]}
 */
export function textClashes(selector) {
  const root = document.querySelector(selector);
  if (!root) return [`${selector} is not in the page`];
  const card = root.getBoundingClientRect();
  /** Leaves of the page's text, each with the boxes of its lines. */
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.textContent?.trim() ?? '';
    if (
      !parent ||
      !text ||
      !parent.checkVisibility({ visibilityProperty: true }) ||
      parent.closest('title, desc, [hidden], .scroll')
    )
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) if (box.width > 0) found.push({ text, box });
  }
  const clashes = [];
  for (const [i, { text, box }] of found.entries()) {
    if (box.left < card.left || box.right > card.right || box.bottom > card.bottom + 1)
      clashes.push(`"${text}" leaves the card`);
    for (const other of found.slice(i + 1)) {
      // A line's box is higher than its letters: a pixel or two of overlap do not count.
      const x = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
      const y = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
      if (x > 0.5 && y > 3) clashes.push(`"${text}" covers "${other.text}" by ${x.toFixed(1)} × ${y.toFixed(1)} px`);
    }
  }
  return clashes;
}

/** Functions that run in the page. */

/** The page does without a font that comes late: here it has the same one on the busiest machine. */
export async function withFont() {
  const { href } = document.querySelector('link[as=font]');
  document.fonts.add(await new FontFace('Inter', `url(${href})`, { weight: '100 900' }).load());
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
}

/** The next file that the page gives to the browser to save is in `globalThis.file` instead. */
export function keepNextFile() {
  let blob = new Blob();
  Object.assign(globalThis, { file: undefined });
  // The policy of the page lets nothing fetch a blob: address.
  URL.createObjectURL = (made) => `blob:${(blob = made)}`;
  HTMLAnchorElement.prototype.click = async function () {
    const text = Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join('');
    Object.assign(globalThis, { file: { name: this.download, base64: btoa(text) } });
  };
}

/** The file that was kept, once it is there. */
export const keptFile = () => globalThis.file;

/** How many colours a PNG has, and how many of them are in a border so wide: only browsers read pictures. */
export async function onEdge({ base64, edge }) {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const { width, height } = image;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const colours = (x, y, w, h) => [...new Set(new Uint32Array(context.getImageData(x, y, w, h).data.buffer))];
  const top = [...colours(0, 0, width, edge), ...colours(0, height - edge, width, edge)];
  const sides = [...colours(0, 0, edge, height), ...colours(width - edge, 0, edge, height)];
  return { colours: colours(0, 0, width, height).length, edge: new Set([...top, ...sides]).size };
}

/** Texts below an element that cover one another, or that leave its card. */
export function textClashes(selector) {
  const root = document.querySelector(selector);
  const card = root.getBoundingClientRect();
  /** Leaves of the page's text, each with the boxes of its lines. */
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.textContent?.trim();
    const isSeen = parent?.checkVisibility({ visibilityProperty: true });
    if (!text || !isSeen || parent?.closest('title, desc, [hidden], .scroll')) continue;
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

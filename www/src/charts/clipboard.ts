/** How long a button says that it has copied. */
export const SAID_MS = 1500;

/** Whether the text is in the clipboard now: it is closed to some pages. */
export async function isCopied(text: string): Promise<boolean> {
  return (
    (await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )) ?? false
  );
}

/** The same for a picture, which may still be drawn: the browser must see the request at the click. */
export async function isImageCopied(png: Promise<Blob>): Promise<boolean> {
  if (typeof ClipboardItem === 'undefined' || !navigator.clipboard?.write) return false;
  return navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]).then(
    () => true,
    () => false,
  );
}

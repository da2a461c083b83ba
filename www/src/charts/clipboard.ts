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

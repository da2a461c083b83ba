// Warnings on the console. It imports nothing, because the long texts import it.

/** Subjects of those that this process has had. @type {Set<string>} */
const warned = new Set();

/** Warns once per process. @param {string} about @param {unknown[]} message */
export function warnOnce(about, ...message) {
  if (warned.has(about)) return;
  warned.add(about);
  try {
    console.warn(...message);
  } catch {
    // Test environments make it throw.
  }
}

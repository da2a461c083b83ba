// The other side of child.mjs.

const [, , module, name, argument] = process.argv;
const exported = await import(module);
const answer = await exported[name](JSON.parse(argument));
process.send?.({ answer }, () => process.disconnect());

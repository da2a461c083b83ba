// Source text of a module that records every use of what an import must not touch: compilation,
// randomness, time, timers, listeners. It runs in a child process, before the package is loaded.

export const SPIES = `
const used = [];
globalThis.used = used;
const spy = (holder, name, label = name) => {
  const original = holder[name];
  holder[name] = new Proxy(original, {
    apply(target, self, args) { used.push(label); return Reflect.apply(target, self, args); },
    construct(target, args, made) { used.push('new ' + label); return Reflect.construct(target, args,
      made === holder[name] ? target : made); },
  });
};
for (const name of ['Module', 'Instance', 'Memory', 'Table', 'compile', 'instantiate', 'validate']) spy(WebAssembly,
  name, 'WebAssembly.' + name);
for (const name of ['getRandomValues', 'randomUUID']) {
  const original = crypto[name];
  Object.defineProperty(Object.getPrototypeOf(crypto), name, {
    configurable: true, writable: true,
    value(...args) { used.push('crypto.' + name); return Reflect.apply(original, crypto, args); },
  });
}
for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'AbortController',
  'MessageChannel', 'TextDecoder', 'TextEncoder', 'atob', 'fetch']) spy(globalThis, name);
for (const name of ['now', 'mark']) {
  const original = performance[name];
  Object.defineProperty(performance, name, { configurable: true, writable: true,
    value(...args) { used.push('performance.' + name); return Reflect.apply(original, performance, args); } });
}
spy(Date, 'now', 'Date.now');
spy(Math, 'random', 'Math.random');
spy(EventTarget.prototype, 'addEventListener', 'addEventListener');
spy(process, 'on', 'process.on');
`;

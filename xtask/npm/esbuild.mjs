// esbuild and acorn, also for the tests of the package, which have no npm packages of their own.

export { parse } from 'acorn';
export { build, transform } from 'esbuild';

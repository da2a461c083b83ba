// esbuild, also for the tests of the package, which have no npm packages of their own.

export { build, transform } from 'esbuild';

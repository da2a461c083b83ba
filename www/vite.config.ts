import { defineConfig } from 'vite';
import { pageParts, sceneModule } from './first-paint.ts';
import { notices } from './notices.ts';
import { pagePolicy } from './page-policy.ts';

const bundled = notices();

export default defineConfig({
  // Relative addresses: the built files work under any path.
  base: './',
  plugins: [pageParts(), sceneModule(), pagePolicy(), bundled.page],
  build: {
    // The first versions with CSS light-dark(). For older ones it would be rewritten into a form
    // that ignores a colour scheme chosen at run time.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // All of these know modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'protection/index.html'],
    },
  },
  worker: {
    format: 'es',
    plugins: () => [bundled.worker()],
    rolldownOptions: {
      output: {
        // A service worker serves the folder it is in, and is found again by its name.
        entryFileNames: ({ name }) => (name === 'flaky' ? 'flaky.js' : 'assets/[name]-[hash].js'),
      },
    },
  },
  // In development it is still among the sources.
  server: { headers: { 'Service-Worker-Allowed': '/' } },
});

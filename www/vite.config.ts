import { defineConfig } from 'vite';
import { lab, notices, packages, parts, policy, scene } from './build.ts';
import { font } from './font.ts';

export default defineConfig({
  // Relative addresses: the built files work under any path.
  base: './',
  // The package's messages in full: the page shows them to readers who have typed a number.
  define: { 'process.env.NODE_ENV': '"development"' },
  plugins: [parts, scene, lab, policy, packages, notices, font],
  build: {
    // The first versions with CSS light-dark(). For older ones it would be rewritten into a form
    // that ignores a colour scheme chosen at run time.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // All of these know modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ['index.html', 'protection/index.html'] },
  },
  worker: {
    format: 'es',
    plugins: () => [lab, packages],
    rolldownOptions: {
      // A service worker serves the folder it is in, and is found again by its name.
      output: { entryFileNames: ({ name }) => (name === 'flaky' ? 'flaky.js' : 'assets/[name]-[hash].js') },
    },
  },
  // In development it is still among the sources.
  server: { headers: { 'Service-Worker-Allowed': '/' } },
});

import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Where "npm run dev" finds the server that answers for /graphql and /api.
const server = process.env.SAVEDQ_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  // The addresses of the pages are the server's, see internal/web.
  appType: 'mpa',
  build: {
    target: 'es2023',
    // Browsers of 2024, which know light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: '../internal/web/dist',
    emptyOutDir: true,
    // An inlined file would need data: in more directives of the pages'
    // Content-Security-Policy.
    assetsInlineLimit: 0,
    // What it would do for old browsers, it would do in an inline script.
    modulePreload: { polyfill: false },
    // The notices that the licences of the bundled packages ask for.
    license: { fileName: 'assets/licenses.md' },
    // GraphiQL's editor is one file of 3 MB, loaded on its own page only.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      input: { dashboard: 'index.html', graphiql: 'graphiql.html' },
      output: {
        codeSplitting: {
          groups: [
            // Libraries change less often than the pages.
            {
              name: 'libraries',
              test: /node_modules[\\/](react|react-dom|scheduler|@tanstack[\\/](react-query|query-core))[\\/]/,
              priority: 1,
            },
            // One file compresses better than several.
            { name: 'common', test: /preload-helper|[\\/]src[\\/](api|app|gql|time|ui)[\\/]/ },
          ],
        },
      },
      // GraphiQL is compiled with hints for a compiler that has done its work.
      checks: { moduleLevelDirective: false },
    },
  },
  server: { proxy: { '/api/': server, '/graphql': server, '/schema.graphql': server } },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});

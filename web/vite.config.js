import { readFileSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// The server behind /graphql and /api for "npm run dev".
const server = process.env.SAVEDQ_URL ?? 'http://127.0.0.1:8080';

// Parts of TanStack Query that QueryClient imports and the pages never call: mutations, of
// which a new client still resumes none, and pages without an end.
const unusedParts = {
  '/mutationCache.js': 'export class MutationCache { resumePausedMutations() {} }',
  '/infiniteQueryBehavior.js': 'export let infiniteQueryBehavior, hasNextPage, hasPreviousPage;',
};

const withoutUnusedParts = {
  name: 'without-unused-parts',
  load: {
    filter: { id: /[\\/]query-core[\\/].*(mutationCache|infiniteQueryBehavior)\.js$/ },
    handler: (id) => Object.entries(unusedParts).find(([file]) => id.endsWith(file))?.[1],
  },
};

// The list of the pages, for the server.
const pageList = {
  name: 'page-list',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'pages.json', source: readFileSync('src/app/pages.json', 'utf8') });
  },
};

export default defineConfig({
  // The server can be published below any path, see --base-path.
  base: './',
  plugins: [react(), withoutUnusedParts, pageList],
  // The server defines the URLs of the pages, see internal/web.
  appType: 'mpa',
  build: {
    target: 'es2023',
    // Browsers of 2024, which support light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    outDir: '../internal/web/dist',
    emptyOutDir: true,
    // An inlined file would need data: in more directives of the pages'
    // Content-Security-Policy.
    assetsInlineLimit: 0,
    // The polyfill for old browsers is an inline script.
    modulePreload: { polyfill: false },
    // The notices that the licences of the bundled packages require.
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
            // One file compresses better than several. Tables and ranges of one's own are loaded when they are first shown.
            {
              name: 'common',
              test: /preload-helper|[\\/]src[\\/](api|app(?![\\/](NotFoundPage|NoExplore))|gql|ui(?![\\/](DataTable|Figures|Project|dialog|[Kk]eys|[Pp]alette|commands|NoLogsHint|useSlashKey|ScrollFrame|SignIn|csv|table))|time(?![\\/]([Cc]ustom|[Cc]alendar|DayButton|dayOfValue|usePopup|iso|TimePicker)))[\\/]/,
            },
            // Listed after what it imports, so that only pages with charts load it. They are those of a project.
            {
              name: 'charts',
              test: /[\\/]src[\\/](chart(?![\\/]Tooltip)|series(?![\\/](SeriesTable|NothingInRange))|ui[\\/](Figures|Project))/,
            },
          ],
        },
      },
      // GraphiQL contains directives for a compiler that has run already.
      checks: { moduleLevelDirective: false },
    },
  },
  server: { proxy: { '/api/': server, '/graphql': server, '/schema.graphql': server } },
  test: { include: ['src/**/*.test.ts'], environment: 'node' },
});

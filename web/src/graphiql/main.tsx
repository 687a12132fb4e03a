import 'graphiql/setup-workers/vite';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import '../styles/tokens.css';
import '../styles/controls.css';
import './graphiql.css';
import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { Session } from '../api/session';
import { Preferences } from '../app/preferences';
import { openStorage } from '../app/storage';
import { TokenDialog } from '../ui/TokenDialog';
import { exampleTabs } from './examples';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');

const session = new Session(openStorage(() => window.sessionStorage));
session.takeFromAddress(window);
window.addEventListener('hashchange', () => session.takeFromAddress(window));

const fetcher = createGraphiQLFetcher({ url: '/graphql', fetch: session.fetch });
// Beside the documentation there is too little room to write, where the window is narrow.
const plugin = window.matchMedia('(min-width: 1000px)').matches ? DOC_EXPLORER_PLUGIN : undefined;
const asked = new URLSearchParams(window.location.search).get('query');

// The theme is chosen on the dashboard, and applies here, too.
const { theme } = new Preferences(
  openStorage(() => window.localStorage),
  document.documentElement,
).liking();

createRoot(root).render(
  <StrictMode>
    <Explorer />
  </StrictMode>,
);

/** GraphiQL, which reads the schema anew when the token changes. */
function Explorer() {
  const { token, generation } = useSyncExternalStore(session.subscribe, session.access);
  return (
    <main>
      <h1 className="visually-hidden">GraphiQL</h1>
      <GraphiQL
        key={generation}
        fetcher={fetcher}
        defaultTabs={exampleTabs}
        {...(plugin === undefined ? {} : { visiblePlugin: plugin })}
        {...(asked === null ? {} : { initialQuery: asked })}
        shouldPersistHeaders={false}
        isHeadersEditorEnabled={false}
        forcedTheme={theme}
      >
        <GraphiQL.Logo>
          <nav className="back" aria-label="Pages">
            <a href="/">savedq dashboard</a>
            {token === null ? null : (
              <button type="button" className="button" onClick={() => session.forget()}>
                Forget token
              </button>
            )}
          </nav>
        </GraphiQL.Logo>
      </GraphiQL>
      <TokenDialog session={session} />
    </main>
  );
}

import 'graphiql/setup-workers/vite';
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './graphiql.css';
import { DOC_EXPLORER_PLUGIN } from '@graphiql/plugin-doc-explorer';
import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { asObject, parseJson } from '../api/json';
import { serverPath } from '../api/server';
import { ServicesContext, useAccess } from '../app/context';
import { Header } from '../app/Header';
import { useLiking } from '../app/preferences';
import { remembered } from '../app/remembered';
import { startServices } from '../app/services';
import { unknownViewer, useViewerOfSession, usualProject, ViewerContext } from '../app/viewer';
import { TokenDialog } from '../ui/TokenDialog';
import { exampleTabs } from './examples';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root element.');

const services = startServices(window);
const { session } = services;
const fetcher = createGraphiQLFetcher({ url: serverPath('/graphql'), fetch: session.fetch });
// Beside the documentation there is too little room to write, where the window is narrow.
const plugin = window.matchMedia('(min-width: 1000px)').matches ? DOC_EXPLORER_PLUGIN : undefined;
// What was opened in a wide window would cover the editor.
if (plugin === undefined) services.store.removeItem('graphiql:visiblePlugin');
// The editor opens a dialog for line ends of other kinds than its own.
const requested = new URLSearchParams(window.location.search).get('query')?.replace(/[\u2028\u2029]/g, ' ');
for (const list of ['queries', 'favorites']) {
  const key = `graphiql:${list}`;
  if (!holdsList(services.store.getItem(key), list)) services.store.removeItem(key);
}

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <GraphiQLPage />
    </ServicesContext>
  </StrictMode>,
);

/** Reports whether GraphiQL's history can read what is stored. It throws if not, and then no page is shown. */
function holdsList(stored: string | null, list: string): boolean {
  try {
    return stored === null || Array.isArray(asObject(parseJson(stored))?.[list]);
  } catch {
    return false;
  }
}

/** GraphiQL below the site's header. It reads the schema again when the token changes. */
function GraphiQLPage() {
  const { generation } = useAccess();
  const { theme } = useLiking();
  const known = useViewerOfSession();
  const project = known === null ? '' : usualProject(known, remembered(services.store, 'project'));
  return (
    <ViewerContext value={known ?? unknownViewer}>
      <Header project={project} />
      <main>
        <h1 className="visually-hidden">GraphiQL</h1>
        {known !== null && (
          <GraphiQL
            key={generation}
            fetcher={fetcher}
            defaultTabs={exampleTabs(known, project)}
            {...(plugin === undefined ? {} : { visiblePlugin: plugin })}
            {...(requested === undefined ? {} : { initialQuery: requested })}
            shouldPersistHeaders={false}
            isHeadersEditorEnabled={false}
            forcedTheme={theme}
          >
            <GraphiQL.Logo>{null}</GraphiQL.Logo>
          </GraphiQL>
        )}
        <TokenDialog session={session} />
      </main>
    </ViewerContext>
  );
}

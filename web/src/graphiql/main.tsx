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
const requested = new URLSearchParams(window.location.search).get('query');

createRoot(root).render(
  <StrictMode>
    <ServicesContext value={services}>
      <GraphiQLPage />
    </ServicesContext>
  </StrictMode>,
);

/** GraphiQL below the site's header. It reads the schema again when the token changes. */
function GraphiQLPage() {
  const { generation } = useAccess();
  const { theme } = useLiking();
  const known = useViewerOfSession();
  return (
    <ViewerContext value={known ?? unknownViewer}>
      <Header project={known === null ? '' : usualProject(known, remembered(services.store, 'project'))} />
      <main>
        <h1 className="visually-hidden">GraphiQL</h1>
        <GraphiQL
          key={generation}
          fetcher={fetcher}
          defaultTabs={exampleTabs}
          {...(plugin === undefined ? {} : { visiblePlugin: plugin })}
          {...(requested === null ? {} : { initialQuery: requested })}
          shouldPersistHeaders={false}
          isHeadersEditorEnabled={false}
          forcedTheme={theme}
        >
          <GraphiQL.Logo>{null}</GraphiQL.Logo>
        </GraphiQL>
        <TokenDialog session={session} />
      </main>
    </ViewerContext>
  );
}

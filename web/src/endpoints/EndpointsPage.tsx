import './endpoints.css';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useServices } from '../app/context';
import type { PageProps } from '../app/pages';
import { useResponse } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { PageHead } from '../ui/PageHead';
import { FailurePanel, Skeleton } from '../ui/states';
import { readEndpoints } from './address';
import { EndpointDetails } from './EndpointDetails';
import { EndpointList } from './EndpointList';
import { CatalogDocument, EndpointsDocument } from './gql/graphql';
import { runsIn } from './history';

const NoEndpoint = lazy(async () => ({ default: (await import('./NoEndpoint')).NoEndpoint }));
const MistakesNotice = lazy(async () => ({ default: (await import('./MistakesNotice')).MistakesNotice }));

/** How often the page looks for changed folders, in seconds. */
const pollSeconds = 5;

/** The saved queries: what they are, a form to run them, and how to call them. */
export function EndpointsPage({ params, project }: PageProps) {
  const state = readEndpoints(params, project);
  const { client, store } = useServices();
  const loading = useResponse({
    key: 'endpoints',
    load: async (options) => (await client.query(EndpointsDocument, {}, options)).data.endpoints,
  });
  const { data, failure } = loading;
  const catalog = useCatalog(loading.refresh);
  const named = (wanted: string | undefined) => data?.find(({ name }) => name === wanted);
  const [last] = useState(() => runsIn(store)[0]?.name);
  const chosen =
    state.name === '' ? (named(last) ?? named('functions.invocation-stats') ?? data?.[0]) : named(state.name);
  useTitle(chosen === undefined ? 'Endpoints' : `${chosen.name} · Endpoints`);
  return (
    <>
      <PageHead title="Endpoints" />
      <Suspense>
        <MistakesNotice catalog={catalog} />
      </Suspense>
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={loading.busy} onRetry={() => loading.refresh()} />
      ) : data === null ? (
        <div className="panel box">
          <Skeleton label="Loading the endpoints" height="rows" />
        </div>
      ) : data.length === 0 ? (
        <Suspense>
          <NoEndpoint name={null} />
        </Suspense>
      ) : (
        <div className="split">
          <EndpointList endpoints={data} chosen={chosen} project={state.project} />
          {chosen === undefined ? (
            <Suspense>
              <NoEndpoint name={state.name} />
            </Suspense>
          ) : (
            <EndpointDetails key={chosen.id} endpoint={chosen} state={{ ...state, name: chosen.name }} />
          )}
        </div>
      )}
    </>
  );
}

/** Polls the state of the saved queries, and calls reload after the server has loaded them again. */
function useCatalog(reload: () => Promise<void>) {
  const { client } = useServices();
  const { data } = useResponse({
    key: 'catalog',
    load: async (options) => (await client.query(CatalogDocument, {}, options)).data.catalog,
    next: () => ({ seconds: pollSeconds, bypass: false }),
    live: true,
  });
  const loadedAt = data?.loadedAt;
  const before = useRef(loadedAt);
  useEffect(() => {
    if (before.current !== undefined && before.current !== loadedAt) void reload();
    before.current = loadedAt;
  }, [loadedAt, reload]);
  return data;
}

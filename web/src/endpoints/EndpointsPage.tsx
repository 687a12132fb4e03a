import './endpoints.css';
import { useServices } from '../app/context';
import { Link } from '../app/Link';
import { type EndpointsState, write } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { useTitle } from '../app/useTitle';
import { EndpointsDocument } from '../gql/graphql';
import { formatCountOf } from '../ui/numbers';
import { PageHead } from '../ui/PageHead';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { EndpointDetails } from './EndpointDetails';

/** The saved queries: what they are, a form to run them, and how to call them. */
export function EndpointsPage({ state }: { state: EndpointsState }) {
  const { client } = useServices();
  const loading = useResponse({
    key: 'endpoints',
    load: async (options) => (await client.query(EndpointsDocument, {}, options)).data.endpoints,
  });
  const { data, failure } = loading;
  const chosen = data?.find(({ name }) => name === state.name) ?? (state.name === '' ? data?.[0] : undefined);
  useTitle(chosen === undefined ? 'Endpoints' : `${chosen.name} · Endpoints`);
  return (
    <>
      <PageHead title="Endpoints" />
      {failure !== null && data === null ? (
        <FailurePanel failure={failure} busy={loading.busy} onRetry={() => loading.refresh()} />
      ) : data === null ? (
        <div className="panel box">
          <Skeleton label="Loading the endpoints" height="rows" />
        </div>
      ) : data.length === 0 ? (
        <div className="panel box">
          <Empty title="No saved queries">
            <p>
              This server has none, or your token may not see any. Saved queries are folders; point the server to yours
              with <code>savedq serve --queries DIR</code>.
            </p>
          </Empty>
        </div>
      ) : (
        <div className="split">
          <nav aria-label="Saved queries" className="endpoint-list nav wrap">
            {data.map((endpoint) => (
              <Link
                key={endpoint.id}
                href={write.endpoints({ project: state.project, name: endpoint.name, args: {} })}
                aria-current={endpoint === chosen ? 'true' : undefined}
              >
                <strong>{endpoint.name}</strong>
                <span className="muted small">
                  {formatCountOf(endpoint.parameters.length, 'parameter', 'parameters')} ·{' '}
                  {formatCountOf(endpoint.columns.length, 'column', 'columns')}
                </span>
              </Link>
            ))}
          </nav>
          {chosen === undefined ? (
            <div className="panel box">
              <Empty title="No such saved query">
                <p>
                  This server has no saved query <code>{state.name}</code>. Choose one from the list.
                </p>
              </Empty>
            </div>
          ) : (
            <EndpointDetails key={chosen.id} endpoint={chosen} state={{ ...state, name: chosen.name }} />
          )}
        </div>
      )}
    </>
  );
}

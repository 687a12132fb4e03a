import { lazy, Suspense } from 'react';
import { useServices } from '../app/context';
import { type EndpointsState, write } from '../app/routes';
import { permittedValues, useViewer } from '../app/viewer';
import { formatDuration } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { formatCount } from '../ui/numbers';
import { Skeleton, Warning } from '../ui/states';
import { ColumnTable } from './ColumnTable';
import { RunForm } from './RunForm';
import type { Arguments, Endpoint } from './rest';
import { Sql } from './Sql';

const Snippets = lazy(() => import('./Snippets'));

interface EndpointDetailsProps {
  endpoint: Endpoint;
  state: EndpointsState;
}

/** The details of one saved query. */
export function EndpointDetails({ endpoint, state }: EndpointDetailsProps) {
  const { address } = useServices();
  const viewer = useViewer();
  // The only value that the token allows, and the project of the other pages, are defaults.
  const usual: Arguments = Object.fromEntries(
    endpoint.parameters.flatMap((parameter): [string, readonly string[]][] => {
      const permitted = permittedValues(viewer, parameter);
      if (permitted?.length === 1) return [[parameter.name, permitted]];
      return parameter.scope === 'project' ? [[parameter.name, [state.project]]] : [];
    }),
  );
  const args = { ...usual, ...state.args };
  const replace = (part: Partial<EndpointsState>): void =>
    address.replace(write.endpoints({ ...state, args, ...part }));
  return (
    <article className="sections">
      <section className="panel box sections">
        <div className="head row">
          <h2>{endpoint.name}</h2>
          <CopyButton label="Copy id" text={() => endpoint.id} />
        </div>
        {endpoint.deprecated === null ? null : <Warning title="Deprecated.">{endpoint.deprecated}</Warning>}
        <p>{endpoint.description}</p>
        <dl className="facts medium">
          <dt>Id</dt>
          <dd>
            <code>{endpoint.id}</code>
          </dd>
          {endpoint.aliases.length === 0 ? null : (
            <>
              <dt>Aliases</dt>
              <dd>
                <code>{endpoint.aliases.join(', ')}</code>
              </dd>
            </>
          )}
          <dt>GraphQL field</dt>
          <dd>
            <code>{endpoint.field}</code>
          </dd>
          <dt>Language</dt>
          <dd>{endpoint.language}</dd>
          <dt>Rows</dt>
          <dd>at most {formatCount(endpoint.maxRows)}</dd>
          <dt>Caching</dt>
          <dd>{cachingOf(endpoint)}</dd>
          <dt>Sandbox</dt>
          <dd>{endpoint.sandboxed ? 'on: callers can send SQL' : 'off'}</dd>
        </dl>
      </section>
      <section className="panel box sections">
        <h3>Run</h3>
        <RunForm
          endpoint={endpoint}
          args={args}
          view={state.view}
          onChange={(next) => replace({ args: withoutEmpty(next, usual) })}
          onView={(view) => replace({ view })}
        />
      </section>
      <section className="panel box sections">
        <h3>Code snippets</h3>
        <Suspense fallback={<Skeleton label="Loading the code snippets" height="snippet" />}>
          <Snippets endpoint={endpoint} args={args} />
        </Suspense>
      </section>
      <section className="panel box sections">
        <h3>Columns</h3>
        <ColumnTable endpoint={endpoint} />
      </section>
      <section className="panel box sections">
        <div className="head row">
          <h3>SQL</h3>
          <CopyButton label="Copy SQL" text={() => endpoint.sql} />
        </div>
        <Sql text={endpoint.sql} />
      </section>
    </article>
  );
}

/** Drops single empty values, except where they replace the usual one. */
function withoutEmpty(args: Arguments, usual: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([name, values]) => String(values) !== '' || name in usual));
}

function cachingOf({ cacheSeconds, warmSeconds }: Endpoint): string {
  if (cacheSeconds === null) return 'off';
  const cached = formatDuration(cacheSeconds * 1000);
  return warmSeconds === null
    ? cached
    : `${cached}, refreshed every ${formatDuration(warmSeconds * 1000)} while in use`;
}

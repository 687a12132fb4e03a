import { useServices } from '../app/context';
import { type EndpointsState, write } from '../app/routes';
import { formatDuration } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { DataTable } from '../ui/DataTable';
import { formatCount } from '../ui/numbers';
import { RunForm } from './RunForm';
import type { Arguments, Endpoint } from './rest';
import { Snippets } from './Snippets';
import { Sql } from './Sql';

interface EndpointDetailsProps {
  endpoint: Endpoint;
  state: EndpointsState;
}

/** The details of one saved query. */
export function EndpointDetails({ endpoint, state }: EndpointDetailsProps) {
  const { address } = useServices();
  // The project of the other pages is the default.
  const scoped = endpoint.parameters.find(({ scope }) => scope === 'project');
  const usual: Arguments = scoped === undefined ? {} : { [scoped.name]: state.project };
  const args = { ...usual, ...state.args };
  const change = (next: Arguments): void => address.replace(write.endpoints({ ...state, args: next }));
  return (
    <article className="sections">
      <section className="panel box sections">
        <div className="head row">
          <h2>{endpoint.name}</h2>
          <CopyButton label="Copy id" text={() => endpoint.id} />
        </div>
        <p>{endpoint.description}</p>
        <dl className="facts medium">
          <dt>Id</dt>
          <dd>
            <code>{endpoint.id}</code>
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
        <RunForm endpoint={endpoint} args={args} onChange={change} />
      </section>
      <section className="panel box sections">
        <h3>Code snippets</h3>
        <Snippets endpoint={endpoint} args={args} />
      </section>
      <section className="panel box sections">
        <h3>Columns</h3>
        <DataTable
          caption={`Columns of ${endpoint.name}`}
          columns={[{ name: 'Name' }, { name: 'Type' }, { name: 'Nullable' }]}
          rows={endpoint.columns.map((column) => ({
            key: column.name,
            cells: [
              <>
                <code>{column.name}</code>
                <p className="muted">{column.description}</p>
              </>,
              column.type,
              column.nullable ? 'yes' : 'no',
            ],
          }))}
        />
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

function cachingOf({ cacheSeconds, warmSeconds }: Endpoint): string {
  if (cacheSeconds === null) return 'off';
  const cached = formatDuration(cacheSeconds * 1000);
  return warmSeconds === null
    ? cached
    : `${cached}, refreshed every ${formatDuration(warmSeconds * 1000)} while in use`;
}

import './facts.css';
import { Link } from '../app/Link';
import { useViewer } from '../app/viewer';
import { CopyButton } from '../ui/CopyButton';
import { formatCount } from '../ui/numbers';
import { writeExplore } from './address';
import { ColumnTable } from './ColumnTable';
import { cachingOf } from './caching';
import type { Arguments, Endpoint } from './rest';
import { Snippets } from './Snippets';
import { Sql } from './Sql';

interface EndpointFactsProps {
  endpoint: Endpoint;
  args: Arguments;
  project: string;
}

/** How to call a saved query, and what it is. It is the default export, because it is loaded after the form. */
export default function EndpointFacts({ endpoint, args, project }: EndpointFactsProps) {
  const viewer = useViewer();
  return (
    <>
      <section className="panel box sections">
        <h3>Code snippets</h3>
        <Snippets endpoint={endpoint} args={args} />
      </section>
      <section className="panel box sections">
        <h3>Columns</h3>
        <ColumnTable endpoint={endpoint} />
      </section>
      <section className="panel box sections">
        <div className="head row">
          <h3>SQL</h3>
          {viewer.explore ? (
            <Link className="button" href={exploreAddress(endpoint, args, project)}>
              Open in Explore
            </Link>
          ) : null}
          <CopyButton label="Copy SQL" text={() => endpoint.sql} />
        </div>
        <Sql text={endpoint.sql} dialect={endpoint.language} />
      </section>
      <section className="panel box sections">
        <h3>Details</h3>
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
    </>
  );
}

/** The address of Explore with the SQL and the arguments of a saved query. */
function exploreAddress({ sql, language }: Endpoint, args: Arguments, project: string): string {
  const dialect = language === 'googlesql' ? '' : language;
  return writeExplore({ project, sql, dialect, args, look: {} });
}

import type { Client, RequestOptions } from '../api/client';
import { EndpointsDocument } from '../endpoints/gql/graphql';
import type { Endpoint } from '../endpoints/rest';
import { tokenise } from '../endpoints/sql';
import { type Dialect, dialects, googleSQL, parametersOf } from './dialect';
import type { NewTab } from './tabs';

/** The saved queries that the token may run. Throws a Failure. */
export async function endpointsOf(client: Client, options: RequestOptions): Promise<readonly Endpoint[]> {
  return (await client.query(EndpointsDocument, {}, options)).data.endpoints;
}

/** A tab with the SQL of a saved query, with the defaults of its parameters. */
export function tabOf(endpoint: Endpoint, project: string): NewTab {
  const dialect = dialects.find(({ name }) => name === endpoint.language) ?? googleSQL;
  const sql = withCurrentTime(endpoint.sql.trimEnd(), dialect);
  const names = new Set(parametersOf(sql, dialect));
  const args = endpoint.parameters.flatMap((parameter): [string, string[]][] => {
    const { name, default: usual, defaults, scope } = parameter;
    const values = scope === 'project' && usual === null ? [project] : usual === null ? [...defaults] : [usual];
    return names.has(name) && values.length > 0 ? [[name, values]] : [];
  });
  return {
    dialect: dialect.name,
    texts: { [dialect.name]: sql },
    args: Object.fromEntries(args),
    saved: endpoint.name,
    kept: false,
  };
}

const currentTime = 'CURRENT_TIMESTAMP()';

/** SQL of a saved query as the editor runs it: in GoogleSQL, @now is only for saved queries. */
function withCurrentTime(sql: string, dialect: Dialect): string {
  if (dialect !== googleSQL) return sql;
  return tokenise(sql)
    .map(({ kind, text }) => (kind === 'parameter' && text.toLowerCase() === '@now' ? currentTime : text))
    .join('');
}

/** SQL of the editor as a saved query has it: the time of the run is @now, which its cache knows. */
export function withNow(sql: string, dialect: Dialect): string {
  if (dialect !== googleSQL) return sql;
  const tokens = tokenise(sql);
  const isCall = (at: number): boolean =>
    tokens
      .slice(at, at + 3)
      .map(({ text }) => text.toUpperCase())
      .join('') === currentTime;
  return tokens.map(({ text }, at) => (isCall(at) ? '@now' : isCall(at - 1) || isCall(at - 2) ? '' : text)).join('');
}

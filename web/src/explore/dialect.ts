import { tokenise } from '../endpoints/sql';

/** A dialect of SQL, as the page needs it. */
export interface Dialect {
  /** In requests. */
  name: string;
  label: string;
  /** In addresses and in the browser's storage. */
  key: string;
  /** Begins a parameter. */
  prefix: '@' | '$' | '{';
  /** SQL to begin with: how many events a table had in each minute of the last hour. */
  example: (table: string) => string;
  /** How SQL begins to read members of an object in metadata. */
  members: (path: readonly string[]) => string;
}

const inMetadata = (path: readonly string[]): string => ['metadata', ...path].join('.');

export const googleSQL: Dialect = {
  name: 'googlesql',
  label: 'GoogleSQL',
  key: '',
  prefix: '@',
  members: inMetadata,
  example: (table) => `SELECT
  TIMESTAMP_TRUNC(timestamp, MINUTE) AS minute,
  COUNT(*) AS events
FROM ${table}
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
GROUP BY minute
ORDER BY minute`,
};

export const duckDB: Dialect = {
  name: 'duckdb',
  label: 'DuckDB',
  key: 'duckdb',
  prefix: '$',
  members: inMetadata,
  example: (table) => `SELECT
  date_trunc('minute', timestamp) AS minute,
  count(*) AS events
FROM ${table}
WHERE timestamp > $now - INTERVAL 1 HOUR
GROUP BY ALL
ORDER BY minute`,
};

/** ClickHouse's SQL, over the table logs. */
export const clickHouse: Dialect = {
  name: 'clickhouse',
  label: 'ClickHouse',
  key: 'clickhouse',
  prefix: '{',
  members: (path) => (path.length === 0 ? 'log_attributes' : `log_attributes['${path.join('.')}.…']`),
  example: (source) => `SELECT
  toStartOfMinute(timestamp) AS minute,
  count() AS events
FROM logs
WHERE source = '${source}' AND timestamp > now() - INTERVAL 1 HOUR
GROUP BY minute
ORDER BY minute`,
};

export const dialects = [googleSQL, clickHouse, duckDB];

/** A parameter, as it is called beside its field. */
export function shownParameter(name: string, { prefix }: Dialect): string {
  return prefix === '{' ? `{${name}}` : prefix + name;
}

/** The parameters as SQL has them, such as @since, and since:DateTime of {since:DateTime}, without what encloses them. */
export function writtenParameters(sql: string, { name, prefix }: Dialect): string[] {
  return tokenise(sql, name).flatMap(({ kind, text }) =>
    kind === 'parameter' && text.startsWith(prefix) ? [text.slice(1).replace('}', '')] : [],
  );
}

/** The parameters of SQL, such as since of @since, in the order of their first use. The server gives now its value. */
export function parametersOf(sql: string, dialect: Dialect): string[] {
  const names = writtenParameters(sql, dialect).map((written) => written.split(':', 1)[0] ?? '');
  return [...new Set(names)].filter((name) => dialect.prefix === '@' || name !== 'now');
}

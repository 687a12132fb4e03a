import { tokenise } from '../endpoints/sql';

/** A dialect of SQL, as the page needs it. */
export interface Dialect {
  /** In requests. */
  name: string;
  label: string;
  /** In addresses and in the browser's storage. */
  key: string;
  /** Begins a parameter. */
  prefix: '@' | '$';
  /** SQL to begin with: how many events a table had in each minute of the last hour. */
  example: (table: string) => string;
}

export const googleSQL: Dialect = {
  name: 'googlesql',
  label: 'GoogleSQL',
  key: '',
  prefix: '@',
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
  example: (table) => `SELECT
  date_trunc('minute', timestamp) AS minute,
  count(*) AS events
FROM ${table}
WHERE timestamp > $now - INTERVAL 1 HOUR
GROUP BY ALL
ORDER BY minute`,
};

export const dialects = [googleSQL, duckDB];

/** The parameters of SQL, such as since of @since, in the order of their first use. The server gives now its value. */
export function parametersOf(sql: string, { prefix }: Dialect): string[] {
  const names = tokenise(sql).flatMap(({ kind, text }) =>
    kind === 'parameter' && text.startsWith(prefix) ? [text.slice(1)] : [],
  );
  return [...new Set(names)].filter((name) => prefix === '@' || name !== 'now');
}

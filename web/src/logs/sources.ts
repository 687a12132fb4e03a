/** The log sources, by their tables. */
export const sources = [
  'edge_logs',
  'postgres_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'postgrest_logs',
  'pgbouncer_logs',
];

/** The choices of a field for the source. Another one can come from a link. */
export function sourceChoices(source: string): { value: string; label: string }[] {
  const known = source === '' || sources.includes(source) ? sources : [source, ...sources];
  return [{ value: '', label: 'All sources' }, ...known.map((value) => ({ value, label: value }))];
}

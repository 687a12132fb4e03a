import { tokenise } from '../endpoints/sql';

/** The parameters of GoogleSQL, such as since of @since, in the order of their first use. */
export function parametersOf(sql: string): string[] {
  const names = tokenise(sql).flatMap(({ kind, text }) =>
    kind === 'parameter' && /^@\w+$/.test(text) ? [text.slice(1)] : [],
  );
  return [...new Set(names)];
}

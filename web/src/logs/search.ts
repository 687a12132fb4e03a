import type { LogsState } from '../app/routes';
import type { LogsSearchSource } from './gql/graphql';
import type { Bounds } from './range';

/** Identifies a search. */
export function keyOfSearch(state: LogsState): string {
  const { filter, live, ...searched } = state;
  return JSON.stringify(['search', searched]);
}

/** Before the first entry: without a start, the server searches only the last hour. */
const beginning = '1970-01-01T00:00:00Z';

/** The variables of a search that all its requests share. */
export function filtersOf(state: LogsState, { start, end }: Bounds) {
  const { project, tier, source, text, status, method, path } = state;
  return {
    project,
    tier,
    // The enum has the names in capitals. It is the same for all requests.
    source: source === '' ? null : (source.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_') as LogsSearchSource),
    text,
    status,
    method,
    path,
    start: start ?? beginning,
    end,
  };
}

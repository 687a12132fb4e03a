import type { LogsState } from '../app/routes';
import { filtersOf, parseQuery, type Term, wordsOf } from './query';
import { type Bounds, boundsOf } from './range';

/** Identifies a search. */
export function keyOfSearch({ entry, live, columns, ...searched }: LogsState): string {
  return JSON.stringify(['search', searched]);
}

/** Before the first entry: without a start, the server searches only the last hour. */
const beginning = '1970-01-01T00:00:00Z';

/** The variables of a search that all its requests share. */
export function variablesOf({ project, tier }: LogsState, terms: readonly Term[], { start, end }: Bounds) {
  return { project, tier, text: wordsOf(terms), filters: filtersOf(terms), start: start ?? beginning, end };
}

/** The variables of a search of a state at a time, without the terms of a field, if one is given. */
export function searchOf(state: LogsState, now: number, without?: string) {
  const terms = parseQuery(state.query).terms.filter(({ field }) => field !== without);
  return variablesOf(state, terms, boundsOf(state, now));
}

/** How the rows of a field were come by; the states of extensions.freshness. */
export type CacheStatus = 'HIT' | 'MISS' | 'JOINED' | 'REFRESHED' | 'STALE' | 'OFF';

/** What extensions.freshness says about the rows of one field. */
export interface Freshness {
  cache: CacheStatus;
  /** For how many whole seconds the rows had been kept when they were sent. */
  ageSeconds: number;
  /** The time as of which the rows were computed, RFC 3339. */
  asOf: string;
  /** Whether rows beyond the endpoint's bound were cut off. */
  truncated: boolean;
  bytesProcessed: number;
}

/** How a saved query is cached: how often its rows can change. */
export interface Caching {
  /** For how many seconds rows are kept; null where they are not. */
  cacheSeconds: number | null;
  /** Every how many seconds rows that are asked for are computed anew; null where never. */
  warmSeconds: number | null;
}

/** Rows that are not kept are asked for this often, in seconds. */
const uncachedSeconds = 10;
/** Rows that should be newer by now are asked for this often, in seconds. */
const overdueSeconds = 15;
/** The period of rows of which nothing is known, in seconds. */
const unknownSeconds = 60;

/**
 * Says in how many seconds the rows may have changed, which is when it is worth
 * asking again: not before they are computed anew or expire.
 */
export function secondsUntilChange(freshness: Freshness, caching: Caching | null): number {
  if (freshness.cache === 'OFF') return uncachedSeconds;
  if (freshness.cache === 'STALE') return overdueSeconds;
  const period = caching?.warmSeconds ?? caching?.cacheSeconds ?? unknownSeconds;
  const left = period - freshness.ageSeconds;
  // A second later than due, because the rows take a moment to be made.
  return left > 0 ? left + 1 : overdueSeconds;
}

/** The freshness of a field, which every server that this page is of gives. */
export function freshnessOf(all: { [field: string]: Freshness }, field: string): Freshness {
  const found = all[field];
  if (found === undefined) throw new Error(`The server did not say how fresh ${field} is.`);
  return found;
}

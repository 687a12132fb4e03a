/** The source of a field's rows, as in extensions.freshness. */
export type CacheStatus = 'HIT' | 'MISS' | 'JOINED' | 'REFRESHED' | 'STALE' | 'OFF';

/** What the run behind a response cost, and what it reused of an earlier run. */
export interface Work {
  /** How many rows the engine has computed. */
  rowsRead: number;
  /** How many rows an earlier run has computed, as those of closed buckets. */
  rowsReused: number;
  /** How many bytes the engine has read, and has not because rows were reused; 0 if it does not count them. */
  bytesProcessed: number;
  bytesReused: number;
}

/** What extensions.freshness says about the rows of one field. */
export interface Freshness extends Work {
  cache: CacheStatus;
  /** The age of the rows when they were sent, in whole seconds. */
  ageSeconds: number;
  /** The time at which the rows were computed, RFC 3339. */
  asOf: string;
  /** Whether rows beyond the endpoint's limit were cut off. */
  truncated: boolean;
}

/** How a saved query is cached: how often its rows can change. */
export interface Caching {
  /** How long rows are cached, in seconds; null if they are not. */
  cacheSeconds: number | null;
  /** The interval at which cached rows are refreshed while in use, in seconds; null for never. */
  warmSeconds: number | null;
}

/** How often a page refreshes. */
export interface Pace {
  seconds: number;
  /** Whether the page bypasses the cache; otherwise rows change when the cache refreshes them. */
  bypass: boolean;
}

/** Rows that are not cached are requested this often, in seconds. */
const uncachedSeconds = 10;
/** Rows that should be newer by now are requested this often, in seconds. */
const overdueSeconds = 15;
/** The interval if the caching is unknown, in seconds. */
const unknownSeconds = 60;

/** The pace of rows that the server does not cache. */
export const uncachedPace: Pace = { seconds: uncachedSeconds, bypass: false };

/** The pace of a series: the cache's own, unless the token may refresh and the series moves faster. */
export function paceOf(caching: Caching | null, liveSeconds: number | null, mayRefresh: boolean): Pace {
  const seconds = caching?.warmSeconds ?? caching?.cacheSeconds ?? unknownSeconds;
  return mayRefresh && liveSeconds !== null && liveSeconds < seconds
    ? { seconds: liveSeconds, bypass: true }
    : { seconds, bypass: false };
}

/**
 * Returns in how many seconds the rows may have changed. Rows that bypassed the cache,
 * as requested, are no older than the pace unless the server declined.
 */
export function secondsUntilChange(freshness: Freshness, pace: Pace, bypassed: boolean): number {
  if (freshness.cache === 'OFF') return pace.seconds;
  if (freshness.cache === 'STALE') return overdueSeconds;
  const left = pace.seconds - freshness.ageSeconds;
  if (left <= 0) return pace.bypass && !bypassed ? 1 : overdueSeconds;
  // A second later than due, because the rows take a moment to be computed.
  return left + 1;
}

/** The freshness of a field, which the server always sends. */
export function freshnessOf(all: { [field: string]: Freshness }, field: string): Freshness {
  const found = all[field];
  if (found === undefined) throw new Error(`The response has no freshness of ${field}.`);
  return found;
}

/** Reads the headers X-Rows and X-Bytes of a REST response; null without the first. */
export function workOf(headers: Headers): Work | null {
  const rows = readAndReused(headers.get('X-Rows'));
  if (rows === null) return null;
  const [bytesProcessed, bytesReused] = readAndReused(headers.get('X-Bytes')) ?? [0, 0];
  return { rowsRead: rows[0], rowsReused: rows[1], bytesProcessed, bytesReused };
}

/** Reads a header such as "read=1, reused=24". */
function readAndReused(header: string | null): [number, number] | null {
  const match = /^read=(\d+), reused=(\d+)$/.exec(header ?? '');
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

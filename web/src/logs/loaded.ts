import type { Freshness } from '../api/freshness';
import type { LogsQuery, LogsQueryVariables } from '../gql/graphql';

export type LogEntry = LogsQuery['logs'][number];

/** The most entries that one answer holds. */
export const pageSize = 100;

/** An answer of the server to one question about logs. */
export interface Page {
  entries: LogEntry[];
  /** What was asked for; while something else is on its way, the entries are still of this. */
  variables: LogsQueryVariables;
  freshness: Freshness;
  receivedAt: number;
}

/** The entries that are loaded, newest first, and what is known about what they leave out. */
export interface Loaded extends Page {
  /** Whether there can be older entries that are not loaded. */
  more: boolean;
}

/** Starts with the newest entries. */
export function begin(page: Page): Loaded {
  return { ...page, more: page.entries.length >= pageSize };
}

/**
 * Puts the newest entries above the loaded ones. Where a full page does not reach
 * down to them, entries between the two are unknown; then only the page is kept,
 * because a list with a hole would look as if there were none.
 */
export function refresh(loaded: Loaded, page: Page): Loaded {
  const known = new Set(loaded.entries.map((entry) => entry.id));
  const meets = page.entries.length < pageSize || page.entries.some((entry) => known.has(entry.id));
  if (!meets) return begin(page);
  // Within the time that the page reaches over, it alone says what there is.
  const newest = new Set(page.entries.map((entry) => entry.id));
  const until = Date.parse(page.entries.at(-1)?.timestamp ?? '');
  const after = page.variables.start ? Date.parse(page.variables.start) : -Infinity;
  const isOlder = ({ id, timestamp }: LogEntry): boolean => {
    const time = Date.parse(timestamp);
    return !newest.has(id) && time <= until && time > after;
  };
  const older = page.entries.length < pageSize ? [] : loaded.entries.filter(isOlder);
  return {
    ...page,
    entries: [...page.entries, ...older],
    more: page.entries.length >= pageSize && loaded.more,
  };
}

/**
 * Puts older entries below the loaded ones. The page reaches up to the time of the
 * last loaded one and so repeats those of that time, which are dropped.
 */
export function extend(loaded: Loaded, page: Page): Loaded {
  const known = new Set(loaded.entries.map((entry) => entry.id));
  const older = page.entries.filter((entry) => !known.has(entry.id));
  return {
    ...loaded,
    entries: [...loaded.entries, ...older],
    // A full page of entries that are all known leads nowhere: more than a page
    // of them bear the same time, and the server gives no way past it.
    more: page.entries.length >= pageSize && older.length > 0,
  };
}

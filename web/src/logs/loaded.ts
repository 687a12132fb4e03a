import type { Freshness } from '../api/freshness';
import type { LogsQuery, LogsQueryVariables } from './gql/graphql';

export type LogEntry = LogsQuery['logs'][number] & {
  /** The log source and the id there, where events of several sources are shown. */
  source?: string;
  eventId?: string;
  /** What the server has read from the metadata, if it has. */
  status?: number | null;
  method?: string | null;
  path?: string | null;
  level?: string | null;
};

/** The most entries in one response. */
export const pageSize = 100;

/** One response with log entries. */
export interface Page {
  entries: LogEntry[];
  /** The variables of this request; the current ones may differ while the next response loads. */
  variables: LogsQueryVariables;
  /** Whether the server has applied filters. */
  filtered: boolean;
  freshness: Freshness;
  receivedAt: number;
}

/** The loaded entries, newest first, and whether there are more. */
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
 * down to them, the entries between are unknown; then only the page stays,
 * because a gap in the list would not be visible.
 */
export function refresh(loaded: Loaded, page: Page): Loaded {
  const known = new Set(loaded.entries.map(({ id }) => id));
  const meets = page.entries.length < pageSize || page.entries.some((entry) => known.has(entry.id));
  if (!meets) return begin(page);
  // Within its time range, the new page is complete.
  const newest = new Set(page.entries.map(({ id }) => id));
  const until = Date.parse(page.entries.at(-1)?.timestamp ?? '');
  const after = page.variables.start ? Date.parse(page.variables.start) : -Infinity;
  const isOlder = (entry: LogEntry): boolean => {
    const time = Date.parse(entry.timestamp);
    return !newest.has(entry.id) && time <= until && time > after;
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
  const known = new Set(loaded.entries.map(({ id }) => id));
  const older = page.entries.filter((entry) => !known.has(entry.id));
  return {
    ...loaded,
    entries: [...loaded.entries, ...older],
    // A full page of known entries is the end: more than a page of
    // them have the same time, and the server cannot page past it.
    more: page.entries.length >= pageSize && older.length > 0,
  };
}

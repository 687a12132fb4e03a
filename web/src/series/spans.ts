import { minute } from '../time/units';

/** How far back an interval looks, and how wide its buckets are, in milliseconds. */
export interface Span {
  window: number;
  width: number;
}

/**
 * How often a live series is computed, in seconds: every ten, which is as often as the
 * server computes the same rows, while it spans minutes; once for each bucket of a
 * minute; null for wider buckets, which follow the cache.
 */
export function liveSeconds({ window, width }: Span): number | null {
  if (window <= 15 * minute) return 10;
  return width <= minute ? 60 : null;
}

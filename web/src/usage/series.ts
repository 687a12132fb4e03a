import type { ApiCountInterval, UsageQuery } from '../gql/graphql';

export type ApiCount = UsageQuery['rows'][number];

/** A bucket of the axis; its counts are null where the server has no element for it. */
export interface UsageBucket {
  start: Date;
  counts: ApiCount | null;
  /** Whether only a part of the bucket's time is counted. */
  partial: boolean;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How far back an interval looks, and how wide its buckets are, in milliseconds. */
export const spans: { [interval in ApiCountInterval]: { window: number; width: number } } = {
  MINUTELY: { window: 60 * minute, width: minute },
  HOURLY: { window: hour, width: hour },
  DAILY: { window: 7 * day, width: day },
};

/**
 * Puts the elements, which exist only where there was a request (D6), on an axis
 * without gaps. The window starts where it starts and not at a bucket, so the first
 * bucket can be partial; the last one is not over yet.
 */
export function fillBuckets(counts: ApiCount[], interval: ApiCountInterval, asOf: Date): UsageBucket[] {
  const { window, width } = spans[interval];
  const byStart = new Map(counts.map((count) => [Date.parse(count.timestamp), count]));
  const end = asOf.getTime();
  const first = Math.floor((end - window) / width) * width;
  const buckets: UsageBucket[] = [];
  for (let start = first; start <= end; start += width) {
    buckets.push({
      start: new Date(start),
      counts: byStart.get(start) ?? null,
      partial: start < end - window || start + width > end,
    });
  }
  return buckets;
}

import type { SeriesColumn } from '../series/SeriesTable';
import type { Span } from '../series/spans';
import { day, hour, minute } from '../time/units';
import type { Figure } from '../ui/Figures';
import { formatCount, formatRounded, formatShare } from '../ui/numbers';
import { areas } from './areas';
import type { ApiCountInterval, UsageQuery } from './gql/graphql';

export type ApiCount = UsageQuery['rows'][number];

/** A bucket of the axis; its counts are null if the server has no row for it. */
export interface UsageBucket {
  start: Date;
  counts: ApiCount | null;
  /** Whether the time range covers only part of the bucket. */
  partial: boolean;
}

/** How far back an interval looks, and how wide its buckets are. */
export const spans: { [interval in ApiCountInterval]: Span } = {
  MINUTELY: { window: hour, width: minute },
  HOURLY: { window: hour, width: hour },
  DAILY: { window: 7 * day, width: day },
};

/** The start of the time range, which need not be the start of a bucket (D6). */
export function windowStart(interval: ApiCountInterval, asOf: string): Date {
  return new Date(Date.parse(asOf) - spans[interval].window);
}

/**
 * Puts the rows, which exist only for buckets with requests (D6), on an axis
 * without gaps. The time range need not start at a bucket, so the first
 * bucket can be partial; the last one is in progress.
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

/** The requests of a bucket to all areas. */
export function totalOf(counts: ApiCount): number {
  return areas.reduce((sum, { field }) => sum + counts[field], 0);
}

/** The columns of the table. */
export const columns: readonly SeriesColumn<UsageBucket>[] = [
  {
    name: 'Total',
    value: ({ counts }) => (counts === null ? null : totalOf(counts)),
    format: formatCount,
    summed: true,
  },
  ...areas.map(
    ({ name, field }): SeriesColumn<UsageBucket> => ({
      name,
      value: ({ counts }) => counts?.[field] ?? null,
      format: formatCount,
      summed: true,
    }),
  ),
];

/** The total, and the total of each area; without values while loading. */
export function figuresOf(counts: ApiCount[] | null): Figure[] {
  const totals = areas.map(({ field }) => (counts ?? []).reduce((sum, count) => sum + count[field], 0));
  const all = totals.reduce((sum, total) => sum + total, 0);
  const exact = (total: number): number | undefined => (counts === null ? undefined : total);
  return [
    { name: 'Total', exact: exact(all), format: formatRounded, note: 'requests' },
    ...areas.map(({ name, tone }, index) => ({
      name,
      tone,
      exact: exact(totals[index] ?? 0),
      format: formatRounded,
      note: all === 0 ? '' : `${formatShare(totals[index] ?? 0, all)} of total`,
    })),
  ];
}

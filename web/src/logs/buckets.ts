import { type LogsState, projectTiers } from '../app/routes';
import { parseTime } from '../time/iso';
import { day } from '../time/units';
import { boundsOf } from './range';

/** A time range in milliseconds since 1970. */
export interface Span {
  start: number;
  end: number;
}

/** The counts of a bucket. */
export interface Bucket {
  start: Date;
  count: number;
  errors: number;
  warnings: number;
  /** Whether the span has only a part of the bucket. */
  partial: boolean;
}

/** The part of the range that can have entries: within the retention of the tier, until now. */
export function spanOf(state: Pick<LogsState, 'tier' | 'range' | 'start' | 'end'>, now: number): Span {
  const days = projectTiers.find(({ value }) => value === state.tier)?.days ?? 1;
  const custom = state.range === 'custom';
  const start = parseTime(custom ? state.start : (boundsOf(state, now).start ?? ''))?.getTime();
  const end = custom ? parseTime(state.end)?.getTime() : undefined;
  // An end is not in the range itself.
  return { start: Math.max(start ?? 0, now - days * day), end: Math.min(end === undefined ? now : end - 1, now) };
}

/** The lengths of buckets, in seconds. */
const lengths = [1, 5, 10, 15, 30]
  .concat([1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60))
  .concat([1, 2, 3, 6, 12, 24].map((hours) => hours * 3600));

/** About how many buckets a histogram has at most. */
const most = 90;

/** The length of the buckets of a span, in seconds. */
export function bucketSeconds({ start, end }: Span): number {
  return lengths.find((seconds) => (end - start) / seconds / 1000 <= most) ?? 24 * 3600;
}

/** All buckets of a span, of which the server returns those with entries. */
export function fill(rows: readonly { timestamp: string; [count: string]: unknown }[], span: Span): Bucket[] {
  const length = bucketSeconds(span) * 1000;
  const counts = new Map(rows.map((row) => [Date.parse(row.timestamp), row as unknown as Bucket]));
  const first = Math.floor(span.start / length);
  const count = Math.max(0, Math.floor(span.end / length) - first + 1);
  return Array.from({ length: count }, (_, index) => {
    const start = (first + index) * length;
    const { count = 0, errors = 0, warnings = 0 } = counts.get(start) ?? {};
    const partial = start < span.start || start + length - 1 > span.end;
    return { start: new Date(start), count, errors, warnings, partial };
  });
}

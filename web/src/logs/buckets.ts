import { type LogsState, projectTiers } from '../app/routes';
import { day } from '../time/units';
import { parseTime } from './iso';
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
}

/** The part of the range that can have entries: within the retention of the tier, until now. */
export function spanOf(state: Pick<LogsState, 'tier' | 'range' | 'start' | 'end'>, now: number): Span {
  const bounds = boundsOf(state, now);
  const days = projectTiers.find(({ value }) => value === state.tier)?.days ?? 1;
  const start = parseTime(bounds.start ?? '')?.getTime() ?? Number.NEGATIVE_INFINITY;
  const end = parseTime(bounds.end ?? '')?.getTime() ?? now;
  return { start: Math.max(start, now - days * day), end: Math.min(end, now) };
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
    return { start: new Date(start), count, errors, warnings };
  });
}

/** The custom range of the buckets from one to another. Its start is exclusive, and its end inclusive. */
export function rangeOf(from: Date, to: Date, seconds: number): Pick<LogsState, 'range' | 'start' | 'end'> {
  return { range: 'custom', start: before(from.getTime()), end: before(to.getTime() + seconds * 1000) };
}

/** The microsecond before a time, which is the finest that the server reads. */
function before(time: number): string {
  return new Date(time - 1).toISOString().replace('Z', '999Z');
}

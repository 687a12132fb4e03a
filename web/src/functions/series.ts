import type { FunctionsQuery, InvocationInterval } from '../gql/graphql';
import type { SeriesColumn } from '../series/SeriesTable';
import type { Span } from '../series/spans';
import { day, hour, minute, second } from '../time/units';
import { formatCount, formatMilliseconds } from '../ui/numbers';

export type InvocationStat = FunctionsQuery['rows'][number];

/** How far back an interval looks, and how wide its buckets are (D2). */
export const spans: { [interval in InvocationInterval]: Span } = {
  FIVE_MINUTES: { window: 5 * minute, width: second },
  FIFTEEN_MINUTES: { window: 15 * minute, width: minute },
  ONE_HOUR: { window: hour, width: minute },
  ONE_DAY: { window: day, width: hour },
  SEVEN_DAYS: { window: 7 * day, width: day },
};

/** The columns of the table. */
export const columns: readonly SeriesColumn<InvocationStat>[] = [
  { name: 'Invocations', value: (stat) => stat.count, format: formatCount },
  { name: 'Errors', value: (stat) => stat.errorCount, format: formatCount },
  { name: 'min', value: (stat) => stat.minExecutionTime, format: formatMilliseconds },
  { name: 'avg', value: (stat) => stat.avgExecutionTime, format: formatMilliseconds },
  { name: 'p95', value: (stat) => stat.p95ExecutionTime, format: formatMilliseconds },
  { name: 'p99', value: (stat) => stat.p99ExecutionTime, format: formatMilliseconds },
  { name: 'max', value: (stat) => stat.maxExecutionTime, format: formatMilliseconds },
];

/** The filter of the Logs page for the invocations of a function, or of all of them. */
export function invocationsOf(functionId: string | null): string {
  return `source:function_edge_logs${functionId === null ? '' : ` metadata.function_id:${JSON.stringify(functionId)}`}`;
}

/** The last microsecond before a time of the server, for bounds that are exclusive. */
export function before(time: string): string {
  return new Date(Date.parse(time) - 1).toISOString().replace('Z', '999Z');
}

/** The rows as buckets of a table. The last bucket is the current one (D2). */
export function bucketsOf(stats: InvocationStat[]) {
  return stats.map((stat, index) => ({
    ...stat,
    start: new Date(stat.timestamp),
    partial: index === stats.length - 1,
  }));
}

/** The totals of a series. */
export interface Summary {
  count: number;
  errorCount: number;
  /** The bucket with the highest 99th percentile; null if no time was recorded. */
  slowest: { time: number; start: Date } | null;
  /** Mean of the buckets' means, weighted by invocations; null if no time was recorded. */
  meanTime: number | null;
}

/** Sums up a series. Percentiles of buckets cannot be combined, so the summary has none. */
export function summarise(stats: InvocationStat[]): Summary {
  let count = 0;
  let errorCount = 0;
  let timed = 0;
  let weighted = 0;
  let slowest: Summary['slowest'] = null;
  for (const stat of stats) {
    count += stat.count;
    errorCount += stat.errorCount;
    if (stat.avgExecutionTime !== null) {
      timed += stat.count;
      weighted += stat.avgExecutionTime * stat.count;
    }
    const time = stat.p99ExecutionTime;
    if (time !== null && (slowest === null || time > slowest.time)) {
      slowest = { time, start: new Date(stat.timestamp) };
    }
  }
  return { count, errorCount, slowest, meanTime: timed === 0 ? null : weighted / timed };
}

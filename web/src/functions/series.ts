import type { FunctionsQuery, InvocationInterval } from '../gql/graphql';

export type InvocationStat = FunctionsQuery['rows'][number];

/** How wide the buckets of an interval are, in milliseconds. */
export const bucketWidths: { [interval in InvocationInterval]: number } = {
  FIVE_MINUTES: 1000,
  FIFTEEN_MINUTES: 60_000,
  ONE_HOUR: 60_000,
  ONE_DAY: 3_600_000,
  SEVEN_DAYS: 86_400_000,
};

/** What a whole series comes to. */
export interface Summary {
  count: number;
  errorCount: number;
  /** The bucket with the highest 99th percentile; null where no time was recorded. */
  slowest: { time: number; start: Date } | null;
  /** Mean of the buckets' means, weighted by invocations; null where no time was recorded. */
  meanTime: number | null;
}

/** Sums a series up. Percentiles of buckets cannot be added up, so none is claimed for the whole. */
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

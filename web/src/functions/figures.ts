import { formatBucket, type Zone } from '../time/format';
import type { Figure } from '../ui/Figures';
import { formatMilliseconds, formatRounded, formatShare } from '../ui/numbers';
import { type InvocationStat, summarise } from './series';

/** The totals of the time range; without values while loading. */
export function figuresOf(stats: InvocationStat[] | null, widthMs: number, zone: Zone): Figure[] {
  const summary = stats === null ? undefined : summarise(stats);
  const slowest = summary?.slowest;
  return [
    { name: 'Invocations', exact: summary?.count, format: formatRounded },
    {
      name: 'Errors',
      exact: summary?.errorCount,
      format: formatRounded,
      note: summary?.count ? `${formatShare(summary.errorCount, summary.count)} of invocations` : '',
    },
    {
      name: 'Mean time',
      exact: summary?.meanTime,
      format: formatMilliseconds,
      note: summary?.count ? 'over all invocations' : '',
    },
    {
      name: 'Slowest bucket, p99',
      exact: summary === undefined ? undefined : (slowest?.time ?? null),
      format: formatMilliseconds,
      note: slowest ? formatBucket(slowest.start, widthMs, zone) : '',
    },
  ];
}

import { formatBucket, type Zone } from '../time/format';
import { Figures } from '../ui/Figures';
import { formatCount, formatMilliseconds, formatShare } from '../ui/numbers';
import type { Summary } from './series';

interface SummaryFiguresProps {
  /** Null while it is loading. */
  summary: Summary | null;
  widthMs: number;
  /** The range in words, such as "last 7 days". */
  range: string;
  zone: Zone;
}

/** What the whole range comes to. */
export function SummaryFigures({ summary, widthMs, range, zone }: SummaryFiguresProps) {
  const slowest = summary?.slowest ?? null;
  return (
    <Figures
      figures={[
        { name: 'Invocations', value: summary && formatCount(summary.count), note: range },
        {
          name: 'Errors',
          value: summary && formatCount(summary.errorCount),
          note: summary?.count ? `${formatShare(summary.errorCount, summary.count)} of invocations` : '',
        },
        { name: 'Mean time', value: summary && formatMilliseconds(summary.meanTime), note: 'over all invocations' },
        {
          name: 'Slowest bucket, p99',
          value: summary && formatMilliseconds(slowest?.time ?? null),
          note: slowest === null ? '' : formatBucket(slowest.start, widthMs, zone),
        },
      ]}
    />
  );
}

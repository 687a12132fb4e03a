import { formatBucket, type Zone } from '../time/format';
import { DataTable, type TableColumn } from '../ui/DataTable';
import { formatCount, formatMilliseconds } from '../ui/numbers';
import type { InvocationStat } from './series';

const columns: TableColumn[] = [
  { name: 'Bucket' },
  { name: 'Invocations', numeric: true },
  { name: 'Errors', numeric: true },
  { name: 'min', numeric: true },
  { name: 'avg', numeric: true },
  { name: 'p95', numeric: true },
  { name: 'p99', numeric: true },
  { name: 'max', numeric: true },
];

/** The same numbers as in the charts, newest first. */
export function StatsTable({ stats, widthMs, zone }: { stats: InvocationStat[]; widthMs: number; zone: Zone }) {
  const rows = stats.map((stat, index) => ({
    key: stat.timestamp,
    cells: [
      <>
        {formatBucket(new Date(stat.timestamp), widthMs, zone)}
        {index === stats.length - 1 ? <span className="badge">not over yet</span> : null}
      </>,
      formatCount(stat.count),
      formatCount(stat.errorCount),
      formatMilliseconds(stat.minExecutionTime),
      formatMilliseconds(stat.avgExecutionTime),
      formatMilliseconds(stat.p95ExecutionTime),
      formatMilliseconds(stat.p99ExecutionTime),
      formatMilliseconds(stat.maxExecutionTime),
    ],
  }));
  return <DataTable caption="Invocation statistics by bucket, newest first" columns={columns} rows={rows.reverse()} />;
}

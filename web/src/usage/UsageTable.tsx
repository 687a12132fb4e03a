import { formatBucket, type Zone } from '../time/format';
import { DataTable } from '../ui/DataTable';
import { formatCount } from '../ui/numbers';
import { areas } from './areas';
import type { UsageBucket } from './series';

const columns = [{ name: 'Bucket' }, ...areas.map(({ name }) => ({ name, numeric: true }))];

/** The same numbers as in the chart, newest first. A dash is a bucket without any request. */
export function UsageTable({ buckets, widthMs, zone }: { buckets: UsageBucket[]; widthMs: number; zone: Zone }) {
  const rows = buckets.map((bucket) => ({
    key: bucket.start.getTime(),
    cells: [
      <>
        {formatBucket(bucket.start, widthMs, zone)}
        {bucket.partial ? <span className="badge">counted in part</span> : null}
      </>,
      ...areas.map(({ field }) => (bucket.counts === null ? '–' : formatCount(bucket.counts[field]))),
    ],
  }));
  return <DataTable caption="Requests by bucket, newest first" columns={columns} rows={rows.reverse()} />;
}

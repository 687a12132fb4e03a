import { formatBucket, type Zone } from '../time/format';
import { CopyButton } from '../ui/CopyButton';
import { csvOf } from '../ui/csv';
import { DataTable } from '../ui/DataTable';

/** A number of each bucket. */
export interface SeriesColumn<Bucket> {
  name: string;
  /** Null where the bucket has none. */
  value: (bucket: Bucket) => number | null;
  format: (value: number) => string;
  /** Whether the numbers of all buckets add up to something. */
  summed?: true;
}

interface SeriesTableProps<Bucket> {
  caption: string;
  columns: readonly SeriesColumn<Bucket>[];
  buckets: readonly (Bucket & { start: Date; partial: boolean })[];
  /** The label of partial buckets. */
  partialLabel: string;
  widthMs: number;
  zone: Zone;
}

/** The same numbers as in the charts, newest first: rounded for reading, copied exactly. */
export function SeriesTable<Bucket>(props: SeriesTableProps<Bucket>) {
  const { caption, columns, partialLabel, widthMs, zone } = props;
  const newest = props.buckets.toReversed();
  const sumOf = ({ value, format, summed }: SeriesColumn<Bucket>): string =>
    summed === true ? format(newest.reduce((sum, bucket) => sum + (value(bucket) ?? 0), 0)) : '';
  const csv = (): string =>
    csvOf(
      ['Bucket', ...columns.map(({ name }) => name)],
      newest.map((bucket) => [bucket.start.toISOString(), ...columns.map(({ value }) => value(bucket))]),
    );
  return (
    <>
      <DataTable
        caption={caption}
        columns={[{ name: 'Bucket' }, ...columns.map(({ name }) => ({ name, numeric: true }))]}
        rows={newest.map((bucket) => ({
          key: bucket.start.getTime(),
          cells: [
            <>
              {formatBucket(bucket.start, widthMs, zone)}{' '}
              {bucket.partial ? <span className="badge">{partialLabel}</span> : null}
            </>,
            ...columns.map(({ name, value, format }) => {
              const exact = value(bucket);
              return exact === null ? (
                '–'
              ) : (
                <data key={name} value={exact} title={String(exact)}>
                  {format(exact)}
                </data>
              );
            }),
          ],
        }))}
        {...(columns.some(({ summed }) => summed === true) ? { total: ['Total', ...columns.map(sumOf)] } : {})}
      />
      <div className="buttons row">
        <CopyButton label="Copy CSV" text={csv} />
      </div>
    </>
  );
}

import { useLiking } from '../app/preferences';
import { Columns } from '../chart/Columns';
import { Explorer } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import type { LegendEntry } from '../chart/Legend';
import { linearScale } from '../chart/ticks';
import { formatCompact, formatCount } from '../ui/numbers';
import type { Bucket } from './buckets';

interface HistogramProps {
  buckets: Bucket[];
  /** The length of a bucket. */
  seconds: number;
  /** Narrows the time range to whole buckets. */
  onSelect: (from: number, to: number) => void;
}

/** Height of the chart, in pixels. */
const height = 40;

/** The parts of a column, from the bottom up. */
const parts = [
  { name: 'Errors', tone: 'error', hatched: true, of: (bucket: Bucket) => bucket.errors },
  { name: 'Warnings', tone: 'auth', of: (bucket: Bucket) => bucket.warnings },
  { name: 'Others', tone: 'ok', of: ({ count, errors, warnings }: Bucket) => count - errors - warnings },
];

const legend: LegendEntry[] = [
  ...parts.map(({ name, tone, hatched }) => ({
    name,
    tone,
    mark: hatched ? ('hatched' as const) : ('column' as const),
  })),
  { name: 'Partial', tone: 'muted', mark: 'partial' },
];

/** Matching entries over time. A click, a drag, or Enter narrows the time range to buckets. */
export function Histogram({ buckets, seconds, onSelect }: HistogramProps) {
  const { zone } = useLiking();
  const starts = buckets.map(({ start }) => start);
  const series = parts.map(({ of, ...part }) => ({ ...part, values: buckets.map(of) }));
  const scale = linearScale(Math.max(0, ...buckets.map(({ count }) => count)), true, 2);
  const widthMs = seconds * 1000;
  const partial = buckets.map((bucket) => bucket.partial);
  const frame = { starts, widthMs, zone, scale, partial };
  const select = (from: number, to: number): void => {
    const [first, last] = [starts[from], starts[to]];
    if (first !== undefined && last !== undefined) onSelect(first.getTime(), last.getTime() + widthMs);
  };
  return (
    <div className="panel box log-histogram">
      <Explorer
        label="Entries by time; Enter shows those of a bucket"
        starts={starts}
        widthMs={widthMs}
        zone={zone}
        read={(index) => ({
          ...(partial[index] ? { note: 'Partial' } : {}),
          readings: parts.map(({ name, tone, of }) => ({
            name,
            tone,
            value: formatCount(buckets[index] === undefined ? 0 : of(buckets[index])),
            mark: 'column' as const,
          })),
        })}
        onSelect={select}
      >
        {(plot, cursor) => (
          <Frame title="Entries" legend={legend} plot={plot(height)} {...frame} cursor={cursor} format={formatCompact}>
            <Columns plot={plot(height)} series={series} partial={partial} scale={scale} />
          </Frame>
        )}
      </Explorer>
    </div>
  );
}

import { Columns } from '../chart/Columns';
import { Explorer } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import type { LegendEntry } from '../chart/Legend';
import type { Reading } from '../chart/Tooltip';
import { linearScale } from '../chart/ticks';
import type { Zone } from '../time/format';
import { formatCompact, formatCount } from '../ui/numbers';
import { areas } from './areas';
import { totalOf, type UsageBucket } from './series';

interface UsageChartProps {
  buckets: UsageBucket[];
  widthMs: number;
  zone: Zone;
  /** Shows the logs from one time to another, for tokens that can see them. */
  onSelect: ((from: number, to: number) => void) | undefined;
}

/** Height of the chart, in pixels. */
const height = 340;

const legend: LegendEntry[] = [
  ...areas.map(({ name, tone }) => ({ name, tone, mark: 'column' as const })),
  { name: 'Partial', tone: 'muted', mark: 'partial' },
];

/** Requests as columns, the four areas stacked. */
export function UsageChart({ buckets, widthMs, zone, onSelect }: UsageChartProps) {
  const starts = buckets.map((bucket) => bucket.start);
  const partial = buckets.map((bucket) => bucket.partial);
  const series = areas.map(({ name, tone, field }) => ({
    name,
    tone,
    values: buckets.map((bucket) => bucket.counts?.[field] ?? 0),
  }));
  const scale = linearScale(Math.max(0, ...buckets.map(sum)), true);
  return (
    <Explorer
      label={`Requests by bucket${onSelect === undefined ? '' : '; Enter shows its logs'}`}
      starts={starts}
      widthMs={widthMs}
      zone={zone}
      read={(index) => readingOf(buckets[index])}
      {...(onSelect === undefined
        ? {}
        : {
            onSelect: (from: number, to: number) =>
              onSelect(starts[from]?.getTime() ?? 0, (starts[to]?.getTime() ?? 0) + widthMs),
          })}
    >
      {(plot, cursor) => (
        <Frame
          title="Requests"
          legend={legend}
          plot={plot(height)}
          {...{ starts, widthMs, zone, partial, cursor, scale }}
          format={formatCompact}
        >
          <Columns plot={plot(height)} series={series} partial={partial} scale={scale} />
        </Frame>
      )}
    </Explorer>
  );
}

function sum({ counts }: UsageBucket): number {
  return counts === null ? 0 : totalOf(counts);
}

function readingOf(bucket: UsageBucket | undefined): { note?: string; readings: Reading[] } {
  if (bucket === undefined) return { readings: [] };
  const readings: Reading[] = areas
    .map(
      ({ name, tone, field }): Reading => ({
        name,
        value: formatCount(bucket.counts?.[field] ?? 0),
        tone,
        mark: 'column',
      }),
    )
    .reverse();
  readings.push({ name: 'Total', value: formatCount(sum(bucket)) });
  const notes = [bucket.counts === null ? 'No requests' : '', bucket.partial ? 'Partial' : ''];
  const note = notes.filter((text) => text !== '').join(', ');
  return note === '' ? { readings } : { note, readings };
}

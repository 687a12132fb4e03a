import { useMemo } from 'react';
import { Columns } from '../chart/Columns';
import { Explorer } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import { linearScale } from '../chart/ticks';
import { day } from '../time/units';
import { formatAxisTime, formatBytes, formatCompact, formatCount, formatMilliseconds } from '../ui/numbers';
import { type LoadSeries, type Measure, measures } from './load';

interface LoadChartProps {
  days: Date[];
  series: LoadSeries[];
  measure: Measure;
  /** Narrows the time range to days, from one to another. */
  onSelect: (from: Date, to: Date) => void;
}

/** Height of the chart, in pixels. */
const height = 260;

const formats: { [measure in Measure]: { axis: (value: number) => string; full: (value: number) => string } } = {
  engine_seconds: { axis: (value) => formatAxisTime(1000 * value), full: (value) => formatMilliseconds(1000 * value) },
  bytes: { axis: formatBytes, full: formatBytes },
  runs: { axis: formatCompact, full: formatCount },
  requests: { axis: formatCompact, full: formatCount },
};

/** What tokens used on each day, stacked. Today is not over. */
export function LoadChart({ days, series, measure, onSelect }: LoadChartProps) {
  const { axis, full } = formats[measure];
  const title = measures.find(({ value }) => value === measure)?.label ?? '';
  const totals = useMemo(
    () => days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
    [days, series],
  );
  const partial = useMemo(() => days.map((start) => start.getTime() + day > Date.now()), [days]);
  const scale = linearScale(Math.max(0, ...totals), measure !== 'engine_seconds');
  return (
    <Explorer
      label={`${title} by day; Enter narrows the time range to it`}
      starts={days}
      widthMs={day}
      zone="utc"
      onSelect={(from, to) => onSelect(days[from] ?? new Date(0), days[to] ?? new Date(0))}
      read={(index) => ({
        ...(partial[index] ? { note: 'Partial' } : {}),
        readings: [
          ...series
            .map(({ name, tone, values }) => ({ name, tone, value: full(values[index] ?? 0), mark: 'column' as const }))
            .reverse(),
          { name: 'Total', value: full(totals[index] ?? 0) },
        ],
      })}
    >
      {(plot, cursor) => (
        <Frame
          title={title}
          legend={series.map(({ name, tone }) => ({ name, tone, mark: 'column' }))}
          plot={plot(height)}
          starts={days}
          widthMs={day}
          zone="utc"
          {...{ partial, cursor, scale }}
          format={axis}
        >
          <Columns plot={plot(height)} series={series} partial={partial} scale={scale} />
        </Frame>
      )}
    </Explorer>
  );
}

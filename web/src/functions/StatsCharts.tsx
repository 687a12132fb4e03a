import { useMemo } from 'react';
import { type TimeScale, timeScales } from '../app/routes';
import { type ColumnSeries, Columns } from '../chart/Columns';
import { Explorer } from '../chart/Explorer';
import { Frame } from '../chart/Frame';
import type { LegendEntry } from '../chart/Legend';
import { type LineSeries, Lines } from '../chart/Lines';
import type { Reading } from '../chart/Tooltip';
import { linearScale, logScale } from '../chart/ticks';
import type { Zone } from '../time/format';
import { formatAxisTime, formatCompact, formatCount, formatMilliseconds, formatShare } from '../ui/numbers';
import { Segmented } from '../ui/Segmented';
import type { InvocationStat } from './series';

interface StatsChartsProps {
  stats: InvocationStat[];
  widthMs: number;
  zone: Zone;
  /** How execution times are scaled. */
  scale: TimeScale;
  onScale: (scale: TimeScale) => void;
  /** Shows the logs from one time to another, for tokens that can see them. */
  onSelect: ((from: number, to: number) => void) | undefined;
}

const countLegend: LegendEntry[] = [
  { name: 'Succeeded', tone: 'ok', mark: 'column' },
  { name: 'Errors, status 400 or higher', tone: 'error', mark: 'hatched' },
  { name: 'In progress', tone: 'muted', mark: 'partial' },
];
const timeLegend = ['p99', 'p95', 'avg', 'min'].map((name): LegendEntry => ({ name, tone: name, mark: 'line' }));

/** Invocations as columns with the errors on top, and execution times as lines. */
export function StatsCharts({ stats, widthMs, zone, scale, onScale, onSelect }: StatsChartsProps) {
  const { starts, partial, columns, lines, countScale, timeScale } = useMemo(
    () => chartsOf(stats, scale),
    [stats, scale],
  );
  return (
    <Explorer
      label={`Invocations and execution times by bucket${onSelect === undefined ? '' : '; Enter shows its logs'}`}
      starts={starts}
      widthMs={widthMs}
      zone={zone}
      read={(index) => readingOf(stats[index], partial[index] === true)}
      {...(onSelect === undefined
        ? {}
        : {
            onSelect: (from: number, to: number) =>
              onSelect(starts[from]?.getTime() ?? 0, (starts[to]?.getTime() ?? 0) + widthMs),
          })}
    >
      {(plot, cursor) => (
        <>
          <Frame
            title="Invocations"
            legend={countLegend}
            plot={plot(200)}
            {...{ starts, widthMs, zone, partial, cursor }}
            scale={countScale}
            format={formatCompact}
          >
            <Columns plot={plot(200)} series={columns} partial={partial} scale={countScale} />
          </Frame>
          <Frame
            title="Execution time"
            legend={timeLegend}
            control={
              <Segmented label="Scale of execution times" choices={timeScales} value={scale} onChange={onScale} />
            }
            plot={plot(180)}
            {...{ starts, widthMs, zone, partial, cursor }}
            scale={timeScale}
            format={formatAxisTime}
          >
            <Lines plot={plot(180)} series={lines} scale={timeScale} />
          </Frame>
        </>
      )}
    </Explorer>
  );
}

function chartsOf(stats: InvocationStat[], scale: TimeScale) {
  const slowest = Math.max(0, ...stats.map((stat) => stat.p99ExecutionTime ?? 0));
  const fastest = Math.min(slowest, ...stats.map((stat) => stat.minExecutionTime ?? slowest));
  const columns: ColumnSeries[] = [
    { name: 'Succeeded', tone: 'ok', values: stats.map((stat) => stat.count - stat.errorCount) },
    { name: 'Errors', tone: 'error', hatched: true, values: stats.map((stat) => stat.errorCount) },
  ];
  const lines: LineSeries[] = [
    { name: 'min', tone: 'min', values: stats.map((stat) => stat.minExecutionTime) },
    { name: 'avg', tone: 'avg', values: stats.map((stat) => stat.avgExecutionTime) },
    { name: 'p95', tone: 'p95', values: stats.map((stat) => stat.p95ExecutionTime) },
    { name: 'p99', tone: 'p99', values: stats.map((stat) => stat.p99ExecutionTime) },
  ];
  return {
    starts: stats.map((stat) => new Date(stat.timestamp)),
    // The last bucket is the current one (D2).
    partial: stats.map((_, index) => index === stats.length - 1),
    columns,
    lines,
    countScale: linearScale(Math.max(0, ...stats.map((stat) => stat.count)), true),
    timeScale: scale === 'log' ? logScale(fastest, slowest) : linearScale(slowest, false),
  };
}

function readingOf(stat: InvocationStat | undefined, partial: boolean): { note?: string; readings: Reading[] } {
  if (stat === undefined) return { readings: [] };
  const readings: Reading[] = [
    { name: 'Invocations', value: formatCount(stat.count) },
    { name: 'Succeeded', value: formatCount(stat.count - stat.errorCount), tone: 'ok', mark: 'column' },
    {
      name: 'Errors',
      value:
        stat.errorCount === 0 ? '0' : `${formatCount(stat.errorCount)} (${formatShare(stat.errorCount, stat.count)})`,
      tone: 'error',
      mark: 'column',
    },
    { name: 'max', value: formatMilliseconds(stat.maxExecutionTime) },
    { name: 'p99', value: formatMilliseconds(stat.p99ExecutionTime), tone: 'p99', mark: 'line' },
    { name: 'p95', value: formatMilliseconds(stat.p95ExecutionTime), tone: 'p95', mark: 'line' },
    { name: 'avg', value: formatMilliseconds(stat.avgExecutionTime), tone: 'avg', mark: 'line' },
    { name: 'min', value: formatMilliseconds(stat.minExecutionTime), tone: 'min', mark: 'line' },
  ];
  return partial ? { note: 'In progress', readings } : { readings };
}

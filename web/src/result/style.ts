import { powerScale, rangeScale } from '../chart/range';
import type { ValueScale } from '../chart/ticks';
import { formatCount, formatNumber } from '../ui/numbers';
import type { ResultFrame, ResultSeries } from './series';

/** How values over time are drawn. */
export type Shape = 'lines' | 'areas' | 'columns';

export const shapes: readonly { value: Shape; label: string }[] = [
  { value: 'lines', label: 'Lines' },
  { value: 'areas', label: 'Areas' },
  { value: 'columns', label: 'Columns' },
];

/** How several values of a bucket are arranged. */
export type Arrangement = 'side' | 'stacked';

export const arrangements: readonly { value: Arrangement; label: string }[] = [
  { value: 'side', label: 'Side by side' },
  { value: 'stacked', label: 'Stacked' },
];

/** The colours of series, in order. */
const tones = ['ok', 'p99', 'storage', 'p95', 'auth', 'realtime', 'error', 'min'];

/** A series with its colour. */
export interface DrawnSeries extends ResultSeries {
  tone: string;
  hidden: boolean;
}

/** A chart with its colours and its scale. */
export interface DrawnFrame {
  title: string;
  /** Before the names of series, where several charts have the same names. */
  prefix: string;
  series: DrawnSeries[];
  stacked: boolean;
  /** Of the values that are shown. */
  least: number;
  most: number;
  scale: ValueScale;
  format: (value: number) => string;
}

/** Colours and scales charts. Values below zero are not stacked, because they would hide others. */
export function drawn(
  frames: readonly ResultFrame[],
  arrangement: Arrangement,
  hidden: ReadonlySet<string>,
  wanted: 'linear' | 'log' = 'linear',
): DrawnFrame[] {
  return frames.map(({ title, whole, series }): DrawnFrame => {
    const coloured = series.map((one, index) => ({
      ...one,
      tone: tones[index % tones.length] ?? 'ok',
      hidden: hidden.has(one.name),
    }));
    const shown = coloured.filter((one) => !one.hidden);
    const least = extremeOf(shown, Math.min);
    const isLog = wanted === 'log' && least >= 0;
    // The height of a part of a sum has no meaning on a logarithmic scale.
    const stacked = arrangement === 'stacked' && least >= 0 && !isLog;
    const most = extremeOf(stacked ? [{ values: totals(shown) }] : shown, Math.max);
    const repeats = frames.some((other) => other.series !== series && other.series[0]?.name === series[0]?.name);
    return {
      title,
      prefix: repeats ? `${title} ` : '',
      series: coloured,
      stacked,
      least,
      most,
      scale: isLog ? powerScale(leastPositive(shown), most) : rangeScale(least, most, whole),
      format: whole ? formatCount : formatNumber,
    };
  });
}

/** The least or the largest of zero and all values. */
function extremeOf(series: readonly Pick<ResultSeries, 'values'>[], choose: (a: number, b: number) => number): number {
  return series.reduce((all, { values }) => values.reduce((so: number, value) => choose(so, value ?? 0), all), 0);
}

/** The least value above zero; 1 if there is none. */
function leastPositive(series: readonly Pick<ResultSeries, 'values'>[]): number {
  const least = series.reduce(
    (all, { values }) =>
      values.reduce((so: number, value) => (value !== null && value > 0 && value < so ? value : so), all),
    Number.POSITIVE_INFINITY,
  );
  return Number.isFinite(least) ? least : 1;
}

/** The sum of the series at each position. */
export function totals(series: readonly ResultSeries[]): number[] {
  const count = series[0]?.values.length ?? 0;
  return Array.from({ length: count }, (_, index) => series.reduce((sum, one) => sum + (one.values[index] ?? 0), 0));
}

/** What each series is drawn above: the sum of those before it if they are stacked, or else zero. */
export function floors(series: readonly ResultSeries[], stacked: boolean): number[][] {
  let below: number[] = (series[0]?.values ?? []).map(() => 0);
  return series.map(({ values }) => {
    const floor = below;
    if (stacked) below = floor.map((sum, index) => sum + (values[index] ?? 0));
    return floor;
  });
}

/** Reports for each bucket whether it was in progress when the rows were computed. */
export function unfinished(starts: readonly Date[], widthMs: number, asOf: Date): boolean[] {
  const end = asOf.getTime();
  return starts.map((start) => widthMs > 0 && start.getTime() <= end && start.getTime() + widthMs > end);
}

import { columnWidth, heightOf, middle, type Plot, round } from '../chart/geometry';
import type { ValueScale } from '../chart/ticks';
import { visible } from './visible';

/** Columns at some positions, side by side within their buckets, from zero up or down, as one SVG path. */
export function groupedPath(
  plot: Plot,
  values: readonly (number | null)[],
  positions: readonly number[],
  scale: ValueScale,
  slot: { index: number; count: number },
): string {
  const width = Math.max(1, columnWidth(plot) / slot.count);
  const bottom = plot.top + plot.height;
  const zero = bottom - heightOf(plot, 0, scale);
  return positions
    .map((index) => {
      const value = values[index] ?? 0;
      if (value === 0) return '';
      const x = middle(plot, index) + (slot.index - slot.count / 2) * width;
      const end = bottom - heightOf(plot, value, scale);
      // Small values stay visible.
      const y = value > 0 ? Math.min(end, zero - 1) : Math.max(end, zero + 1);
      return `M${round(x)} ${round(zero)}V${round(y)}h${round(Math.max(1, width - 1))}V${round(zero)}z`;
    })
    .join('');
}

/** The area between two lines, with gaps for nulls of the upper one. A single value is as wide as a narrow column. */
export function areaPath(plot: Plot, lower: readonly number[], upper: (number | null)[], scale: ValueScale): string {
  const y = (value: number): number => round(plot.top + plot.height - heightOf(plot, value, scale));
  const x = (index: number): number => round(middle(plot, index));
  return runsOf(upper, visible(plot, upper))
    .map((run) => {
      const along = run.map((index) => `${x(index)} ${y(upper[index] ?? 0)}`);
      const back = run.toReversed().map((index) => `${x(index)} ${y(lower[index] ?? 0)}`);
      return `M${[...along, ...back].join('L')}z`;
    })
    .join('');
}

/** The positions that have values, without a null between those of a run. */
function runsOf(values: readonly (number | null)[], positions: readonly number[]): number[][] {
  const runs: number[][] = [[]];
  for (const index of positions) {
    if ((values[index] ?? null) === null) runs.push([]);
    else runs.at(-1)?.push(index);
  }
  return runs.filter((run) => run.length > 0);
}

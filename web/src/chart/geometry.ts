import type { ValueScale } from './ticks';

/** Where a chart draws, in pixels. */
export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Number of buckets side by side. */
  count: number;
}

/** The middle of a bucket. */
export function middle(plot: Plot, index: number): number {
  return plot.left + ((index + 0.5) * plot.width) / plot.count;
}

/** The bucket at a horizontal position; the nearest one outside of the plot. */
export function bucketAt(plot: Plot, x: number): number {
  const index = Math.floor(((x - plot.left) / plot.width) * plot.count);
  return Math.min(plot.count - 1, Math.max(0, index));
}

/** The height of a value above the bottom of the plot. */
export function heightOf(plot: Plot, value: number, scale: ValueScale): number {
  return scale.position(value) * plot.height;
}

const widestColumn = 72;
/** Narrower columns would be invisible. */
const narrowestColumn = 2;

/** The width of a column: most of its bucket, up to a limit. */
export function columnWidth(plot: Plot): number {
  const bucket = plot.width / plot.count;
  const gap = bucket > 12 ? bucket * 0.24 : bucket > 3 ? 1 : bucket * 0.15;
  return Math.max(narrowestColumn, Math.min(widestColumn, bucket - gap));
}

/** One part of a column: its offset and its height, as values. */
export interface Part {
  index: number;
  below: number;
  value: number;
}

/** The outline of parts of columns as one SVG path, so that hundreds are one element. */
export function columnsPath(plot: Plot, parts: Part[], scale: ValueScale, gap: number): string {
  const width = columnWidth(plot);
  const bottom = plot.top + plot.height;
  return parts
    .filter((part) => part.value > 0)
    .map((part) => {
      const x = round(middle(plot, part.index) - width / 2);
      const from = bottom - heightOf(plot, part.below, scale) - (part.below > 0 ? gap : 0);
      // Small values stay visible.
      const to = Math.min(bottom - heightOf(plot, part.below + part.value, scale), from - 1);
      return `M${x} ${round(from)}V${round(to)}h${round(width)}V${round(from)}z`;
    })
    .join('');
}

/** Chooses the positions of the values that are drawn, in order. */
export type Choose = (plot: Plot, values: readonly (number | null)[]) => number[];

export const all: Choose = (_, values) => [...values.keys()];

/** A line through values, with gaps for nulls (D3). */
export function linePath(
  plot: Plot,
  values: readonly (number | null)[],
  positions: readonly number[],
  scale: ValueScale,
): string {
  const bottom = plot.top + plot.height;
  let path = '';
  let drawing = false;
  for (const index of positions) {
    const value = values[index] ?? null;
    if (value === null) {
      drawing = false;
      continue;
    }
    path += `${drawing ? 'L' : 'M'}${round(middle(plot, index))} ${round(bottom - heightOf(plot, value, scale))}`;
    drawing = true;
  }
  return path;
}

/** The least room for a marker, in pixels. */
const markerRoom = 12;

/**
 * The values that get a marker: all of them where there is room, so that a few values in
 * a long series are seen, and otherwise those that no line reaches, because both of their
 * neighbours are missing.
 */
export function markedPoints(plot: Plot, values: readonly (number | null)[], positions: readonly number[]): number[] {
  const missing = (at: number): boolean => (values[positions[at] ?? -1] ?? null) === null;
  const present = positions.filter((_, at) => !missing(at));
  if (present.length * markerRoom <= plot.width) return present;
  return positions.filter((_, at) => !missing(at) && missing(at - 1) && missing(at + 1));
}

/** Rounds a coordinate, so that paths are short. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

import type { Choose } from '../chart/geometry';

/**
 * The positions of the values that can be seen, in order. Where several buckets share a pixel, these are its first,
 * least, largest and last value. A gap that is narrower than a pixel is not seen.
 */
export const visible: Choose = ({ count, width }, values) => {
  if (count <= 2 * width) return [...values.keys()];
  const seen: number[] = [];
  for (let pixel = 0, from = 0; from < values.length; pixel++) {
    const to = Math.ceil(((pixel + 1) * count) / width);
    seen.push(...extremes(values, from, Math.min(to, values.length)));
    from = to;
  }
  return seen;
};

/** The positions of the first, least, largest and last value from a position to another one; the first if all are null. */
function extremes(values: readonly (number | null)[], from: number, to: number): Iterable<number> {
  let first = from;
  while (first < to && values[first] === null) first++;
  if (first === to) return [from];
  let least = first;
  let largest = first;
  let last = first;
  for (let index = first; index < to; index++) {
    const value = values[index] ?? null;
    if (value === null) continue;
    if (value < (values[least] ?? 0)) least = index;
    if (value > (values[largest] ?? 0)) largest = index;
    last = index;
  }
  return new Set([first, Math.min(least, largest), Math.max(least, largest), last]);
}

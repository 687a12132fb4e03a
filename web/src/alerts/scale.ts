import { rangeScale } from '../chart/range';
import type { ValueScale } from '../chart/ticks';

/** A scale for the values of checks and what they are compared with. */
export function scaleOf(values: readonly (number | null)[], threshold: number | null): ValueScale {
  const numbers = [...values, threshold].filter((value) => value !== null);
  return rangeScale(Math.min(0, ...numbers), Math.max(0, ...numbers), false);
}

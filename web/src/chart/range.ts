import { linearScale, niceStep, type ValueScale } from './ticks';

/** Equal steps around all values and 0, which can be negative. */
export function rangeScale(least: number, largest: number, whole: boolean): ValueScale {
  if (!(least < 0)) return linearScale(largest, whole);
  const step = niceStep((Math.max(largest, 0) - least) / 4, whole);
  const low = Math.floor(least / step + 1e-9);
  const high = Math.max(0, Math.ceil(largest / step - 1e-9));
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => Number(((low + i) * step).toPrecision(12)));
  return { ticks, position: (value) => (value / step - low) / (high - low) };
}

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

/** Powers of ten around values above zero, which can be below one. Zero is at the bottom. */
export function powerScale(smallest: number, largest: number): ValueScale {
  const low = Math.floor(Math.log10(smallest) + 1e-9);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(largest, smallest)) - 1e-9));
  const step = Math.ceil((high - low) / mostPowers);
  const ticks = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) =>
    Number((10 ** (low + i * step)).toPrecision(3)),
  );
  const position = (value: number): number =>
    value <= 10 ** low ? 0 : Math.min(1, (Math.log10(value) - low) / (high - low));
  return { ticks, position };
}

/** More lines have no room. */
const mostPowers = 8;

/** Labels of an axis, with as many decimals as they need so that no two are the same. */
export function distinctLabels(ticks: readonly number[], format: (value: number) => string): (value: number) => string {
  if (new Set(ticks.map(format)).size === ticks.length) return format;
  return (value) => String(value);
}

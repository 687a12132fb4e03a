import { formatDate, formatMinute, formatSecond, formatYear, type Zone } from '../time/format';
import { day, hour, minute, second } from '../time/units';

/** Maps values to heights: 0 is the bottom of a plot, 1 its top. */
export interface ValueScale {
  ticks: number[];
  position: (value: number) => number;
}

/** Equal steps from 0 to at least the largest value; a low chart has fewer. */
export function linearScale(largest: number, whole: boolean, steps = 4): ValueScale {
  const ticks = valueTicks(largest, whole, steps);
  const top = ticks.at(-1) ?? 1;
  return { ticks, position: (value) => value / top };
}

/** Powers of ten around the values. Smaller values are at the bottom. */
export function logScale(smallest: number, largest: number): ValueScale {
  const low = Math.floor(Math.log10(Math.max(smallest, 1)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(largest, 1))));
  const ticks = Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i));
  const position = (value: number): number => (value <= 10 ** low ? 0 : (Math.log10(value) - low) / (high - low));
  return { ticks, position };
}

/** Round values from 0 to at least the largest one, in about the given number of steps. */
export function valueTicks(largest: number, whole: boolean, steps = 4): number[] {
  if (!(largest > 0)) return [0, 1];
  const step = niceStep(largest / steps, whole);
  const count = Math.max(1, Math.ceil(largest / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
}

/** The least of 1, 2, 2.5 and 5 times a power of ten that is not below a size. */
export function niceStep(size: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(size));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= size * (1 - 1e-9)) ?? 10;
  const step = factor * power;
  return whole ? Math.max(1, Math.ceil(step)) : step;
}

/** A label below a bucket. */
export interface TimeTick {
  index: number;
  label: string;
}

const steps = [1, 5, 10, 15, 30]
  .map((n) => n * second)
  .concat(
    [1, 2, 5, 10, 15, 30].map((n) => n * minute),
    [1, 2, 3, 6, 12, 24].map((n) => n * hour),
  );

/**
 * Labels buckets at round times, with at most `most` labels. Buckets of a day are labelled
 * with their UTC date, because the server cuts days in UTC. A width of 0 means times
 * without equal distances, which have labels at equal distances instead.
 */
export function timeTicks(starts: Date[], widthMs: number, most: number, zone: Zone): TimeTick[] {
  const ticks = labels(starts, widthMs, most, zone);
  // Between equal times of two days, there is the date of the second one.
  return widthMs > 0 && widthMs < day ? ticks : withoutRepeats(ticks, starts, widthMs >= day ? 'utc' : zone);
}

/** Labels of which no two are the same: dates of several years have theirs, and of equal times only the first has one. */
function withoutRepeats(ticks: TimeTick[], starts: Date[], zone: Zone): TimeTick[] {
  if (new Set(ticks.map(({ label }) => label)).size === ticks.length) return ticks;
  const yearOf = (start: Date | undefined): string => formatYear(start ?? new Date(0), zone);
  const hasYears = yearOf(starts[0]) !== yearOf(starts.at(-1));
  const seen = new Set<string>();
  return ticks.flatMap(({ index, label }) => {
    const start = starts[index] ?? new Date(0);
    const full = hasYears && label === formatDate(start, zone) ? `${label} ${yearOf(start)}` : label;
    if (seen.has(full)) return [];
    seen.add(full);
    return [{ index, label: full }];
  });
}

function labels(starts: Date[], widthMs: number, most: number, zone: Zone): TimeTick[] {
  if (widthMs >= day) {
    const stride = Math.max(1, Math.ceil(starts.length / most));
    return starts.flatMap((start, index) => (index % stride === 0 ? [{ index, label: formatDate(start, 'utc') }] : []));
  }
  if (widthMs === 0) return unevenTicks(starts, most, zone);
  const span = starts.length * widthMs;
  const step = steps.find((size) => size >= widthMs && span / size <= most) ?? day;
  // Offsets of zones are whole multiples of five minutes, so that most of many buckets need no calendar.
  const least = step >= 5 * minute ? 5 * minute : Math.min(step, minute);
  const ticks: TimeTick[] = [];
  starts.forEach((start, index) => {
    if (start.getTime() % least !== 0) return;
    // Round in the displayed zone, which may be off by half an hour.
    const offset = zone === 'utc' ? 0 : -start.getTimezoneOffset() * minute;
    const shown = start.getTime() + offset;
    if (shown % step !== 0) return;
    const label =
      shown % day === 0
        ? formatDate(start, zone)
        : step < minute
          ? formatSecond(start, zone)
          : formatMinute(start, zone);
    ticks.push({ index, label });
  });
  return ticks;
}

function unevenTicks(starts: Date[], most: number, zone: Zone): TimeTick[] {
  const span = (starts.at(-1)?.getTime() ?? 0) - (starts[0]?.getTime() ?? 0);
  const format = span > 2 * day ? formatDate : span > hour ? formatMinute : formatSecond;
  const stride = Math.max(1, Math.ceil(starts.length / most));
  return starts.flatMap((start, index) => (index % stride === 0 ? [{ index, label: format(start, zone) }] : []));
}

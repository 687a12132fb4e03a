import { Decimal, type Json } from '../api/json';
import { formatClock, formatDate, formatSecond, formatYear, type Zone } from '../time/format';
import { formatNumber } from '../ui/numbers';
import type { ResultColumn, Row } from './types';

/** How many rows the look of a column is guessed from, so that the rows appear at once. */
export const sample = 200;
/** How many digits a number is read with. */
const digits = 6;

/** A value as it is read: times and numbers are rounded. Null for a value that is not rounded. */
export function shortened(
  value: Json,
  type: string,
  zone: Zone,
  now: Date,
  decimals?: number,
): { short: string; exact: string } | null {
  if (type === 'TIMESTAMP' && typeof value === 'number') {
    const time = new Date(Math.floor(value / 1000));
    return { short: formatTime(time, zone, now, decimals), exact: exactTime(value) };
  }
  if (type === 'DATETIME' && typeof value === 'string') {
    const time = new Date(`${value}Z`);
    return Number.isNaN(time.getTime()) ? null : { short: formatTime(time, 'utc', now, decimals), exact: value };
  }
  if (value instanceof Decimal) return { short: aligned(Number(value.digits), decimals), exact: value.digits };
  if ((type === 'FLOAT64' || type === 'NUMERIC') && typeof value === 'number') {
    return { short: aligned(value, decimals), exact: String(value) };
  }
  return null;
}

/**
 * How many decimals the values of a column share: numbers have as many as one of them needs and the largest
 * has room for, and times have none if all are whole seconds.
 */
export function decimalsOf(rows: readonly Row[], { name, type }: Pick<ResultColumn, 'name' | 'type'>): number {
  if (type === 'TIMESTAMP' || type === 'DATETIME') {
    const fraction = (value: Json): boolean =>
      typeof value === 'number' ? value % 1_000_000 !== 0 : typeof value === 'string' && /\.\d*[1-9]/.test(value);
    return rows.slice(0, sample).some((row) => fraction(row[name] ?? null)) ? 3 : 0;
  }
  let [needed, whole] = [0, 1];
  for (const row of rows.slice(0, sample)) {
    const value = row[name];
    const number = value instanceof Decimal ? Number(value.digits) : value;
    if (typeof number !== 'number') continue;
    const text = formatNumber(Math.abs(number)).split('.');
    needed = Math.max(needed, text[1]?.length ?? 0);
    whole = Math.max(whole, text[0]?.length ?? 0);
  }
  return Math.min(needed, Math.max(0, digits - whole));
}

/** A number with the decimals of its column, or with its own if those would hide its digits. */
function aligned(value: number, decimals: number | undefined): string {
  const hidden = decimals === undefined || (value !== 0 && Math.abs(value) < 10 ** -decimals);
  return hidden || Math.abs(value) >= 10 ** digits ? formatNumber(value) : value.toFixed(decimals);
}

/** A time such as "24 Nov 04:00:00.000", with its year if it is not this year. */
function formatTime(time: Date, zone: Zone, now: Date, decimals: number | undefined): string {
  const year = formatYear(time, zone) === formatYear(now, zone) ? '' : ` ${formatYear(time, zone)}`;
  const clock = decimals === 0 && time.getTime() % 1000 === 0 ? formatSecond : formatClock;
  return `${formatDate(time, zone)}${year} ${clock(time, zone)}`;
}

/** Microseconds since 1970 as a time in UTC, such as "2026-11-24T04:00:00.000123Z". */
export function exactTime(microseconds: number): string {
  const time = new Date(Math.floor(microseconds / 1_000_000) * 1000);
  if (Number.isNaN(time.getTime())) return String(microseconds);
  const fraction = String(((microseconds % 1_000_000) + 1_000_000) % 1_000_000).padStart(6, '0');
  return time.toISOString().replace(/\.\d+Z$/, `.${fraction}Z`);
}

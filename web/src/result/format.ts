import { Decimal, type Json } from '../api/json';
import { formatClock, formatDate, formatYear, type Zone } from '../time/format';
import { formatNumber } from '../ui/numbers';

/** A value as it is read: times and numbers are rounded. Null for a value that is not rounded. */
export function shortened(value: Json, type: string, zone: Zone, now: Date): { short: string; exact: string } | null {
  if (type === 'TIMESTAMP' && typeof value === 'number') {
    const time = new Date(Math.floor(value / 1000));
    return { short: formatTime(time, zone, now), exact: exactTime(value) };
  }
  if (type === 'DATETIME' && typeof value === 'string') {
    const time = new Date(`${value}Z`);
    return Number.isNaN(time.getTime()) ? null : { short: formatTime(time, 'utc', now), exact: value };
  }
  if (value instanceof Decimal) return { short: formatNumber(Number(value.digits)), exact: value.digits };
  if ((type === 'FLOAT64' || type === 'NUMERIC') && typeof value === 'number') {
    return { short: formatNumber(value), exact: String(value) };
  }
  return null;
}

/** A time such as "24 Nov 04:00:00.000", with its year if it is not this year. */
function formatTime(time: Date, zone: Zone, now: Date): string {
  const year = formatYear(time, zone) === formatYear(now, zone) ? '' : ` ${formatYear(time, zone)}`;
  return `${formatDate(time, zone)}${year} ${formatClock(time, zone)}`;
}

/** Microseconds since 1970 as a time in UTC, such as "2026-11-24T04:00:00.000123Z". */
export function exactTime(microseconds: number): string {
  const time = new Date(Math.floor(microseconds / 1_000_000) * 1000);
  if (Number.isNaN(time.getTime())) return String(microseconds);
  const fraction = String(((microseconds % 1_000_000) + 1_000_000) % 1_000_000).padStart(6, '0');
  return time.toISOString().replace(/\.\d+Z$/, `.${fraction}Z`);
}

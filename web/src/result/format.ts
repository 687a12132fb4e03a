import { Decimal, type Json } from '../api/json';
import { formatClock, formatDate, formatDuration, formatSecond, formatYear, type Zone } from '../time/format';
import { formatBytes, formatNumber } from '../ui/numbers';
import type { Role } from './roles';
import { isNumeric, type ResultColumn, type Row } from './types';

/** How many rows the look of a column is guessed from, so that the rows appear at once. */
export const sample = 200;
/** How many digits a number is read with. */
const digits = 6;

/** How the values of a column are written. */
export interface Look {
  /** What they are; null for numbers as they are. */
  role?: Role | null;
  /** The decimals that they share; undefined for parts of a value. */
  decimals?: number | undefined;
  /** Whether times say how long ago they are. */
  relative?: boolean;
}

/** A value as it is read, with its exact text. Null for a value that is written as it is. */
export function shortened(
  value: Json,
  type: string,
  zone: Zone,
  now: Date,
  look: Look = {},
): { short: string; exact: string } | null {
  const time = timeOf(value, type, look.role);
  if (time !== null) {
    const ownZone = type === 'DATETIME' ? 'utc' : zone;
    const short = look.relative ? formatAgo(time.at, now) : formatTime(time.at, ownZone, now, look.decimals);
    return { short, exact: time.exact };
  }
  if (typeof value === 'bigint' || typeof value === 'number' || value instanceof Decimal) {
    return isNumeric(type) ? shortNumber(value, type, look) : null;
  }
  return null;
}

/** A time with its exact text; null for another value. */
function timeOf(value: Json, type: string, role: Role | null | undefined): { at: Date; exact: string } | null {
  if (type === 'TIMESTAMP' && typeof value === 'number') {
    return { at: new Date(Math.floor(value / 1000)), exact: exactTime(value) };
  }
  if (type === 'DATETIME' && typeof value === 'string') {
    const at = new Date(`${value}Z`);
    return Number.isNaN(at.getTime()) ? null : { at, exact: value };
  }
  if (type === 'INT64' && role === 'time' && typeof value === 'number') {
    const at = new Date(value * millisecondsPerUnit(value));
    return Number.isNaN(at.getTime()) ? null : { at, exact: String(value) };
  }
  return null;
}

/** Whole numbers are times in seconds, milliseconds, microseconds or nanoseconds, by their size. */
function millisecondsPerUnit(value: number): number {
  const size = Math.abs(value);
  if (size < 1e11) return 1000;
  if (size < 1e14) return 1;
  return size < 1e17 ? 1e-3 : 1e-6;
}

/** How long before or after now a time is, such as "4 min ago" or "in 2 h". */
function formatAgo(time: Date, now: Date): string {
  const age = now.getTime() - time.getTime();
  return age < 0 ? `in ${formatDuration(-age)}` : `${formatDuration(age)} ago`;
}

/** A number with thousands separators, unless it is an id. Only a FLOAT64 is rounded. */
function shortNumber(value: number | bigint | Decimal, type: string, { role, decimals }: Look) {
  const exact = value instanceof Decimal ? value.digits : String(value);
  if (role === 'bytes') return { short: formatBytes(Number(exact)), exact };
  const plain = type === 'FLOAT64' ? aligned(Number(exact), decimals) : padded(exact, decimals);
  const short = role === 'quantity' || role === 'duration' ? grouped(plain) : plain;
  return type === 'INT64' && short === exact ? null : { short, exact };
}

/** A decimal number with at least some decimals, and all that it has. */
function padded(digits: string, decimals = 0): string {
  const [whole = '', fraction = ''] = digits.split('.');
  if (!/^-?\d+$/.test(whole) || (fraction === '' && decimals === 0)) return digits;
  return `${whole}.${fraction.padEnd(decimals, '0')}`;
}

/** A number with thousands separators, such as "12,345.6". */
function grouped(text: string): string {
  return /^-?\d+(\.\d+)?$/.test(text) ? text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',') : text;
}

/**
 * How many decimals the values of a column share: a FLOAT64 has as many as one of them needs and the largest has room for,
 * a NUMERIC as many as one of them has, and times have none if all are whole seconds.
 */
export function decimalsOf(rows: readonly Row[], { name, type }: Pick<ResultColumn, 'name' | 'type'>): number {
  if (type === 'TIMESTAMP' || type === 'DATETIME') {
    const fraction = (value: Json): boolean =>
      typeof value === 'number' ? value % 1_000_000 !== 0 : typeof value === 'string' && /\.\d*[1-9]/.test(value);
    return rows.slice(0, sample).some((row) => fraction(row[name] ?? null)) ? 3 : 0;
  }
  if (type === 'NUMERIC') {
    const decimals = rows.slice(0, sample).map((row) => exactDigits(row[name] ?? null).split('.')[1]?.length ?? 0);
    return Math.max(0, ...decimals);
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

function exactDigits(value: Json): string {
  return value instanceof Decimal ? value.digits : String(value);
}

import type { Zone } from './format';

/**
 * The times that the server reads (D11): a date, or a date and a time separated by
 * T or a space; seconds and up to nine fraction digits are optional; the offset is
 * Z, ±hh:mm, ±hhmm or ±hh, and none means UTC.
 */
const pattern = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?:Z|[+-](\d\d):?(\d\d)?)?)?$/;

/** Reports whether the server can parse a text as a time. */
export function isTime(text: string): boolean {
  const match = pattern.exec(text.trim());
  if (match === null) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = match
    .slice(1)
    .map((part) => Number(part ?? 0)) as [number, number, number, number, number, number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isDate = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && year > 0;
  return isDate && hour < 24 && minute < 60 && second < 60 && offsetHour < 24 && offsetMinute < 60;
}

/** The time as the server parses it, or null. */
export function parseTime(text: string): Date | null {
  const trimmed = text.trim();
  if (!isTime(trimmed)) return null;
  const [, date = '', time = '00:00', offset = 'Z'] =
    /^(\S{10})(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(.*))?$/.exec(trimmed)?.map((part) => part || undefined) ?? [];
  return new Date(`${date}T${milliseconds(time)}${normalOffset(offset)}`);
}

/** A Date has milliseconds; the server reads further digits. */
function milliseconds(time: string): string {
  return time.replace(/(\.\d{3})\d+$/, '$1');
}

function normalOffset(offset: string): string {
  if (offset === 'Z') return offset;
  const digits = offset.replace(':', '').padEnd(5, '0');
  return `${digits.slice(0, 3)}:${digits.slice(3)}`;
}

/** A time as a picker takes it: in a zone that it does not name; empty if the server cannot parse it. */
export function toPicker(text: string, zone: Zone): string {
  const time = parseTime(text);
  if (time === null) return '';
  if (zone === 'utc') return time.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length);
  // Not by getTimezoneOffset, which drops the seconds that offsets of early years have: while a
  // year is being typed, it is one of them.
  const pad = (part: number, length = 2): string => String(part).padStart(length, '0');
  const day = [pad(time.getFullYear(), 4), pad(time.getMonth() + 1), pad(time.getDate())].join('-');
  return `${day}T${[time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => pad(part)).join(':')}`;
}

/** The value of a picker in a zone, in UTC. The server rejects a value that is no time. */
export function fromPicker(value: string, zone: Zone): string {
  const time = new Date(zone === 'utc' ? `${value}Z` : value);
  return Number.isNaN(time.getTime()) ? value : time.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A time as people read and type it, such as "2026-11-24 04:00", in a zone; empty if it is none. */
export function showTime(text: string, zone: Zone): string {
  return toPicker(text, zone).replace('T', ' ').replace(/:00$/, '');
}

/** Reads what was typed in a zone, such as "2026-11-24 04:00" or "2026-11-24"; null if it is no time. */
export function readTime(typed: string, zone: Zone): string | null {
  const text = typed.trim().replace(' ', 'T');
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/.test(text) || !isTime(text)) return null;
  return fromPicker(text.includes('T') ? text : `${text}T00:00`, zone);
}

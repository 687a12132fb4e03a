import { day, hour, minute, second } from './units';

/** The time zone that times are shown in: the viewer's own, or UTC. */
export type Zone = 'local' | 'utc';

type Style = 'date' | 'year' | 'minute' | 'second' | 'clock' | 'full';

const styles: { [style in Style]: Intl.DateTimeFormatOptions } = {
  date: { day: 'numeric', month: 'short' },
  year: { year: 'numeric' },
  minute: { hour: '2-digit', minute: '2-digit' },
  second: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
  full: {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  },
};

// Creating a formatter is slower than using it a hundred times.
const formatters = new Map<string, Intl.DateTimeFormat>();

function format(time: Date, zone: Zone, style: Style): string {
  const key = `${zone} ${style}`;
  let formatter = formatters.get(key);
  if (formatter === undefined) {
    const timeZone = zone === 'utc' ? { timeZone: 'UTC' } : {};
    formatter = new Intl.DateTimeFormat('en-GB', { ...styles[style], ...timeZone, hourCycle: 'h23' });
    formatters.set(key, formatter);
  }
  return formatter.format(time);
}

/** Such as "20 Nov". */
export const formatDate = (time: Date, zone: Zone): string => format(time, zone, 'date');
/** Such as "2026". */
export const formatYear = (time: Date, zone: Zone): string => format(time, zone, 'year');
/** Such as "12:03". */
export const formatMinute = (time: Date, zone: Zone): string => format(time, zone, 'minute');
/** Such as "12:03:21". */
export const formatSecond = (time: Date, zone: Zone): string => format(time, zone, 'second');
/** Such as "12:03:21.250". */
export const formatClock = (time: Date, zone: Zone): string => format(time, zone, 'clock');
/** Such as "20 Nov, 12:03:21.250". */
export const formatFull = (time: Date, zone: Zone): string => format(time, zone, 'full');

/** The bucket that starts at a time, such as "20 Nov, 12:00 – 13:00". */
export function formatBucket(start: Date, widthMs: number, zone: Zone): string {
  const end = new Date(start.getTime() + widthMs);
  // The server's days are UTC days, in every zone.
  if (widthMs >= day) return `${formatDate(start, 'utc')} (UTC day)`;
  if (widthMs < minute) return `${formatDate(start, zone)}, ${formatSecond(start, zone)}`;
  return `${formatDate(start, zone)}, ${formatMinute(start, zone)} – ${formatMinute(end, zone)}`;
}

/**
 * An instant with its zone, such as "20 Nov, 12:03 UTC", and with seconds where it is
 * about buckets of less than a minute. Days are cut in UTC, so theirs are in UTC.
 */
export function formatInstant(time: Date, widthMs: number, zone: Zone): string {
  const shown = widthMs >= day ? 'utc' : zone;
  const clock = widthMs < minute ? formatSecond(time, shown) : formatMinute(time, shown);
  return `${formatDate(time, shown)}, ${clock} ${zoneName(shown, time)}`;
}

/** How old something is, such as "4 min old". */
export function formatAge(ageMs: number): string {
  if (ageMs < 2 * second) return 'just now';
  return `${formatDuration(ageMs)} old`;
}

/** A duration in its largest whole unit, such as "4 min". */
export function formatDuration(durationMs: number): string {
  if (durationMs < minute) return `${Math.floor(durationMs / second)} s`;
  if (durationMs < hour) return `${Math.floor(durationMs / minute)} min`;
  if (durationMs < day) return `${Math.floor(durationMs / hour)} h`;
  const days = Math.floor(durationMs / day);
  return days === 1 ? '1 day' : `${days} days`;
}

/** The name of a zone, such as "UTC+1". */
export function zoneName(zone: Zone, at: Date): string {
  if (zone === 'utc') return 'UTC';
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' }).formatToParts(at);
  const name = parts.find((part) => part.type === 'timeZoneName')?.value ?? 'local time';
  return name.replace('GMT', 'UTC').replace('UTC+0', 'UTC');
}

import { isTime } from './iso';
import { day as dayLength } from './units';

/** The day that a text begins with, such as "2026-11-24"; null without one. */
export function dayOf(text: string): string | null {
  const day = text.slice(0, 'yyyy-mm-dd'.length);
  return isTime(day) ? day : null;
}

/** The day some days later. Days have no zone, so they are counted in UTC. */
export function shiftDay(day: string, by: number): string {
  return isoOf(Date.parse(day) + by * dayLength);
}

/** The same day of the month some months later, or the last day of that month. */
export function shiftMonth(day: string, by: number): string {
  const date = new Date(day);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + by + 1, 0));
  last.setUTCDate(Math.min(last.getUTCDate(), date.getUTCDate()));
  return isoOf(last.getTime());
}

/** The six weeks with the days of a month, each from Monday on. */
export function weeksOf(day: string): string[][] {
  const first = `${day.slice(0, 8)}01`;
  const monday = shiftDay(first, -((new Date(first).getUTCDay() + 6) % 7));
  return Array.from({ length: 6 }, (_, week) => Array.from({ length: 7 }, (_, at) => shiftDay(monday, week * 7 + at)));
}

/** The name of a day's month, such as "November 2026". */
export function monthOf(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date(day));
}

/** The name of a day, such as "24 November 2026". */
export function nameOf(day: string): string {
  return `${Number(day.slice(8))} ${monthOf(day)}`;
}

/** The range after a day was picked: it begins there, or ends there if it has begun before and has no end. */
export function pickDay(from: string, to: string, day: string): { from: string; to: string } {
  return from === '' || to !== '' || day < from ? { from: day, to: '' } : { from, to: day };
}

function isoOf(time: number): string {
  return new Date(time).toISOString().slice(0, 'yyyy-mm-dd'.length);
}

import { dayOf } from './calendar';
import type { Zone } from './format';
import { fromPicker, toPicker } from './iso';

/** The types of values that have a day. */
export const timeTypes = ['TIMESTAMP', 'DATETIME', 'DATE'] as const;

export type TimeType = (typeof timeTypes)[number];

/** The day of a value, for a TIMESTAMP in a zone; empty for one without, such as now-1d. */
export function dayOfValue(type: TimeType, value: string, zone: Zone): string {
  return dayOf(type === 'TIMESTAMP' ? toPicker(value, zone) : value.trim()) ?? '';
}

/** A value with another day and the same time, which is midnight if there was none. */
export function withDay(type: TimeType, value: string, day: string, zone: Zone): string {
  if (type === 'DATE') return day;
  const shown = type === 'TIMESTAMP' ? toPicker(value, zone) : value.trim();
  const time = dayOf(shown) === null ? '' : shown.slice('yyyy-mm-ddT'.length);
  const moved = `${day}T${time || '00:00:00'}`;
  return type === 'TIMESTAMP' ? fromPicker(moved, zone) : moved;
}

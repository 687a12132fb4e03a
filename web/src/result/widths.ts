import { compactJson, type Json } from '../api/json';
import type { Zone } from '../time/format';
import { shortened } from './format';
import type { ResultColumn, Row } from './types';

/** How many rows the width of a column is guessed from, so that the rows appear at once. */
const sample = 200;
/** The average width of a character, and what surrounds a text, in pixels. */
const character = 7.4;
const padding = 28;
/** The arrow of a header, in pixels. */
const arrow = 16;

export const leastWidth = 64;
/** Longer texts are cut off, until the column is made wider. */
const mostWidth = 340;

/** The widths of columns in pixels, so that their headers and most of their values fit. */
export function widthsOf(columns: readonly ResultColumn[], rows: readonly Row[], zone: Zone, now: Date): number[] {
  const some = rows.slice(0, sample);
  return columns.map(({ name, type }) => {
    const lengths = some.map((row) => lengthOf(row[name] ?? null, type, zone, now));
    const values = lengths.reduce((most, length) => Math.max(most, length), 0) * character;
    const wanted = Math.max(values, name.length * character + arrow) + padding;
    return Math.round(Math.min(mostWidth, Math.max(leastWidth, wanted)));
  });
}

function lengthOf(value: Json, type: string, zone: Zone, now: Date): number {
  const rounded = shortened(value, type, zone, now);
  if (rounded !== null) return rounded.short.length;
  return typeof value === 'string' ? value.length : compactJson(value).length;
}

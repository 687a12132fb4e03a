import { compactJson, type Json } from '../api/json';
import type { Zone } from '../time/format';
import { type Look, sample, shortened } from './format';
import type { ResultColumn, Row } from './types';

/** The average width of a character, and what surrounds a text, in pixels. */
const character = 7.4;
const padding = 28;
/** The arrow of a header, in pixels. */
const arrow = 16;

export const leastWidth = 64;
/** Longer texts are cut off, until the column is made wider. */
const mostWidth = 340;

/** The widths of columns in pixels, so that their headers and most of their values fit. */
export function widthsOf(
  columns: readonly ResultColumn[],
  rows: readonly Row[],
  zone: Zone,
  now: Date,
  exact: boolean,
  looks: readonly Look[],
): number[] {
  const some = rows.slice(0, sample);
  return columns.map(({ name, type }, index) => {
    const lengths = some.map((row) => {
      const value = row[name] ?? null;
      return lengthOf(value, shortened(value, type, zone, now, looks[index])?.[exact ? 'exact' : 'short']);
    });
    const values = lengths.reduce((most, length) => Math.max(most, length), 0) * character;
    const wanted = Math.max(values, name.length * character + arrow) + padding;
    return Math.round(Math.min(mostWidth, Math.max(leastWidth, wanted)));
  });
}

/** The length of a value, or of its rounded text if it has one. */
function lengthOf(value: Json, rounded: string | undefined): number {
  if (rounded !== undefined) return rounded.length;
  return typeof value === 'string' ? value.length : compactJson(value).length;
}

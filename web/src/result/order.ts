import { compactJson, type Json } from '../api/json';
import { numberOf } from './series';
import { finished, mapped, type Steps, sorted } from './steps';
import type { Row } from './types';

/** The order of rows: by a column, or as they were received if it is null. */
export type RowOrder = { column: string; descending: boolean } | null;

/** The order after a click on a header: numbers and times begin with the largest; a third click is as received. */
export function nextOrder(order: RowOrder, column: string, largestFirst: boolean): RowOrder {
  if (order === null || order.column !== column) return { column, descending: largestFirst };
  return order.descending === largestFirst ? { column, descending: !largestFirst } : null;
}

/** The positions of the rows in an order. Rows without a value are last, and equal ones stay in order. */
export function sortedIndexes(rows: readonly Row[], order: RowOrder): number[] {
  const indexes = rows.map((_, index) => index);
  return finished(ordered(rows, indexes, order));
}

/** Some positions of rows in an order, as {@link sortedIndexes}. */
export function* ordered(rows: readonly Row[], indexes: number[], order: RowOrder): Steps<number[]> {
  if (order === null) return indexes;
  const keys = yield* mapped(rows, (row) => keyOf(row[order.column] ?? null));
  const sign = order.descending ? -1 : 1;
  return yield* sorted(indexes, (a, b) => {
    const [left, right] = [keys[a] ?? null, keys[b] ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left === right ? 0 : left < right ? -sign : sign;
  });
}

/** What a value is compared by. The values of a column have one type. */
function keyOf(value: Json): number | bigint | string | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'string' || typeof value === 'bigint') return value;
  return numberOf(value) ?? compactJson(value);
}

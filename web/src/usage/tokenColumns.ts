import { type RowOrder, sortedIndexes } from '../result/order';
import { formatBytesOrNone, formatCount, formatMilliseconds, formatShare } from '../ui/numbers';
import type { UsageRow } from './groups';

/** A number of a row of usage. */
export interface UsageColumn {
  /** In the rows. */
  name: string;
  title: string;
  format: (row: UsageRow) => string;
}

const numberIn = (row: UsageRow, name: string): number => Number(row[name] ?? 0);

const allColumns: readonly UsageColumn[] = [
  { name: 'requests', title: 'Requests', format: (row) => formatCount(numberIn(row, 'requests')) },
  {
    name: 'hit_share',
    title: 'Cache hits',
    format: (row) => formatShare(numberIn(row, 'hits'), numberIn(row, 'requests')),
  },
  { name: 'errors', title: 'Errors', format: (row) => formatCount(numberIn(row, 'errors')) },
  { name: 'rows', title: 'Rows', format: (row) => formatCount(numberIn(row, 'rows')) },
  { name: 'runs', title: 'Engine runs', format: (row) => formatCount(numberIn(row, 'runs')) },
  { name: 'bytes', title: 'Bytes billed', format: (row) => formatBytesOrNone(numberIn(row, 'bytes')) },
  {
    name: 'engine_seconds',
    title: 'Engine time',
    format: (row) => formatMilliseconds(1000 * numberIn(row, 'engine_seconds')),
  },
];

/** The columns of usage. An engine that bills no bytes has no column for them. */
export function columnsOf(total: UsageRow): readonly UsageColumn[] {
  return allColumns.filter(({ name }) => name !== 'bytes' || numberIn(total, 'bytes') > 0);
}

/** The sums of all rows. */
export function totalOf(rows: readonly UsageRow[]): UsageRow {
  const sums = ['requests', 'hits', 'errors', 'rows', 'runs', 'bytes', 'engine_seconds'].map((name) => [
    name,
    rows.reduce((sum, row) => sum + numberIn(row, name), 0),
  ]);
  return Object.fromEntries(sums) as UsageRow;
}

/** The order by cost, the largest first: by bytes where the engine bills them, and otherwise by its time. */
export function costOrder(total: UsageRow): RowOrder {
  return { column: numberIn(total, 'bytes') > 0 ? 'bytes' : 'engine_seconds', descending: true };
}

/** The rows in an order. */
export function ordered(rows: readonly UsageRow[], order: RowOrder): UsageRow[] {
  const shared = rows.map((row) => ({ ...row, hit_share: numberIn(row, 'hits') / numberIn(row, 'requests') }));
  return sortedIndexes(shared, order).flatMap((index) => shared[index] ?? []);
}

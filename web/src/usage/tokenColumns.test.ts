import { expect, test } from 'vitest';
import { columnsOf, costOrder, ordered, totalOf } from './tokenColumns';

const row = (token: string, requests: number, hits: number, bytes: number, seconds: number) => ({
  token,
  requests,
  hits,
  errors: 0,
  rows: 10,
  runs: 1,
  bytes,
  engine_seconds: seconds,
});

const rows = [row('a', 10, 9, 0, 1), row('b', 1000, 500, 0, 7.5)];
const billed = [row('a', 10, 9, 5000, 1), row('b', 1000, 500, 0, 7.5)];

test('what costs most is first: by bytes where they are billed, and otherwise by time', () => {
  const names = (some: typeof rows): unknown[] => ordered(some, costOrder(totalOf(some))).map(({ token }) => token);
  expect(names(rows)).toEqual(['b', 'a']);
  expect(names(billed)).toEqual(['a', 'b']);
});

test('cache hits are sorted by their share', () => {
  expect(ordered(rows, { column: 'hit_share', descending: true }).map(({ token }) => token)).toEqual(['a', 'b']);
});

test('the total has the format of the rows, and bytes only if any were billed', () => {
  const short = (some: typeof rows): string[] => {
    const total = totalOf(some);
    return columnsOf(total).map(({ title, format }) => `${title} ${format(total)}`);
  };
  expect(short(rows)).toEqual([
    'Requests 1,010',
    'Cache hits 50.4 %',
    'Errors 0',
    'Rows 20',
    'Engine runs 2',
    'Engine time 8.50 s',
  ]);
  expect(short(billed)).toContain('Bytes billed 5.0 kB');
  expect(columnsOf(totalOf(billed)).map(({ format }) => format(row('b', 1, 0, 0, 0)))[5]).toBe('–');
});

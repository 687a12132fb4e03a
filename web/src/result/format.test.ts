import { expect, test } from 'vitest';
import { Decimal, type Json } from '../api/json';
import { decimalsOf, exactTime, shortened } from './format';
import type { Role } from './roles';

const now = new Date('2026-11-26T12:00:00Z');

test.each<[Json, string, string, string]>([
  [1_795_492_800_000_123, 'TIMESTAMP', '24 Nov 04:00:00.000', '2026-11-24T04:00:00.000123Z'],
  [1_700_000_000_250_000, 'TIMESTAMP', '14 Nov 2023 22:13:20.250', '2023-11-14T22:13:20.250000Z'],
  ['2026-11-21T20:00:00.250001', 'DATETIME', '21 Nov 20:00:00.250', '2026-11-21T20:00:00.250001'],
  [2319.3999999999996, 'FLOAT64', '2319.4', '2319.3999999999996'],
  [new Decimal('0.12345678901234567891'), 'NUMERIC', '0.12345678901234567891', '0.12345678901234567891'],
  [new Decimal('0.12345678901234567891'), 'FLOAT64', '0.123457', '0.12345678901234567891'],
])('%s of the type %s is %s', (value, type, short, exact) => {
  expect(shortened(value, type, 'utc', now)).toEqual({ short, exact });
});

test.each<[Json, string]>([
  [7, 'INT64'],
  ['2026-11-21', 'DATE'],
  ['no time', 'DATETIME'],
])('%s of the type %s is not rounded', (value, type) => {
  expect(shortened(value, type, 'utc', now)).toBeNull();
});

test('numbers of a column share their decimals and keep their digits', () => {
  const values = [2319.3999999999996, 12, new Decimal('0.333333333'), -4.5, 0, 0.00012];
  const decimals = decimalsOf(
    values.map((value) => ({ value })),
    { name: 'value', type: 'FLOAT64' },
  );
  const texts = values.map((value) => shortened(value, 'FLOAT64', 'utc', now, { decimals })?.short);
  expect(texts).toEqual(['2319.40', '12.00', '0.33', '-4.50', '0.00', '0.00012']);
  expect(decimalsOf([{ value: 7 }, { value: null }], { name: 'value', type: 'FLOAT64' })).toBe(0);
});

test.each<[Json, Json, string, string]>([
  [1_795_492_800_000_000, 1_795_492_800_250_000, 'TIMESTAMP', '24 Nov 04:00:00'],
  ['2026-11-24T04:00:00', '2026-11-24T04:00:00.250000', 'DATETIME', '24 Nov 04:00:00'],
])('%s has milliseconds only beside %s', (whole, part, type, seconds) => {
  const column = { name: 'at', type };
  const text = (value: Json, decimals: number) => shortened(value, type, 'utc', now, { decimals })?.short;
  expect(text(whole, decimalsOf([{ at: whole }, { at: null }], column))).toBe(seconds);
  expect(text(whole, decimalsOf([{ at: whole }, { at: part }], column))).toBe(`${seconds}.000`);
  expect(text(part, 0)).toBe(`${seconds}.250`);
});

test('times before 1970 have their microseconds', () => {
  expect(exactTime(-1)).toBe('1969-12-31T23:59:59.999999Z');
});

test.each<[Json, string, Role, number, string | undefined]>([
  [1234567, 'INT64', 'quantity', 0, '1,234,567'],
  [-1234, 'INT64', 'quantity', 0, '-1,234'],
  [999, 'INT64', 'quantity', 0, undefined],
  [1234567, 'INT64', 'id', 0, undefined],
  [9007199254740995n, 'INT64', 'quantity', 0, '9,007,199,254,740,995'],
  [1234567.891, 'FLOAT64', 'duration', 2, '1,234,568'],
  [12345.678, 'FLOAT64', 'quantity', 1, '12,345.7'],
  [1234.5, 'NUMERIC', 'quantity', 2, '1,234.50'],
  [new Decimal('12345678901234567890.123456789'), 'NUMERIC', 'quantity', 2, '12,345,678,901,234,567,890.123456789'],
  [7, 'NUMERIC', 'quantity', 2, '7.00'],
  [3100, 'INT64', 'bytes', 0, '3.1 kB'],
  [1_795_492_800, 'INT64', 'time', 0, '24 Nov 04:00:00'],
  [1_795_492_800_250, 'INT64', 'time', 0, '24 Nov 04:00:00.250'],
])('%s of the type %s, a %s, is written in full', (value, type, role, decimals, short) => {
  expect(shortened(value, type, 'utc', now, { role, decimals })?.short).toBe(short);
});

test('times can be relative, and keep their exact text', () => {
  const text = (iso: string) => shortened(Date.parse(iso) * 1000, 'TIMESTAMP', 'utc', now, { relative: true });
  expect(text('2026-11-26T11:56:00Z')).toEqual({ short: '4 min ago', exact: '2026-11-26T11:56:00.000000Z' });
  expect(text('2026-11-26T14:00:00Z')?.short).toBe('in 2 h');
});

test('the decimals of money are those that it has', () => {
  const rows = [{ n: 5 }, { n: 19.99 }, { n: new Decimal('123456789012345678.125') }, { n: null }];
  expect(decimalsOf(rows, { name: 'n', type: 'NUMERIC' })).toBe(3);
});

import { expect, test } from 'vitest';
import { Decimal, type Json } from '../api/json';
import { decimalsOf, exactTime, shortened } from './format';

const now = new Date('2026-11-26T12:00:00Z');

test.each<[Json, string, string, string]>([
  [1_795_492_800_000_123, 'TIMESTAMP', '24 Nov 04:00:00.000', '2026-11-24T04:00:00.000123Z'],
  [1_700_000_000_250_000, 'TIMESTAMP', '14 Nov 2023 22:13:20.250', '2023-11-14T22:13:20.250000Z'],
  ['2026-11-21T20:00:00.250001', 'DATETIME', '21 Nov 20:00:00.250', '2026-11-21T20:00:00.250001'],
  [2319.3999999999996, 'FLOAT64', '2319.4', '2319.3999999999996'],
  [new Decimal('0.12345678901234567891'), 'NUMERIC', '0.123457', '0.12345678901234567891'],
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
  const texts = values.map((value) => shortened(value, 'FLOAT64', 'utc', now, decimals)?.short);
  expect(texts).toEqual(['2319.40', '12.00', '0.33', '-4.50', '0.00', '0.00012']);
  expect(decimalsOf([{ value: 7 }, { value: null }], { name: 'value', type: 'FLOAT64' })).toBe(0);
});

test.each<[Json, Json, string, string]>([
  [1_795_492_800_000_000, 1_795_492_800_250_000, 'TIMESTAMP', '24 Nov 04:00:00'],
  ['2026-11-24T04:00:00', '2026-11-24T04:00:00.250000', 'DATETIME', '24 Nov 04:00:00'],
])('%s has milliseconds only beside %s', (whole, part, type, seconds) => {
  const column = { name: 'at', type };
  const text = (value: Json, decimals: number) => shortened(value, type, 'utc', now, decimals)?.short;
  expect(text(whole, decimalsOf([{ at: whole }, { at: null }], column))).toBe(seconds);
  expect(text(whole, decimalsOf([{ at: whole }, { at: part }], column))).toBe(`${seconds}.000`);
  expect(text(part, 0)).toBe(`${seconds}.250`);
});

test('times before 1970 have their microseconds', () => {
  expect(exactTime(-1)).toBe('1969-12-31T23:59:59.999999Z');
});

import { expect, test } from 'vitest';
import { dayOf, monthOf, nameOf, pickDay, shiftDay, shiftMonth, weeksOf } from './calendar';

test.each([
  ['2026-02-28', 1, '2026-03-01'],
  ['2028-02-28', 1, '2028-02-29'],
  ['2026-01-01', -1, '2025-12-31'],
])('%s and %d days is %s', (day, by, want) => expect(shiftDay(day, by)).toBe(want));

test.each([
  ['2026-01-31', 1, '2026-02-28'],
  ['2026-03-31', -1, '2026-02-28'],
  ['2026-12-15', 1, '2027-01-15'],
])('%s and %d months is %s', (day, by, want) => expect(shiftMonth(day, by)).toBe(want));

test('a month has six weeks from Monday on', () => {
  const weeks = weeksOf('2026-11-24');
  expect(weeks.map(([monday]) => monday)).toEqual([
    '2026-10-26',
    '2026-11-02',
    '2026-11-09',
    '2026-11-16',
    '2026-11-23',
    '2026-11-30',
  ]);
  expect(weeks[0]?.at(-1)).toBe('2026-11-01');
  expect(monthOf('2026-11-24')).toBe('November 2026');
  expect(nameOf('2026-11-04')).toBe('4 November 2026');
});

test.each([
  ['', '', '2026-11-24', '2026-11-24', ''],
  ['2026-11-20', '', '2026-11-24', '2026-11-20', '2026-11-24'],
  ['2026-11-20', '', '2026-11-18', '2026-11-18', ''],
  ['2026-11-20', '2026-11-24', '2026-11-22', '2026-11-22', ''],
])('from %j to %j, picking %s', (from, to, day, wantFrom, wantTo) => {
  expect(pickDay(from, to, day)).toEqual({ from: wantFrom, to: wantTo });
});

test('the day of a time', () => {
  expect(dayOf('2026-11-24 04:00')).toBe('2026-11-24');
  expect(dayOf('2026-13-24')).toBeNull();
  expect(dayOf('')).toBeNull();
});

import { expect, test } from 'vitest';
import { dayOfValue, withDay } from './dayOfValue';

test('another day keeps the time of a value', () => {
  expect(withDay('DATE', '2026-11-24', '2026-12-01', 'utc')).toBe('2026-12-01');
  expect(withDay('TIMESTAMP', '2026-11-24T04:30:00Z', '2026-12-01', 'utc')).toBe('2026-12-01T04:30:00Z');
  expect(withDay('TIMESTAMP', '2026-11-24 23:30+01', '2026-12-01', 'utc')).toBe('2026-12-01T22:30:00Z');
  expect(withDay('DATETIME', '2026-11-24T04:30:00.5', '2026-12-01', 'utc')).toBe('2026-12-01T04:30:00.5');
});

test('a value without a day gets midnight', () => {
  for (const value of ['', 'now-1d', 'nonsense']) {
    expect(dayOfValue('TIMESTAMP', value, 'utc')).toBe('');
    expect(withDay('TIMESTAMP', value, '2026-12-01', 'utc')).toBe('2026-12-01T00:00:00Z');
    expect(withDay('DATETIME', value, '2026-12-01', 'utc')).toBe('2026-12-01T00:00:00');
  }
});

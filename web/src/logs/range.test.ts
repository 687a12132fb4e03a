import { expect, test } from 'vitest';
import { boundsOf, isOpen } from './range';

const now = Date.parse('2026-11-20T12:00:00Z');

test.each([
  [{ range: 'all', start: 'x', end: 'y' } as const, { start: null, end: null }],
  [{ range: '15m', start: '', end: '' } as const, { start: '2026-11-20T11:45:00.000Z', end: null }],
  [{ range: '7d', start: '', end: '' } as const, { start: '2026-11-13T12:00:00.000Z', end: null }],
  [{ range: 'custom', start: '2026-11-20', end: '' } as const, { start: '2026-11-19T23:59:59.999999Z', end: null }],
  [
    { range: 'custom', start: '', end: '2026-11-20 13:00' } as const,
    { start: null, end: '2026-11-20T12:59:59.999999Z' },
  ],
  [{ range: 'custom', start: 'yesterday', end: '' } as const, { start: null, end: null }],
])('bounds %#', (state, want) => {
  expect(boundsOf(state, now)).toEqual(want);
});

test('no entries come after an end that has passed', () => {
  expect(isOpen({ start: null, end: null }, now)).toBe(true);
  expect(isOpen({ start: null, end: '2026-11-20T12:00:01Z' }, now)).toBe(true);
  expect(isOpen({ start: null, end: '2026-11-20T12:00:00Z' }, now)).toBe(false);
});

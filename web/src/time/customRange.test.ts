import { expect, test } from 'vitest';
import { customRange } from './customRange';

test('a custom range has whole steps', () => {
  const noon = Date.parse('2026-11-20T12:00:00Z');
  expect(customRange(noon, noon + 60_500)).toEqual({
    range: 'custom',
    start: '2026-11-20T12:00:00Z',
    end: '2026-11-20T12:01:00.500Z',
  });
});

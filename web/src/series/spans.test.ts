import { expect, test } from 'vitest';
import { day, hour, minute, second } from '../time/units';
import { liveSeconds } from './spans';

test.each([
  ['5 min by second', { window: 5 * minute, width: second }, 10],
  ['15 min by minute', { window: 15 * minute, width: minute }, 10],
  ['1 hour by minute', { window: hour, width: minute }, 60],
  ['1 day by hour', { window: day, width: hour }, null],
  ['7 days by day', { window: 7 * day, width: day }, null],
])('the pace of %s', (_name, span, want) => {
  expect(liveSeconds(span)).toBe(want);
});

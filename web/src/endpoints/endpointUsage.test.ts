import { expect, test } from 'vitest';
import { describeUsage, usageOf } from './endpointUsage';

test('the days of a saved query are added up', () => {
  const usage = usageOf([
    { day: '2026-11-20', endpoint: 'a', runs: 1, engine_seconds: 0.5 },
    { day: '2026-11-22', endpoint: 'a', runs: 3, engine_seconds: 1.5 },
    { day: '2026-11-21', endpoint: 'a', runs: 0, engine_seconds: 0 },
    { day: '2026-11-21', endpoint: 'b', runs: 0, engine_seconds: 0 },
  ]);
  expect(usage.get('a')).toEqual({ lastDay: '2026-11-22', runs: 4, engineSeconds: 2 });
  expect(describeUsage(usage.get('a'), '2026-11-22')).toBe('used today · 500 ms a run');
  expect(describeUsage(usage.get('b'), '2026-11-22')).toBe('used 2026-11-21');
  expect(describeUsage(usage.get('c'), '2026-11-22')).toBe('not used in 30 days');
});

import { expect, test } from 'vitest';
import { before, type InvocationStat, summarise } from './series';

function stat(timestamp: string, part: Partial<InvocationStat>): InvocationStat {
  return {
    timestamp,
    minExecutionTime: null,
    maxExecutionTime: null,
    avgExecutionTime: null,
    p95ExecutionTime: null,
    p99ExecutionTime: null,
    count: 0,
    errorCount: 0,
    ...part,
  };
}

test('a series is summed up, with means weighted by invocations', () => {
  const summary = summarise([
    stat('2026-11-20T10:00:00Z', { count: 3, errorCount: 1, avgExecutionTime: 100, p99ExecutionTime: 300 }),
    stat('2026-11-20T11:00:00Z', {}),
    stat('2026-11-20T12:00:00Z', { count: 1, avgExecutionTime: 500, p99ExecutionTime: 500 }),
    stat('2026-11-20T13:00:00Z', { count: 5, errorCount: 5 }),
  ]);
  expect(summary).toEqual({
    count: 9,
    errorCount: 6,
    meanTime: 200,
    slowest: { time: 500, start: new Date('2026-11-20T12:00:00Z') },
  });
});

test('without recorded times, there is no time', () => {
  expect(summarise([stat('2026-11-20T10:00:00Z', {})])).toEqual({
    count: 0,
    errorCount: 0,
    meanTime: null,
    slowest: null,
  });
});

test('the last microsecond before a bucket', () => {
  expect(before('2026-11-20T10:00:00Z')).toBe('2026-11-20T09:59:59.999999Z');
});

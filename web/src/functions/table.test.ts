import { describe, expect, it } from 'vitest';
import { nextOrder, parseOrder, sorted } from './table';

const rowOf = (functionId: string | null, invocations: number, errors: number, p95: number | null, seen: string) => ({
  functionId,
  invocations,
  errors,
  p95ExecutionTime: p95,
  lastSeen: `2026-11-20T${seen}Z`,
});

const rows = [
  rowOf('b', 100, 1, 20, '10:00:00'),
  rowOf('a', 50, 5, null, '11:00:00.5'),
  rowOf(null, 10, 5, 9, '11:00:00'),
];

describe('sorted', () => {
  it.each([
    ['', ['b', 'a', null]],
    ['invocations', [null, 'a', 'b']],
    ['-errors', ['a', null, 'b']],
    ['-rate', [null, 'a', 'b']],
    ['function', ['a', 'b', null]],
    ['-function', ['b', 'a', null]],
    ['p95', [null, 'b', 'a']],
    ['-p95', ['b', null, 'a']],
    ['-seen', ['a', null, 'b']],
    ['-nosuch', ['b', 'a', null]],
  ])('sorts by %j', (order, ids) => {
    expect(sorted(rows, parseOrder(order)).map(({ functionId }) => functionId)).toEqual(ids);
  });
});

describe('nextOrder', () => {
  it.each([
    ['', 'errors', '-errors'],
    ['-errors', 'errors', 'errors'],
    ['errors', 'errors', '-errors'],
    ['', 'function', 'function'],
    ['function', 'function', '-function'],
    ['', 'invocations', 'invocations'],
    ['invocations', 'invocations', ''],
    ['-p95', 'invocations', ''],
  ])('after %j, a click on %j gives %j', (order, clicked, next) => {
    expect(nextOrder(parseOrder(order), clicked)).toBe(next);
  });
});

import { expect, test } from 'vitest';
import type { LoadState } from '../app/routes';
import { boundsOf, daysBetween, measureOf, narrowed, seriesOf } from './load';

const now = new Date('2026-11-22T12:30:00Z');
const state: LoadState = { by: 'token', token: '', endpoint: '', measure: '', days: '' };
const text = (time: Date): string => time.toISOString().slice(0, 10);

test('a row leads to what is behind it', () => {
  expect(narrowed(state, 'web')).toEqual({ ...state, by: 'endpoint', token: 'web' });
  expect(narrowed({ ...state, by: 'endpoint' }, 'logs.all')).toEqual({ ...state, by: 'token', endpoint: 'logs.all' });
  const both = { ...state, token: 'web', endpoint: 'logs.all' };
  expect(narrowed({ ...state, by: 'endpoint', token: 'web' }, 'logs.all')).toEqual({ ...both, by: 'day' });
  expect(narrowed({ ...state, by: 'day' }, '2026-11-22')).toBeNull();
  expect(narrowed({ ...state, by: 'subject' }, 'ann')).toBeNull();
});

test('bytes are the measure where the engine bills them', () => {
  expect(measureOf(state, [{ bytes: 0 }])).toBe('engine_seconds');
  expect(measureOf(state, [{ bytes: 0 }, { bytes: 5 }])).toBe('bytes');
  expect(measureOf({ ...state, measure: 'runs' }, [{ bytes: 5 }])).toBe('runs');
  expect(measureOf({ ...state, measure: 'sums' }, [])).toBe('engine_seconds');
});

test('columns of days, the largest part first', () => {
  const days = daysBetween(new Date('2026-11-20T23:00:00Z'), now);
  expect(days.map(text)).toEqual(['2026-11-20', '2026-11-21', '2026-11-22']);
  const row = (day: string, token: string, runs: number) => ({ day, token, runs });
  const rows = [
    row('2026-11-22', 'a', 1),
    row('2026-11-20', 'b', 5),
    row('2026-11-21', 'a', 2),
    row('2026-11-01', 'b', 9),
  ];
  expect(seriesOf(rows, 'token', 'runs', days)).toEqual([
    { name: 'b', tone: 'rest', values: [5, 0, 0] },
    { name: 'a', tone: 'storage', values: [0, 2, 1] },
  ]);
  expect(seriesOf(rows, null, 'runs', days)).toEqual([{ name: 'All', tone: 'rest', values: [5, 2, 1] }]);
  const many = Array.from({ length: 9 }, (_, index) => row('2026-11-21', `t${index}`, 9 - index));
  expect(seriesOf(many, 'token', 'runs', days).map(({ name, values }) => [name, values[1]])).toEqual([
    ['t0', 9],
    ['t1', 8],
    ['t2', 7],
    ['t3', 6],
    ['t4', 5],
    ['t5', 4],
    ['3 others', 6],
  ]);
});

test('the days of a state', () => {
  const days = (text_: string): string[] => Object.values(boundsOf({ ...state, days: text_ }, now)).map(text);
  expect(days('')).toEqual(['2026-11-16', '2026-11-22']);
  expect(days('1')).toEqual(['2026-11-22', '2026-11-22']);
  expect(days('soon')).toEqual(['2026-11-16', '2026-11-22']);
  expect(days('99999')).toEqual(['2026-11-16', '2026-11-22']);
  expect(days('2026-11-01/2026-11-03')).toEqual(['2026-11-01', '2026-11-03']);
  expect(days('2026-11-01/')).toEqual(['2026-11-01', '2026-11-22']);
  expect(days('/2026-11-03')).toEqual(['2026-10-05', '2026-11-03']);
});

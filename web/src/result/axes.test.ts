import { expect, test } from 'vitest';
import { distinctLabels, powerScale } from '../chart/range';
import { timeTicks } from '../chart/ticks';
import { formatCompact } from '../ui/numbers';
import { categoriesOf } from './categories';
import { axesOf } from './look';
import { choicesOf, planOf } from './plan';
import { resultSeries } from './series';
import { drawn } from './style';

const columns = [
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'method', type: 'STRING' },
  { name: 'path', type: 'STRING' },
  { name: 'n', type: 'INT64' },
  { name: 'mean', type: 'FLOAT64' },
];
const rows = [
  { at: 0, method: 'GET', path: '/a', n: 1, mean: 0.5 },
  { at: 0, method: 'GET', path: '/b', n: 2, mean: 1.5 },
  { at: 0, method: 'PUT', path: '/a', n: 4, mean: 2.5 },
  { at: 60_000_000, method: 'GET', path: '/a', n: 8, mean: 3.5 },
];
const axes = (look: { [part: string]: string }) => planOf(columns, axesOf(look));

test('a chart has the columns that were chosen, and adds up rows of one place', () => {
  const plan = axes({ y: 'n', series: 'method' });
  if (plan.kind !== 'time') throw new Error(plan.kind);
  const { frames, notes } = resultSeries(plan, rows);
  expect(frames).toEqual([
    {
      title: 'n',
      whole: true,
      series: [
        { name: 'GET', values: [3, 8] },
        { name: 'PUT', values: [4, null] },
      ],
    },
  ]);
  expect(notes).toContain('Rows of the same time and series are added up.');
});

test('another column can be across, and an unknown one is not used', () => {
  const plan = axes({ x: 'method', y: 'mean', series: 'path' });
  if (plan.kind !== 'categories') throw new Error(plan.kind);
  const { names, frames } = categoriesOf(plan, rows);
  expect(names).toEqual(['GET', 'PUT']);
  expect(frames[0]?.series).toEqual([
    { name: '/a', values: [4, 2.5] },
    { name: '/b', values: [1.5, null] },
  ]);
  const unknown = axes({ x: 'nosuch', y: 'method', series: 'nosuch' });
  expect(JSON.stringify(unknown)).toBe(JSON.stringify(planOf(columns)));
  expect(axes({ series: 'none' })).toMatchObject({ kind: 'time', split: null });
  expect(choicesOf(columns)).toEqual({
    x: ['at', 'method', 'path', 'n'],
    y: ['n', 'mean'],
    series: ['method', 'path'],
  });
});

test('a logarithmic scale has powers of ten, also below one, and is linear below zero', () => {
  const frame = (values: number[]) => ({ title: '', whole: false, series: [{ name: 'v', values }] });
  const [log] = drawn([frame([0.02, 0, 700])], 'stacked', new Set(), 'log');
  expect(log?.scale.ticks).toEqual([0.01, 0.1, 1, 10, 100, 1000]);
  expect([log?.stacked, log?.scale.position(0), log?.scale.position(1000)]).toEqual([false, 0, 1]);
  const [linear] = drawn([frame([-1, 5])], 'side', new Set(), 'log');
  expect(linear?.scale.ticks).toContain(0);
  expect(powerScale(1e-9, 1e12).ticks.length).toBeLessThan(12);
});

test('no label of an axis is repeated', () => {
  const label = distinctLabels([0, 0.05, 0.1], formatCompact);
  expect([0, 0.05, 0.1].map(label)).toEqual(['0', '0.05', '0.1']);
  expect(distinctLabels([0, 50_000], formatCompact)(50_000)).toBe('50K');
  const years = Array.from({ length: 4 }, (_, index) => new Date(Date.UTC(2023 + index, 0, 1)));
  expect(timeTicks(years, 0, 8, 'utc').map(({ label }) => label)).toEqual([
    '1 Jan 2023',
    '1 Jan 2024',
    '1 Jan 2025',
    '1 Jan 2026',
  ]);
  const same = [0, 0, 0, 1000].map((ms) => new Date(ms));
  expect(timeTicks(same, 0, 8, 'utc').map(({ index }) => index)).toEqual([0, 3]);
});

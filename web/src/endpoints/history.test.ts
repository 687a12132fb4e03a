import { expect, test } from 'vitest';
import { memoryStore } from '../app/storage';
import { forgetRuns, keepRun, type Run, runsIn, summaryOf } from './history';

const run = (n: number): Run => ({ name: 'mine', args: { n: [String(n)] }, at: `2026-11-26T12:00:${n + 10}Z` });

test('keeps the last twenty runs, each once, latest first', () => {
  const store = memoryStore();
  for (let n = 0; n < 22; n++) keepRun(store, run(n));
  keepRun(store, { ...run(5), at: '2026-11-26T13:00:00Z' });
  const runs = runsIn(store);
  expect(runs).toHaveLength(20);
  expect(runs[0]).toEqual({ ...run(5), at: '2026-11-26T13:00:00Z' });
  expect(runs.slice(1).map(({ args }) => Number(args.n))).not.toContain(5);
  forgetRuns(store);
  expect(runsIn(store)).toEqual([]);
});

test.each(['{', '{}', '[1,null,{"name":"x"}]', '[{"name":"x","at":"y","args":{"a":"b"}}]'])(
  'what somebody else wrote is nothing: %s',
  (text) => {
    const store = memoryStore();
    store.setItem('savedq.runs', text);
    expect(runsIn(store)).toEqual([]);
  },
);

test('a run on one line', () => {
  expect(summaryOf({ name: 'mine', args: { project: ['acme'], path: ['/a', '/b'] }, at: '' })).toBe(
    'project=acme path=/a path=/b',
  );
});

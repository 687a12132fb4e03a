import { expect, test } from 'vitest';
import { type Alert, argumentsOf, inOrder, type State, summaryOf } from './alerts';

const alert = (state: State, params: Alert['params'] = {}): Alert => ({
  query: 'mine.errors',
  name: state,
  title: state,
  state,
  since: null,
  checked: null,
  next: null,
  every: 60,
  for: 1,
  count: 0,
  condition: 'any',
  measured: 'rows',
  threshold: 0,
  points: [],
  mostRows: 20,
  silence: null,
  acknowledged: null,
  params,
  error: null,
  columns: null,
  rows: null,
  truncated: false,
  notify: [],
  history: [],
});

test('what needs a person is first', () => {
  const given = (['ok', 'pending', 'unknown', 'failing', 'no_data', 'firing'] as const).map((state) => alert(state));
  const want = ['firing', 'failing', 'no_data', 'pending', 'unknown', 'ok'];
  expect(inOrder(given).map(({ state }) => state)).toEqual(want);
});

test('the summary names the states that there are', () => {
  expect(summaryOf([alert('ok'), alert('firing'), alert('ok'), alert('unknown')])).toBe(
    '1 firing, 1 not checked yet, 2 OK',
  );
  expect(summaryOf([])).toBe('');
});

test('parameters are the arguments of the form', () => {
  expect(argumentsOf(alert('ok', { project: 'acme', hours: 7, paths: ['/a', '/b'] }))).toEqual({
    project: ['acme'],
    hours: ['7'],
    paths: ['/a', '/b'],
  });
});

import { expect, test } from 'vitest';
import { conditionOf, declarationOf, draftOf, durationText, emptyDraft, nameOf } from './declaration';

test('a condition is written as the server reads it', () => {
  const draft = { ...emptyDraft, column: 'errors', value: ' 5 ' };
  expect(conditionOf(draft)).toBe('first: errors > 5');
  expect(conditionOf({ ...draft, column: 'n GET', operator: '==' })).toBe('first: "n GET" == 5');
  expect(conditionOf({ ...draft, kind: 'none' })).toBe('none');
});

test('the form of an alert declares the same alert', () => {
  const alert = {
    query: 'errors',
    name: 'high',
    title: 'Errors are high',
    state: 'ok',
    since: null,
    checked: null,
    next: null,
    every: 300,
    for: 2,
    count: 0,
    condition: 'first: "n GET" >= now-5m',
    measured: 'n GET',
    threshold: null,
    points: [],
    params: { project: 'acme', levels: ['a', 'b'] },
    error: null,
    columns: null,
    rows: null,
    truncated: false,
    mostRows: 5,
    silence: null,
    acknowledged: null,
    notify: [{ target: 'ops', pending: 0, delivered: null, error: null }],
    history: [],
  } as const;
  expect(declarationOf(draftOf(alert), true)).toEqual({
    query: 'errors',
    name: 'high',
    title: 'Errors are high',
    every: '5m',
    params: { project: ['acme'], levels: ['a', 'b'] },
    condition: 'first: "n GET" >= now-5m',
    for: 2,
    notify: ['ops'],
    rows: 5,
    replace: true,
  });
  expect(draftOf({ ...alert, condition: 'any', title: 'high', for: 1, mostRows: 20 })).toMatchObject({
    kind: 'any',
    title: '',
    needed: '',
    rows: '',
  });
});

test('an alert without rows in its messages keeps none, and empty fields are absent', () => {
  expect(declarationOf({ ...emptyDraft, rows: '0', needed: '0' }, false)).toMatchObject({ for: 0, rows: 0 });
  expect(JSON.stringify(declarationOf(emptyDraft, false))).not.toMatch(/"for"|"rows"/);
});

test('durations are short', () => {
  expect([30, 60, 90, 3600, 86_400].map(durationText)).toEqual(['30s', '1m', '90s', '1h', '1d']);
});

test('a title makes a name', () => {
  expect(nameOf('Errors are “high”!')).toBe('errors-are-high');
  expect(nameOf('Café über 5 %')).toBe('cafe-uber-5');
});

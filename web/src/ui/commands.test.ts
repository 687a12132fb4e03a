import { expect, test } from 'vitest';
import { matching } from './commands';

test.each([
  ['', ['Logs', 'logs.search', 'API usage', 'usage.logs']],
  ['logs', ['Logs', 'logs.search', 'usage.logs']],
  [' logs usage ', ['usage.logs']],
  ['x', []],
])('%j finds %j', (text, want) => {
  const entries = ['Logs', 'logs.search', 'API usage', 'usage.logs'].map((name) => ({ name }));
  expect(matching(entries, text).map(({ name }) => name)).toEqual(want);
});

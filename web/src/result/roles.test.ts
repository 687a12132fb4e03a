import { expect, test } from 'vitest';
import { roleOf } from './roles';

test.each([
  ['user_id', 'INT64', 'id'],
  ['status_code', 'INT64', 'id'],
  ['year', 'INT64', 'id'],
  ['userId', 'INT64', 'id'],
  ['paid', 'INT64', 'quantity'],
  ['requests', 'INT64', 'quantity'],
  ['price', 'NUMERIC', 'quantity'],
  ['duration_ms', 'FLOAT64', 'duration'],
  ['response_bytes', 'INT64', 'bytes'],
  ['at', 'TIMESTAMP', 'time'],
  ['user_id', 'STRING', null],
])('%s of the type %s is a guessed %s', (name, type, role) => {
  expect(roleOf({ name, type })).toEqual({ role, source: 'guessed' });
});

test('a declared role wins over a guess, a chosen one over both, and an unknown one is none', () => {
  const column = { name: 'user_id', type: 'INT64', role: 'quantity' };
  expect(roleOf(column)).toEqual({ role: 'quantity', source: 'declared' });
  expect(roleOf(column, { user_id: 'time' })).toEqual({ role: 'time', source: 'chosen' });
  expect(roleOf({ ...column, role: 'colour' })).toEqual({ role: 'id', source: 'guessed' });
});

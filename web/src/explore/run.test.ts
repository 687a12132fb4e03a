import { expect, test } from 'vitest';
import { fieldsOf } from './fields';
import { parametersOf } from './parameters';
import { requestOf } from './run';

test('parameters are found once, and not in strings, names and comments', () => {
  expect(parametersOf("SELECT @a, '@b', `@c`, @a -- @d\n, @e /* @f */ + $g")).toEqual(['a', 'e']);
});

test('values without a parameter in the SQL, and empty ones, are not sent', () => {
  expect(requestOf('SELECT @a, @b, @c', { a: ['1'], b: [''], d: ['2'] })).toEqual({
    sql: 'SELECT @a, @b, @c',
    params: { a: '1' },
  });
});

test('several values are a list', () => {
  expect(requestOf('SELECT @a', { a: ['1', '', '2'] }).params).toEqual({ a: ['1', '2'] });
});

test('a parameter has the type that was found, and is text before', () => {
  const found = [{ name: 'b', type: 'ARRAY<INT64>', required: false }];
  const fields = fieldsOf('SELECT @b, @project', found);
  expect(fields.map(({ name, type, required, scope }) => [name, type, required, scope])).toEqual([
    ['b', 'ARRAY<INT64>', false, null],
    ['project', 'STRING', true, 'project'],
  ]);
});

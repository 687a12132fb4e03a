import { expect, test } from 'vitest';
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

import { expect, test } from 'vitest';
import { duckDB, googleSQL, parametersOf } from './dialect';
import { fieldsOf } from './fields';
import { requestOf } from './run';

test('parameters are found once, and not in strings, names and comments', () => {
  const sql = "SELECT @a, '@b', `@c`, @a -- @d\n, @e /* @f */ + $g, $now, $g, '$h'";
  expect(parametersOf(sql, googleSQL)).toEqual(['a', 'e']);
  expect(parametersOf(sql, duckDB)).toEqual(['g']);
});

test('values without a parameter in the SQL, and empty ones, are not sent', () => {
  expect(requestOf({ dialect: googleSQL, sql: 'SELECT @a, @b, @c', args: { a: ['1'], b: [''], d: ['2'] } })).toEqual({
    dialect: 'googlesql',
    sql: 'SELECT @a, @b, @c',
    params: { a: '1' },
  });
});

test('several values are a list', () => {
  expect(requestOf({ dialect: duckDB, sql: 'SELECT $a', args: { a: ['1', '', '2'] } }).params).toEqual({
    a: ['1', '2'],
  });
});

test('a parameter has the type that was found, and is text before', () => {
  const found = [{ name: 'b', type: 'ARRAY<INT64>', required: false }];
  const fields = fieldsOf({ dialect: googleSQL, sql: 'SELECT @b, @project', args: {} }, found);
  expect(fields.map(({ name, type, required, scope }) => [name, type, required, scope])).toEqual([
    ['b', 'ARRAY<INT64>', false, null],
    ['project', 'STRING', true, 'project'],
  ]);
});

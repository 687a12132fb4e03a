import { expect, test } from 'vitest';
import { clickHouse, duckDB, googleSQL, parametersOf, shownParameter } from './dialect';
import { fieldsOf } from './fields';
import { requestOf } from './run';

test('parameters are found once, and not in strings, names and comments', () => {
  const sql = "SELECT @a, '@b', `@c`, @a -- @d\n, @e /* @f */ + $g, $now, $g, '$h'";
  expect(parametersOf(sql, googleSQL)).toEqual(['a', 'e']);
  expect(parametersOf(sql, duckDB)).toEqual(['g']);
});

test("ClickHouse's parameters are found by their names", () => {
  const sql = "SELECT {a:String}, '{b:String}', {c:Nullable(DateTime64(6))}, {now:DateTime}, {a:String} -- {d:Int8}";
  expect(parametersOf(sql, clickHouse)).toEqual(['a', 'c']);
  expect(parametersOf(sql, googleSQL)).toEqual([]);
  expect(shownParameter('a', clickHouse)).toBe('{a}');
  expect(shownParameter('a', googleSQL)).toBe('@a');
  expect(requestOf({ dialect: clickHouse, sql, args: { a: ['1'], now: ['2'] } }).params).toEqual({ a: '1' });
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

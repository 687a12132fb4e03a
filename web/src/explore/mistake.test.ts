import { expect, test } from 'vitest';
import { rangeOf } from './mistake';

const marked = (sql: string, line?: number, column?: number): string | null => {
  const range = rangeOf(sql, { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) });
  return range === null ? null : sql.slice(range.from, range.to);
};

test('the word at a place', () => {
  expect(marked('SELECT id\nFROM egde_logs AS e', 2, 6)).toBe('egde_logs');
  expect(marked('SELECT m.x', 1, 8)).toBe('m.x');
  expect(marked('SELECT `a b`, 1', 1, 8)).toBe('`a b`');
  expect(marked('SELECT (', 1, 8)).toBe('(');
});

test('columns count bytes of UTF-8', () => {
  expect(marked("SELECT 'é😀', x", 1, 18)).toBe('x');
});

test('behind the end it is the last character, and nowhere without a place', () => {
  expect(marked('SELECT 1 +', 1, 11)).toBe('+');
  expect(marked('SELECT 1', 9, 9)).toBe('1');
  expect(marked('SELECT 1')).toBeNull();
});

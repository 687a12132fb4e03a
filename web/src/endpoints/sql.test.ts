import { expect, test } from 'vitest';
import { tokenise } from './sql';

const kinds = (sql: string): string[] =>
  tokenise(sql)
    .filter(({ kind }) => kind !== 'other')
    .map(({ kind, text }) => `${kind} ${text}`);

test("ClickHouse's parameters have a type", () => {
  const sql = "WHERE s = {source:String} AND '{no:Int}' != {d:DateTime64(6, 'UTC')} -- {c:X}";
  expect(
    tokenise(sql, 'clickhouse')
      .filter(({ kind }) => kind === 'parameter')
      .map(({ text }) => text),
  ).toEqual(['{source:String}', "{d:DateTime64(6, 'UTC')}"]);
  expect(tokenise('{a: $x}').map(({ text }) => text)).toContain('$x');
});

test.each([
  ["SELECT count(*) FROM t -- it's\n", ['keyword SELECT', 'function count', 'keyword FROM', "comment -- it's"]],
  ["x = 'it''s -- no comment'", ["string 'it''s -- no comment'"]],
  ['$now + @project', ['parameter $now', 'parameter @project']],
  ['a.select, "from", `where`', []],
  ['1.5e3 < x1', ['number 1.5e3']],
  ['/* a\nb */ INTERVAL 7 DAY', ['comment /* a\nb */', 'keyword INTERVAL', 'number 7', 'keyword DAY']],
  ["'open", ["string 'open"]],
])('%j', (sql, want) => {
  expect(kinds(sql)).toEqual(want);
  expect(
    tokenise(sql)
      .map(({ text }) => text)
      .join(''),
  ).toBe(sql);
});

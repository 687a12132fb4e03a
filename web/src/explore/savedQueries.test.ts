import { expect, test } from 'vitest';
import { endpointOf, parameterOf } from '../endpoints/endpoint.fixture';
import { duckDB, googleSQL } from './dialect';
import { tabOf, withNow } from './savedQueries';

const query = endpointOf([], [], { name: 'mine.q', language: 'googlesql' });

test('the time of the run is a function in the editor, and a parameter in the saved query', () => {
  const sql = "SELECT '@now', @NOW AS a, @nowhere FROM t WHERE x > @now -- @now";
  const { texts, saved, dialect } = tabOf({ ...query, sql: `${sql}\n` }, 'p');
  expect({ saved, dialect }).toEqual({ saved: 'mine.q', dialect: 'googlesql' });
  expect(texts.googlesql).toBe(
    "SELECT '@now', CURRENT_TIMESTAMP() AS a, @nowhere FROM t WHERE x > CURRENT_TIMESTAMP() -- @now",
  );
  expect(withNow(texts.googlesql ?? '', googleSQL)).toBe(sql.replace('@NOW', '@now'));
  expect(withNow('SELECT CURRENT_TIMESTAMP()', duckDB)).toBe('SELECT CURRENT_TIMESTAMP()');
});

test("ClickHouse's SQL opens as it is", () => {
  const opened = tabOf({ ...query, language: 'clickhouse', sql: 'SELECT now() FROM logs\n' }, 'p');
  expect([opened.dialect, opened.texts]).toEqual(['clickhouse', { clickhouse: 'SELECT now() FROM logs' }]);
});

test('parameters begin with their defaults, and those of projects with the project', () => {
  const parameters = [
    parameterOf({ name: 'project', scope: 'project', default: null }),
    parameterOf({ name: 'n', default: '7' }),
    parameterOf({ name: 'list', default: null, defaults: ['a', 'b'] }),
    parameterOf({ name: 'unused', default: '1' }),
  ];
  const { args } = tabOf({ ...query, parameters, sql: 'SELECT @project, @n, @list' }, 'p');
  expect(args).toEqual({ project: ['p'], n: ['7'], list: ['a', 'b'] });
});

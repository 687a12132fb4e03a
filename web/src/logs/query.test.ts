import { describe, expect, test } from 'vitest';
import { completionsAt, filtersOf, type Known, parseQuery, toggleTerm, wordsOf } from './query';

describe('parseQuery', () => {
  test.each([
    ['', '', []],
    ['time  out', 'time out', []],
    [
      'timeout status:5xx path:/rest source:auth_logs level:error',
      'timeout',
      ['status:5xx', 'path:/rest', 'source:auth_logs', 'level:error'],
    ],
    ['status:5XX status:404', '', ['status:5xx', 'status:404']],
    ['-status:404 -path:"/a b"', '', ['-status:404', '-path:/a b']],
    ['"status:404" "a \\"b\\" \\\\"', 'status:404 a "b" \\', []],
    ['metadata.function_id:f1 -metadata.*:x', '', ['metadata.function_id:f1', '-metadata.*:x']],
    ['id:edge_logs:e1 a - b', 'a - b', ['id:edge_logs:e1']],
    ['method:""', '', ['method:']],
    ['a -word -"two words" "-b"', 'a -b', ['-message:word', '-message:two words']],
  ])('%s', (text, words, filters) => {
    const { terms, problem } = parseQuery(text);
    expect(problem).toBeNull();
    expect(wordsOf(terms)).toBe(words);
    expect(filtersOf(terms)).toEqual(filters);
  });

  test.each([
    [
      'colour:red',
      'There is no field "colour". The fields are source, status, method, level, path, id and metadata.NAME. Quote text that has a colon.',
    ],
    [
      'metadata.:red',
      'There is no field "metadata.". The fields are source, status, method, level, path, id and metadata.NAME. Quote text that has a colon.',
    ],
    ['status:teapot', 'Use a status such as 404, or a class such as 5xx.'],
    ['status:', 'Give status a value, such as status:5xx.'],
    ['-path:""', 'Give path a value, such as path:/rest.'],
    ['"open', 'A quote is not closed.'],
    ['-""', 'Give a word after the minus, such as -timeout.'],
  ])('%s is wrong', (text, problem) => {
    expect(parseQuery(`ok ${text}`).problem).toBe(problem);
    expect(wordsOf(parseQuery(`ok ${text}`).terms)).toBe('ok');
  });
});

test.each([
  ['', 'status', '404', false, 'status:404'],
  ['a status:404 b', 'status', '404', false, 'a b'],
  ['status:404', 'status', '404', true, '-status:404'],
  ['-status:404', 'status', '404', false, 'status:404'],
  ['source:edge_logs', 'source', 'auth_logs', false, 'source:edge_logs source:auth_logs'],
  ['', 'path', '/a "b"', false, 'path:"/a \\"b\\""'],
  ['"a:b"', 'method', '', false, '"a:b" method:""'],
  ['-"two words"', 'method', 'GET', false, '-"two words" method:GET'],
])('toggleTerm of %j with %s %j %s gives %j', (text, field, value, excluded, want) => {
  expect(toggleTerm(text, { field, value, excluded })).toBe(want);
});

describe('completionsAt', () => {
  const known: Known = {
    valuesOf: (field) =>
      field === 'source'
        ? [
            { value: 'edge_logs', count: 12 },
            { value: 'auth_logs', count: null },
          ]
        : [],
    members: ['function_id', 'region'],
  };
  const labels = (text: string, caret = text.length) => completionsAt(text, caret, known).map(({ label }) => label);
  test.each([
    ['', ['source:', 'status:', 'method:', 'level:', 'path:', 'id:', 'metadata.']],
    ['s', ['source:', 'status:']],
    ['time s', ['source:', 'status:']],
    ['-me', ['-method:', '-metadata.']],
    ['source:', ['edge_logs', 'auth_logs']],
    ['-source:a', ['auth_logs']],
    ['source:auth_logs', []],
    ['nothing', []],
    ['metadata.', ['metadata.function_id:', 'metadata.region:']],
    ['-metadata.RE', ['-metadata.region:']],
  ])('of %j', (text, want) => {
    expect(labels(text)).toEqual(want);
  });

  test('replace what is typed', () => {
    expect(completionsAt('a -source:ed b', 12, known)).toEqual([
      { label: 'edge_logs', help: '', count: 12, start: 2, end: 12, text: '-source:edge_logs ' },
    ]);
  });
});

import { expect, test } from 'vitest';
import { unknownViewer } from '../app/viewer';
import { googleSQL } from './dialect';
import { fieldsOf, missingIn } from './fields';
import type { Values } from './run';

const sql = 'SELECT 1 FROM edge_logs WHERE project = @project AND (@since IS NULL OR id IN UNNEST(@ids))';
const found = [
  { name: 'project', type: 'STRING', required: true },
  { name: 'since', type: 'TIMESTAMP', required: false },
  { name: 'ids', type: 'ARRAY<STRING>', required: true },
];

test.each<[string, Values, string[] | null, string[]]>([
  ['nothing is given', {}, null, ['project', 'ids']],
  ['an empty value', { project: [''], ids: ['', 'a'] }, null, ['project']],
  ['everything', { project: ['acme'], ids: ['a'] }, null, []],
  ['the token has one project', { ids: ['a'] }, ['acme'], []],
  ['the token has several projects', { ids: ['a'] }, ['acme', 'globex'], ['project']],
])('the missing parameters, if %s', (_name, args, projects, want) => {
  expect(missingIn(fieldsOf({ sql, dialect: googleSQL, args }, found), args, { ...unknownViewer, projects })).toEqual(
    want,
  );
});

import { expect, test } from 'vitest';
import { Failure, problemOf } from './failure';

const failed = (message: string, argument?: string): Failure =>
  new Failure({ code: 'INVALID_ARGUMENT', message, ...(argument === undefined ? {} : { argument }) });

test.each([
  ['nothing failed', null, null],
  ['about no argument', failed('busy'), null],
  ['about another argument', failed('interval: no', 'interval'), null],
  ['about the argument', failed('project: no such expression', 'project'), 'No such expression'],
  ['without its name', failed('no such expression', 'project'), 'No such expression'],
])('the message at a field: %s', (_name, failure, want) => {
  expect(problemOf(failure, 'project')).toBe(want);
});

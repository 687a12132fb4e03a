import { expect, test } from 'vitest';
import { namesOf } from './names';

const row = (metadata: unknown, path: string | null = null) => ({ path, metadata });

test.each([
  ['the path', row([{ function_id: 'f1' }], '/send-email/now'), 'send-email'],
  ['the path of the platform', row([{ function_id: 'f1' }], '/functions/v1/send-email'), 'send-email'],
  ['a member', row([{ function_id: 'f1', function_slug: 'mail' }], '/x'), 'mail'],
  ['nothing', row([{ function_id: 'f1' }]), undefined],
])('the name of a function is that of %s', (_name, event, want) => {
  expect(namesOf([event]).get('f1')).toBe(want);
});

test('the newest event wins, and events of other shapes have no name', () => {
  const rows = [
    row([{ function_id: 'f1' }], '/new'),
    row([{ function_id: 'f1' }], '/old'),
    row(null, '/a'),
    row([{}], '/b'),
  ];
  expect([...namesOf(rows)]).toEqual([['f1', 'new']]);
});

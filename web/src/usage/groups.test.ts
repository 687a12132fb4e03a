import { expect, test } from 'vitest';
import { groupOf, namesOf, usagePath } from './groups';

const bounds = { from: new Date('2026-11-16T12:00:00Z'), to: new Date('2026-11-22T00:30:00Z') };

test.each([
  [['token'], '', '', '/api/usage?by=token&from=2026-11-16&to=2026-11-22'],
  [
    ['token', 'subject'],
    'https://auth.example.com',
    '',
    '/api/usage?by=token,subject&from=2026-11-16&to=2026-11-22&token=https%3A%2F%2Fauth.example.com',
  ],
  [['day'], 'web', 'logs.all', '/api/usage?by=day&from=2026-11-16&to=2026-11-22&token=web&endpoint=logs.all'],
])('the path by %s of %s and %s', (by, token, endpoint, want) => {
  expect(usagePath(by, bounds, { token, endpoint })).toBe(want);
});

// Two issuers can have the same subject, so a row has both.
test('what a row is for', () => {
  const row = { token: 'https://auth.example.com', subject: 'ann' };
  expect(namesOf(groupOf('subject'), row)).toEqual(['https://auth.example.com', 'ann']);
  expect(namesOf(groupOf('token'), row)).toEqual(['https://auth.example.com']);
  expect(namesOf(groupOf('subject'), { token: 'web', subject: null })).toEqual(['web', '–']);
});

import { expect, test } from 'vitest';
import { groupOf, namesOf, usagePath } from './groups';

const now = new Date('2026-11-22T00:30:00Z');

test.each([
  ['token', 1, '/api/usage?by=token&from=2026-11-22'],
  ['subject', 7, '/api/usage?by=token,subject&from=2026-11-16'],
  ['endpoint', 30, '/api/usage?by=endpoint&from=2026-10-24'],
  ['day', 7, '/api/usage?by=day&from=2026-11-16'],
])('the path by %s of %s days', (group, days, want) => {
  expect(usagePath(groupOf(group), days, now)).toBe(want);
});

// Two issuers can have the same subject, so a row has both.
test('what a row is for', () => {
  const row = { token: 'https://auth.example.com', subject: 'ann' };
  expect(namesOf(groupOf('subject'), row)).toEqual(['https://auth.example.com', 'ann']);
  expect(namesOf(groupOf('token'), row)).toEqual(['https://auth.example.com']);
  expect(namesOf(groupOf('subject'), { token: 'web', subject: null })).toEqual(['web', '–']);
});

import { expect, test } from 'vitest';
import { groupOf, groups, namesOf, shownRows, usagePath } from './groups';

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

test('the subjects with the most requests are shown, and all rows of other groups in their order', () => {
  const rows = Array.from({ length: 201 }, (_, requests) => ({ requests }));
  const shown = shownRows(groupOf('subject'), rows);
  expect(shown).toHaveLength(200);
  expect(shown[0]).toEqual({ requests: 200 });
  expect(shown.at(-1)).toEqual({ requests: 1 });
  for (const group of groups.filter(({ value }) => value !== 'subject')) expect(shownRows(group, rows)).toBe(rows);
});

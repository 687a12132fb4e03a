import { expect, test } from 'vitest';
import type { ProjectTier } from './gql/graphql';
import { describeRange } from './retention';

const asOf = new Date('2026-11-20T12:03:21Z');

test.each<[ProjectTier, string | null, string | null, string]>([
  ['FREE', null, null, 'The Free tier keeps 1 day: showing logs since 19 Nov, 12:03:21 UTC.'],
  ['PRO', null, null, 'The Pro tier keeps 7 days: showing logs since 13 Nov, 12:03:21 UTC.'],
  ['FREE', '2026-11-20T11:03:21Z', null, 'Showing logs since 20 Nov, 11:03:21 UTC.'],
  ['FREE', '2026-11-13T12:03:21Z', null, 'The Free tier keeps 1 day: showing logs since 19 Nov, 12:03:21 UTC.'],
  ['ENTERPRISE', '2026-11-13', '2026-11-14', 'Showing logs since 13 Nov, 00:00:00 UTC until 14 Nov, 00:00:00 UTC.'],
  [
    'FREE',
    null,
    '2026-11-20',
    'The Free tier keeps 1 day: showing logs since 19 Nov, 12:03:21 UTC until 20 Nov, 00:00:00 UTC.',
  ],
  [
    'FREE',
    '2026-11-13',
    '2026-11-14',
    'The Free tier keeps 1 day: logs before 19 Nov, 12:03:21 UTC are not available.',
  ],
])('%s from %s to %s', (tier, start, end, want) => {
  const limited = want.includes('tier');
  expect(describeRange({ project: 'p', tier, start, end }, asOf, 'utc')).toEqual({ text: want, limited });
});

import { expect, test } from 'vitest';
import { emptyDraft, listOf, requestOf, type Token } from './tokens';
import { limitsOf, ratesOf, rightsOf } from './words';

const now = new Date('2026-11-22T12:00:00.500Z');
const none = { requests: 0, rows: 0, bytes: 0, engineSeconds: 0 };
const token: Token = {
  name: 'a',
  state: 'valid',
  current: false,
  revocable: true,
  created: null,
  expires: null,
  lastUsed: null,
  lastDay: null,
  scopes: [],
  endpoints: null,
  projects: null,
  projectTier: null,
  sources: null,
  rate: null,
  burst: null,
  budgetHour: none,
  budgetDay: none,
  today: { requests: 0, runs: 0, bytes: 0, engineSeconds: 0 },
};

test('a form without limits asks for a token without limits', () => {
  expect(requestOf({ ...emptyDraft, name: ' ci ', days: '' }, now)).toEqual({ name: 'ci' });
});

test('a form with everything', () => {
  const draft = {
    name: 'dashboard',
    scopes: ['ingest', 'explore'],
    projects: 'acme, globex acme',
    endpoints: 'logs.all',
    projectTier: 'PRO',
    sources: 'edge_logs',
    rate: '2.5',
    requests: '1000',
    bytes: '10GiB',
    seconds: ' ',
    days: '7',
  };
  expect(requestOf(draft, now)).toEqual({
    name: 'dashboard',
    scopes: ['ingest', 'explore'],
    projects: ['acme', 'globex'],
    endpoints: ['logs.all'],
    projectTier: 'PRO',
    sources: ['edge_logs'],
    rate: 2.5,
    budgetDay: { requests: '1000', bytes: '10GiB' },
    expires: '2026-11-29T12:00:00Z',
  });
  expect(requestOf({ ...draft, scopes: [] }, now)).not.toHaveProperty('sources');
  expect(requestOf({ ...draft, scopes: ['manage_tokens'] }, now)).toEqual({
    name: 'dashboard',
    scopes: ['manage_tokens'],
    expires: '2026-11-29T12:00:00Z',
  });
  expect(requestOf({ ...draft, rate: 'fast' }, now)).toHaveProperty('rate', 'fast');
});

test('names in a text', () => {
  expect(listOf(' a,b  c\n,a')).toEqual(['a', 'b', 'c']);
  expect(listOf(' , ')).toEqual([]);
});

test('a token in words', () => {
  expect(rightsOf(token)).toBe('all saved queries');
  expect(rightsOf({ ...token, endpoints: [], scopes: ['ingest', 'new_one'] })).toBe('send logs, new_one');
  expect(limitsOf(token)).toBe('All');
  expect(limitsOf({ ...token, projects: ['acme', 'globex'], projectTier: 'PRO', sources: ['edge_logs'] })).toBe(
    'acme, globex; up to PRO; logs of edge_logs',
  );
  expect(ratesOf(token)).toBe('–');
  expect(
    ratesOf({
      ...token,
      rate: 20,
      budgetHour: { ...none, requests: 1000 },
      budgetDay: { requests: 0, rows: 5, bytes: 2e9, engineSeconds: 60 },
    }),
  ).toBe('20 per s; 1,000 runs per hour; 5 rows per day; 2.0 GB per day; 60 s per day');
});

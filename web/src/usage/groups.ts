import type { Json } from '../api/json';
import { serverPath } from '../api/server';

export type UsageRow = { [column: string]: Json };

/** What the rows of a table are for: the columns of the response, and their titles. */
export interface Group {
  value: string;
  label: string;
  columns: readonly { name: string; title: string }[];
}

const tokens: Group = { value: 'token', label: 'Token', columns: [{ name: 'token', title: 'Token' }] };

/** The ways to add up usage. A subject belongs to its issuer: two issuers can have the same. */
export const groups: readonly Group[] = [
  tokens,
  {
    value: 'subject',
    label: 'Subject',
    columns: [
      { name: 'token', title: 'Issuer or token' },
      { name: 'subject', title: 'Subject' },
    ],
  },
  { value: 'endpoint', label: 'Endpoint', columns: [{ name: 'endpoint', title: 'Endpoint' }] },
  { value: 'day', label: 'Day', columns: [{ name: 'day', title: 'Day' }] },
];

/** The group of a value. */
export function groupOf(value: string): Group {
  return groups.find((group) => group.value === value) ?? tokens;
}

/** The path of the usage of the last days in UTC, today included. */
export function usagePath(group: Group, days: number, now: Date): string {
  const first = new Date(now.getTime() - (days - 1) * 24 * 3600 * 1000);
  return rangePath(group, first.toISOString(), '');
}

/** The path of the usage from a day in UTC to another, each the beginning of a time; empty for no bound. */
export function rangePath({ columns }: Group, start: string, end: string): string {
  const [from, to] = [start, end].map((time) => time.slice(0, 'yyyy-mm-dd'.length));
  const until = to === '' ? '' : `&to=${to}`;
  return serverPath(`/api/usage?by=${columns.map(({ name }) => name)}&from=${from || '1970-01-01'}${until}`);
}

/** What a row is for, a text for each column of the group. Static tokens have no subject. */
export function namesOf({ columns }: Group, row: UsageRow): string[] {
  return columns.map(({ name }) => (row[name] === null ? '–' : String(row[name])));
}

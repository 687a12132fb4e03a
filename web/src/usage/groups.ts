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

/** The path of the usage by columns, between two days in UTC, of one token or saved query if they are not empty. */
export function usagePath(
  by: readonly string[],
  { from, to }: { from: Date; to: Date },
  { token, endpoint }: { token: string; endpoint: string },
): string {
  const dayOf = (time: Date): string => time.toISOString().slice(0, 'yyyy-mm-dd'.length);
  const filters = [
    ['token', token],
    ['endpoint', endpoint],
  ].filter(([, value]) => value !== '');
  const only = filters.length === 0 ? '' : `&${new URLSearchParams(filters)}`;
  return serverPath(`/api/usage?by=${by}&from=${dayOf(from)}&to=${dayOf(to)}${only}`);
}

/** What a row is for, a text for each column of the group. Static tokens have no subject. */
export function namesOf({ columns }: Group, row: UsageRow): string[] {
  return columns.map(({ name }) => (row[name] === null ? '–' : String(row[name])));
}

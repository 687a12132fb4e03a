import type { Client } from '../api/client';
import { serverPath } from '../api/server';
import type { Rows } from '../result/rows';
import { type Dialect, parametersOf } from './dialect';

export interface Values {
  [parameter: string]: readonly string[];
}

/** SQL with the values of its parameters. */
export interface Query {
  dialect: Dialect;
  sql: string;
  args: Values;
}

const path = serverPath('/api/explore');

/** The body of a request. A parameter without a value is left out, and several values are a list. */
export function requestOf({ dialect, sql, args }: Query) {
  const params = parametersOf(sql, dialect).flatMap((name): [string, string | string[]][] => {
    const [first, ...others] = (args[name] ?? []).filter((value) => value !== '');
    return first === undefined ? [] : [[name, others.length === 0 ? first : [first, ...others]]];
  });
  return { dialect: dialect.name, sql, params: Object.fromEntries(params) };
}

/** A parameter of SQL, with the type that the server infers from its use. */
export interface Found {
  name: string;
  type: string;
  required: boolean;
}

/** What the server knows about SQL that has not run: its parameters, or its mistake. */
export interface Checked {
  parameters: Found[];
  /** The size of the tables that it names, which a run reads at most, where the server knows it. */
  bytes?: number;
  mistake?: Mistake;
}

/** A mistake in SQL, with its place from 1, the column in bytes of UTF-8. */
export interface Mistake {
  message: string;
  argument?: string;
  line?: number;
  column?: number;
}

/** Lets the server compile SQL. A mistake is a result. Throws a Failure. */
export async function check(client: Client, query: Query, signal: AbortSignal): Promise<Checked> {
  const response = await client.request(`${path}/check`, { body: requestOf(query), signal });
  return (await response.json()) as Checked; // The server responds with this form.
}

/** Runs SQL. Throws a Failure. */
export async function run(client: Client, query: Query, signal: AbortSignal): Promise<Rows> {
  const { requestRows } = await import('../result/rows');
  return requestRows(client, path, { body: requestOf(query), signal });
}

/** Runs SQL once more, for a file. Throws a Failure. */
export async function download(client: Client, query: Query, accept: string): Promise<Blob> {
  return (await client.request(path, { body: requestOf(query), accept })).blob();
}

/** Makes a saved query. It returns the archive with its folder, or null if the server has written it. Throws a Failure. */
export async function save(
  client: Client,
  { dialect, sql }: Query,
  name: string,
  description: string,
): Promise<Blob | null> {
  const response = await client.request(`${path}/save`, { body: { name, description, dialect: dialect.name, sql } });
  return response.status === 201 ? null : response.blob();
}

/** Writes SQL to the folder of a saved query, in place of its SQL. Throws a Failure. */
export async function saveEdit(client: Client, { dialect, sql }: Query, name: string): Promise<void> {
  await client.request(`${path}/save`, { body: { name, dialect: dialect.name, sql, replace: true } });
}

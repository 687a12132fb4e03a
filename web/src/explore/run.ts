import type { Client } from '../api/client';
import { serverPath } from '../api/server';
import type { Rows } from '../result/rows';
import { parametersOf } from './parameters';

export interface Values {
  [parameter: string]: readonly string[];
}

const path = serverPath('/api/explore');

/** The body of a request: SQL with the values of its parameters. One without a value is left out, and several are a list. */
export function requestOf(sql: string, args: Values): { sql: string; params: { [name: string]: string | string[] } } {
  const params = parametersOf(sql).flatMap((name): [string, string | string[]][] => {
    const [first, ...others] = (args[name] ?? []).filter((value) => value !== '');
    return first === undefined ? [] : [[name, others.length === 0 ? first : [first, ...others]]];
  });
  return { sql, params: Object.fromEntries(params) };
}

/** A parameter of SQL, with the type that the server infers from its use. */
export interface Found {
  name: string;
  type: string;
  required: boolean;
}

/** Asks the server for the parameters of SQL; their values can decide its type. Throws a Failure. */
export async function findParameters(client: Client, sql: string, args: Values, signal: AbortSignal): Promise<Found[]> {
  const response = await client.request(`${path}/parameters`, { body: requestOf(sql, args), signal });
  return ((await response.json()) as { parameters: Found[] }).parameters; // The server responds with this form.
}

/** Runs SQL. Throws a Failure. */
export async function run(client: Client, sql: string, args: Values, signal: AbortSignal): Promise<Rows> {
  const { requestRows } = await import('../result/rows');
  return requestRows(client, path, { body: requestOf(sql, args), signal });
}

/** Runs SQL once more, for a file. Throws a Failure. */
export async function download(client: Client, sql: string, args: Values, accept: string): Promise<Blob> {
  return (await client.request(path, { body: requestOf(sql, args), accept })).blob();
}

/** Makes a saved query. It returns the archive with its folder, or null if the server has written it. Throws a Failure. */
export async function save(client: Client, name: string, description: string, sql: string): Promise<Blob | null> {
  const response = await client.request(`${path}/save`, { body: { name, description, sql } });
  return response.status === 201 ? null : response.blob();
}

import type { Client, RequestOptions } from '../api/client';
import { asObject, type Json, parseJson } from '../api/json';
import { serverPath } from '../api/server';
import type { Arguments } from '../endpoints/rest';
import { type Alert, argumentsOf, type Point } from './alerts';

export const operators = ['>', '>=', '<', '<=', '==', '!='] as const;

/** An alert as the form has it. */
export interface Draft {
  query: string;
  name: string;
  title: string;
  every: string;
  args: Arguments;
  kind: 'first' | 'any' | 'none';
  column: string;
  operator: string;
  value: string;
  /** How many checks in a row must agree; empty for the default. */
  needed: string;
  notify: readonly string[];
  rows: string;
}

export const emptyDraft: Draft = {
  query: '',
  name: '',
  title: '',
  every: '1m',
  args: {},
  kind: 'first',
  column: '',
  operator: '>',
  value: '',
  needed: '',
  notify: [],
  rows: '',
};

const plainColumn = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const comparison = /^first:\s*(?:"([^"]+)"|([\p{L}_][\p{L}\p{N}_]*))\s*(>=|<=|==|!=|>|<)\s*(.+)$/u;

/** The condition as the server reads it. */
export function conditionOf({ kind, column, operator, value }: Draft): string {
  if (kind !== 'first') return kind;
  return `first: ${plainColumn.test(column) ? column : `"${column}"`} ${operator} ${value.trim()}`;
}

/** The form of an alert that exists. */
export function draftOf(alert: Alert): Draft {
  const { query, name, title, condition, notify } = alert;
  const parts = comparison.exec(condition);
  return {
    ...emptyDraft,
    query,
    name,
    title: title === name ? '' : title,
    every: durationText(alert.every),
    args: argumentsOf(alert),
    kind: condition === 'any' || condition === 'none' ? condition : 'first',
    column: parts?.[1] ?? parts?.[2] ?? '',
    operator: parts?.[3] ?? '>',
    value: parts?.[4] ?? '',
    needed: alert.for === 1 ? '' : String(alert.for),
    notify: notify.map(({ target }) => target),
    rows: alert.mostRows === usualRows ? '' : String(alert.mostRows),
  };
}

/** The rows of a message unless the alert says otherwise. */
const usualRows = 20;

/** Seconds as a person writes them, such as 5m. */
export function durationText(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
  ] as const;
  const unit = units.find(([size]) => seconds % size === 0);
  return unit === undefined ? `${seconds}s` : `${seconds / unit[0]}${unit[1]}`;
}

/** A name such as errors-are-high, of a title. */
export function nameOf(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-|-$/g, '');
}

/** The number in a field; absent if it is empty. */
function wholeOf(text: string): number | undefined {
  return text === '' ? undefined : Number(text);
}

/** What the server requests. */
export function declarationOf(draft: Draft, replace: boolean): { [key: string]: unknown } {
  const params = Object.entries(draft.args).flatMap(([name, values]) => {
    const given = values.filter((value) => value !== '');
    return given.length === 0 ? [] : [[name, given] as const];
  });
  return {
    query: draft.query,
    name: draft.name,
    title: draft.title,
    every: draft.every.trim(),
    params: Object.fromEntries(params),
    condition: conditionOf(draft),
    for: wholeOf(draft.needed),
    notify: draft.notify,
    rows: wholeOf(draft.rows),
    replace,
  };
}

/** What is wrong with a declaration, by field, and its lines in query.yaml. */
export interface Checked {
  mistakes: { readonly [field: string]: string };
  yaml: string;
}

/** Finds the mistakes of a declaration. Throws a Failure. */
export async function check(client: Client, draft: Draft, replace: boolean): Promise<Checked> {
  const response = await client.request(serverPath('/api/alerts/check'), { body: declarationOf(draft, replace) });
  const json = asObject(parseJson(await response.text()));
  return { mistakes: mistakesIn(json), yaml: String(json?.yaml ?? '') };
}

/** The first mistake of each field. */
function mistakesIn(json: { [key: string]: Json } | null): { [field: string]: string } {
  // The server responds with this form.
  const found = (json?.mistakes ?? []) as unknown as { field: string; message: string }[];
  const mistakes: { [field: string]: string } = {};
  for (const { field, message } of found) mistakes[field] ??= message;
  return mistakes;
}

/** What a check would have measured. */
export interface PreviewPoint extends Point {
  /** Whether it and the checks before it are enough in a row. */
  firing: boolean;
}

/** What a declaration would have measured. */
export interface Preview {
  /** By field; with any, there are no points. */
  mistakes: { readonly [field: string]: string };
  measured: string;
  threshold: number | null;
  /** The time between two points. */
  stepSeconds: number;
  /** The oldest first. */
  points: readonly PreviewPoint[];
  /** Whether older points are missing. */
  partial: boolean;
}

/** Requests what a declaration would have measured in a range. Throws a Failure. */
export async function preview(client: Client, draft: Draft, range: string, options: RequestOptions): Promise<Preview> {
  const body = { ...declarationOf(draft, false), range };
  const response = await client.request(serverPath('/api/alerts/preview'), { ...options, body });
  const json = asObject(parseJson(await response.text()));
  // The server responds with this form.
  return { ...(json as unknown as Preview), mistakes: mistakesIn(json) };
}

/** Writes a declaration to the file of its saved query. Throws a Failure. */
export async function save(client: Client, draft: Draft, replace: boolean): Promise<void> {
  await client.request(serverPath('/api/alerts/save'), { body: declarationOf(draft, replace) });
}

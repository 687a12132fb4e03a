import type { Client, RequestOptions } from '../api/client';
import { asObject, parseJson } from '../api/json';
import { serverPath } from '../api/server';
import type { ResultColumn, Row } from '../result/types';
import type { Dated } from '../ui/FreshnessBar';

/** The states, most urgent first. */
export const states = ['firing', 'failing', 'no_data', 'pending', 'unknown', 'ok'] as const;

export type State = (typeof states)[number];

/** An alert of a saved query. Times are in ISO 8601; null if there is none. */
export interface Alert {
  query: string;
  name: string;
  title: string;
  state: State;
  since: string | null;
  checked: string | null;
  next: string | null;
  /** The time between two checks, in seconds. */
  every: number;
  /** How many checks in a row must show the same before the state changes. */
  for: number;
  /** How many checks in a row have shown another state than the current one. */
  count: number;
  condition: string;
  /** What the condition is about: a column, or "rows" for their number. */
  measured: string;
  /** The number that it is compared with. */
  threshold: number | null;
  /** What the last checks measured, the oldest first. */
  points: readonly Point[];
  params: { readonly [name: string]: unknown };
  error: string | null;
  columns: readonly ResultColumn[] | null;
  rows: readonly Row[] | null;
  truncated: boolean;
  mostRows: number;
  silence: (Note & { until: string }) | null;
  acknowledged: Note | null;
  notify: readonly Delivery[];
  /** Newest first. */
  history: readonly { at: string; state: State }[];
}

/** What a check measured. */
export interface Point {
  at: string;
  value: number | null;
  outcome: 'met' | 'unmet' | 'no_data' | 'failed';
}

/** What a person said about an alert. */
export interface Note {
  reason: string;
  /** The name of the token; empty if it is not for this one. */
  by: string;
  at: string;
}

/** The messages to a target. */
export interface Delivery {
  target: string;
  /** How many messages are not delivered yet. */
  pending: number;
  delivered: string | null;
  error: string | null;
}

/** The alerts with the time of their response. */
export interface Alerts extends Dated {
  alerts: readonly Alert[];
  /** Whether the token may silence and acknowledge alerts. */
  manages: boolean;
  /** Whether the server writes alerts of the token to folders. */
  saves: boolean;
  targets: readonly string[];
}

const path = serverPath('/api/alerts');

/** Requests the alerts that the token may see. Throws a Failure. */
export async function loadAlerts(client: Client, options: RequestOptions): Promise<Alerts> {
  const response = await client.request(path, options);
  const json = asObject(parseJson(await response.text()));
  const receivedAt = Date.now();
  const sent = Date.parse(response.headers.get('Date') ?? '');
  const asOf = new Date(Number.isNaN(sent) ? receivedAt : sent).toISOString();
  const uncached = { cache: 'OFF', ageSeconds: 0, truncated: false } as const;
  return {
    // The server responds with this form.
    alerts: inOrder((json?.alerts ?? []) as unknown as Alert[]),
    manages: json?.manages === true,
    saves: json?.saves === true,
    targets: (json?.targets ?? []) as unknown as string[],
    freshness: { ...uncached, asOf, rowsRead: 0, rowsReused: 0, bytesProcessed: 0, bytesReused: 0 },
    receivedAt,
  };
}

/** Keeps the messages of an alert back until a time; null ends that. Throws a Failure. */
export async function silence(client: Client, { query, name }: Named, until: Date | null, reason: string) {
  await client.request(`${path}/silence`, { body: { query, name, until: until?.toISOString() ?? null, reason } });
}

/** Notes that somebody knows of the state of an alert, or takes it back. Throws a Failure. */
export async function acknowledge(client: Client, { query, name }: Named, undo: boolean): Promise<void> {
  await client.request(`${path}/acknowledge`, { body: { query, name, undo } });
}

/** Removes an alert from its file. Throws a Failure. */
export async function remove(client: Client, { query, name }: Named): Promise<void> {
  await client.request(`${path}/delete`, { body: { query, name } });
}

export type Named = Pick<Alert, 'query' | 'name'>;

/** What needs a person is first. Alerts of a state stay in their order. */
export function inOrder(alerts: readonly Alert[]): Alert[] {
  return alerts.toSorted((a, b) => states.indexOf(a.state) - states.indexOf(b.state));
}

/** How many alerts are in each state, such as "1 firing, 2 OK". */
export function summaryOf(alerts: readonly Alert[]): string {
  const counts = states.map((state) => [alerts.filter((alert) => alert.state === state).length, state] as const);
  return counts.flatMap(([count, state]) => (count === 0 ? [] : [`${count} ${inText(stateNames[state])}`])).join(', ');
}

export const stateNames: { [state in State]: string } = {
  firing: 'Firing',
  failing: 'Failing',
  no_data: 'No data',
  pending: 'Pending',
  unknown: 'Not checked yet',
  ok: 'OK',
};

function inText(name: string): string {
  return name === 'OK' ? name : name.toLowerCase();
}

/** Reports whether the state of an alert calls for a person who has not said that they know. */
export function isUrgent({ state, silence, acknowledged }: Alert): boolean {
  return (state === 'firing' || state === 'failing') && silence === null && acknowledged === null;
}

/** The parameters as the form of a saved query has them. */
export function argumentsOf({ params }: Pick<Alert, 'params'>): { [parameter: string]: string[] } {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, [value].flat().map(String)]));
}

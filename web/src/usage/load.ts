import type { LoadState } from '../app/routes';
import { day } from '../time/units';
import { type Group, groupOf, type UsageRow } from './groups';

/** A number of usage that a chart can show. */
export const measures = [
  { value: 'engine_seconds', label: 'Engine time' },
  { value: 'bytes', label: 'Bytes billed' },
  { value: 'runs', label: 'Engine runs' },
  { value: 'requests', label: 'Requests' },
] as const;

export type Measure = (typeof measures)[number]['value'];

/** The measure of a state, or else what costs: bytes where the engine bills them, and otherwise its time. */
export function measureOf({ measure }: LoadState, rows: readonly UsageRow[]): Measure {
  const chosen = measures.find(({ value }) => value === measure);
  return chosen?.value ?? (rows.some((row) => Number(row.bytes ?? 0) > 0) ? 'bytes' : 'engine_seconds');
}

/** What a chart stacks: subjects are too many, so they are stacked by their tokens. */
export const stackedBy = (group: Group): 'token' | 'endpoint' | null =>
  group.value === 'day' ? null : group.value === 'endpoint' ? 'endpoint' : 'token';

/** The state after a choice of a row: its token or saved query alone, by the other one, or by day if both are chosen. */
export function narrowed(state: LoadState, name: string): LoadState | null {
  const by = groupOf(state.by).value;
  if (by !== 'token' && by !== 'endpoint') return null;
  const next = { ...state, [by]: name };
  const other = by === 'token' ? 'endpoint' : 'token';
  return { ...next, by: next[other] === '' ? other : 'day' };
}

/** A part of the columns of a chart. */
export interface LoadSeries {
  name: string;
  tone: string;
  /** For each day. */
  values: number[];
}

/** Colours of parts, the largest first. */
const tones = ['rest', 'storage', 'auth', 'realtime', 'p95', 'p99'];

/** The columns of days: what used most, and one part for the others. */
export function seriesOf(
  rows: readonly UsageRow[],
  column: 'token' | 'endpoint' | null,
  measure: Measure,
  days: readonly Date[],
): LoadSeries[] {
  const first = days[0]?.getTime() ?? 0;
  const byName = new Map<string, number[]>();
  for (const row of rows) {
    const name = column === null ? 'All' : String(row[column]);
    const values = byName.get(name) ?? new Array<number>(days.length).fill(0);
    byName.set(name, values);
    const index = (Date.parse(String(row.day)) - first) / day;
    if (index in values) values[index] = (values[index] ?? 0) + Number(row[measure] ?? 0);
  }
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const largest = [...byName].sort(([, a], [, b]) => sum(b) - sum(a));
  const shown = largest
    .slice(0, tones.length)
    .map(([name, values], index) => ({ name, tone: tones[index] ?? '', values }));
  const rest = largest.slice(tones.length);
  if (rest.length === 0) return shown;
  const others = days.map((_, index) => sum(rest.map(([, values]) => values[index] ?? 0)));
  return [...shown, { name: `${rest.length} others`, tone: 'other', values: others }];
}

/** The days from one to another, in UTC. */
export function daysBetween(from: Date, to: Date): Date[] {
  const start = startOf(from);
  const count = Math.max(1, Math.round((startOf(to) - start) / day) + 1);
  return Array.from({ length: count }, (_, index) => new Date(start + index * day));
}

const startOf = (time: Date): number => Math.floor(time.getTime() / day) * day;

/** The most days that are shown: as many as are kept. */
const mostDays = 400;

/** The first and the last day of a state; the last is today unless it names another. */
export function boundsOf({ days }: LoadState, now: Date): { from: Date; to: Date } {
  const [start = '', end = ''] = days.split('/');
  const number = Number(start);
  if (days.includes('/')) {
    const to = timeOr(end, now);
    return { from: timeOr(start, new Date(to.getTime() - 29 * day)), to };
  }
  const count = number >= 1 && number <= mostDays ? Math.floor(number) : 7;
  return { from: new Date(now.getTime() - (count - 1) * day), to: now };
}

function timeOr(text: string, otherwise: Date): Date {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? otherwise : time;
}

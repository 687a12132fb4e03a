import { asObject, type Json } from '../api/json';
import type { LogEntry } from './loaded';
import type { Term } from './query';

/** The parts of an entry that a line shows; empty where the metadata has none. */
export interface Line {
  method: string;
  path: string;
  /** Path and query of the request. */
  target: string;
  status: number | null;
  level: string;
  /** How long it took, in milliseconds. */
  duration: number | null;
}

/** The colours of a status. */
export function statusTone(status: number): 'good' | 'warning' | 'danger' | '' {
  if (status >= 500) return 'danger';
  if (status >= 400) return 'warning';
  return status >= 200 && status < 300 ? 'good' : '';
}

/**
 * Reads the line of an entry. What the server has not read, as for an event that has just
 * arrived, comes from the metadata, by the table of docs/specification.md, "Search".
 */
export function lineOf(entry: LogEntry): Line {
  const metadata = first(entry.metadata as Json);
  const request = first(metadata?.request);
  const response = first(metadata?.response);
  const path = entry.path ?? firstText(request?.path, request?.pathname, metadata?.path);
  return {
    method: entry.method ?? firstText(request?.method, metadata?.method),
    path,
    target: path === '' ? '' : path + firstText(request?.search),
    status: entry.status ?? statusOf(firstText(response?.status_code, metadata?.status)),
    level: entry.level ?? firstText(metadata?.level, first(metadata?.parsed)?.error_severity),
    duration: durationOf(firstText(response?.origin_time, metadata?.execution_time_ms, metadata?.duration)),
  };
}

/** How serious an entry is, as logs.histogram counts it. */
export function gradeOf({ status, level }: Pick<Line, 'status' | 'level'>): 'danger' | 'warning' | '' {
  if ((status ?? 0) >= 500 || /^(error|fatal|panic|critical)$/i.test(level)) return 'danger';
  return (status ?? 0) >= 400 || /^warn(ing)?$/i.test(level) ? 'warning' : '';
}

/** The ids of a request that several sources write, by the names of the members that have them. */
const requestIds = /^(request_id|x_request_id|sb_request_id|execution_id|cf_ray|reqid)$/i;

/** The filter for the entries of the same request, in any source; null if the entry names none. */
export function requestOf(metadata: Json): Term | null {
  if (Array.isArray(metadata)) return metadata.map(requestOf).find((term) => term !== null) ?? null;
  const members = Object.entries(asObject(metadata) ?? {});
  const [name, id] = members.find(([name, value]) => requestIds.test(name) && typeof value === 'string') ?? [];
  if (name === undefined || typeof id !== 'string')
    return requestOf(members.map(([, value]) => value).filter(isNested));
  // Messages have the id of the edge, some with the place after it.
  if (/^(cf_ray|reqid)$/i.test(name)) return { field: '', value: id.replace(/-[A-Z]{3}$/, ''), excluded: false };
  return { field: 'metadata.*', value: id, excluded: false };
}

/** The ids of traces, as OpenTelemetry and others name them. */
const traceIds = /^(trace_id|traceid|trace\.id|otel_trace_id)$/i;

/** The filter for the entries of the same trace, in any source; null if the entry names none. */
export function traceOf(metadata: Json): Term | null {
  const id = memberOf(metadata, (name) => traceIds.test(name));
  // Ids of zeros are those of no trace.
  return id === null || !/[^0-]/.test(id) ? null : { field: 'metadata.*', value: id, excluded: false };
}

/** The members of an object, and those of a list, which have no names. */
function membersIn(value: Json): [string, Json][] {
  return Array.isArray(value) ? value.map((item) => ['', item]) : Object.entries(asObject(value) ?? {});
}

/** The text of the first member of some names, at any depth; null without one. */
function memberOf(value: Json, isNamed: (name: string) => boolean): string | null {
  for (const [name, member] of membersIn(value)) {
    if (isNested(member)) {
      const found = memberOf(member, isNamed);
      if (found !== null) return found;
    } else if (isNamed(name) && member !== null && member !== '') return String(member);
  }
  return null;
}

/** The text of a member of the metadata, at any depth, as a column shows it; empty without one. */
export function columnOf(metadata: Json, name: string): string {
  return memberOf(metadata, (own) => own === name) ?? '';
}

/** The names of the members of entries' metadata that have values, in order. */
export function membersOf(entries: readonly Pick<LogEntry, 'metadata'>[]): string[] {
  const names = new Set<string>();
  const visit = (value: Json): void => {
    for (const [name, member] of membersIn(value)) {
      if (isNested(member)) visit(member);
      else if (/^\w+$/.test(name)) names.add(name);
    }
  };
  for (const { metadata } of entries) visit(metadata as Json);
  return [...names].sort();
}

function isNested(value: Json): boolean {
  return Array.isArray(value) || asObject(value) !== null;
}

/** A duration in milliseconds: a number of them, or a text with its unit, such as "8.883ms". */
function durationOf(text: string): number | null {
  const [, digits = '', unit = ''] = /^(\d+(?:\.\d+)?)(ns|µs|us|ms|s|)$/.exec(text) ?? [];
  const factor = { ns: 1e-6, µs: 1e-3, us: 1e-3, ms: 1, s: 1000, '': 1 }[unit];
  return digits === '' || factor === undefined ? null : Number(digits) * factor;
}

/** The first object of a list; every object of metadata is in a list (D14). */
function first(value: Json | undefined): { [key: string]: Json } | null {
  return Array.isArray(value) ? asObject(value[0]) : null;
}

/** The first of some values that is not null, as text. Lists and objects are no values. */
function firstText(...values: (Json | undefined)[]): string {
  const found = values.find((value) => value !== null && value !== undefined && typeof value !== 'object');
  return found === undefined ? '' : String(found);
}

/** A whole number of three digits, such as 404 or 404.0. */
function statusOf(text: string): number | null {
  const digits = /^([1-9]\d\d)(?:\.0+)?$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

import { asObject, type Json } from '../api/json';
import type { LogEntry } from './loaded';

/** The parts of an entry that a line shows; empty where the metadata has none. */
export interface Line {
  method: string;
  /** Path and query of the request. */
  target: string;
  status: number | null;
  /** How long the origin took, in milliseconds. */
  originTime: number | null;
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
  const time = response?.origin_time;
  return {
    method: entry.method ?? firstText(request?.method, metadata?.method),
    target: path === '' ? '' : path + firstText(request?.search),
    status: entry.status ?? statusOf(firstText(response?.status_code, metadata?.status)),
    originTime: typeof time === 'number' ? time : null,
  };
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

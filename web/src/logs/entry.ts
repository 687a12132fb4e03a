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

/** The class of a status, which sets its colour. */
export type StatusClass = 'success' | 'redirect' | 'client-error' | 'server-error' | 'other';

export function statusClass(status: number): StatusClass {
  if (status >= 500) return 'server-error';
  if (status >= 400) return 'client-error';
  if (status >= 300) return 'redirect';
  if (status >= 200) return 'success';
  return 'other';
}

/** Reads the line of an entry out of its metadata, in which every object is a list of one (D14). */
export function lineOf(entry: LogEntry): Line {
  const metadata = only(entry.metadata as Json);
  const request = only(metadata?.request);
  const response = only(metadata?.response);
  const status = response?.status_code;
  const time = response?.origin_time;
  return {
    method: text(request?.method),
    target: text(request?.path) + text(request?.search),
    status: typeof status === 'number' ? status : null,
    originTime: typeof time === 'number' ? time : null,
  };
}

/** The one object of a list of one. */
function only(value: Json | undefined): { [key: string]: Json } | null {
  return Array.isArray(value) && value.length === 1 ? asObject(value[0]) : null;
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

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

/** Reads the line of an entry out of its metadata, in which every object is a list of one (D14). */
export function lineOf(entry: LogEntry): Line {
  const metadata = only(entry.metadata as Json);
  const request = only(metadata?.request);
  const response = only(metadata?.response);
  const status = entry.status ?? response?.status_code;
  const time = response?.origin_time;
  return {
    method: entry.method ?? text(request?.method),
    target: (entry.path ?? text(request?.path)) + text(request?.search),
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

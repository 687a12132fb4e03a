import { type LogsState, logRanges } from '../app/routes';
import { parseTime } from './iso';

/** The bounds of a request: start is exclusive, end inclusive; null for no bound. */
export interface Bounds {
  start: string | null;
  end: string | null;
}

/** The bounds of a state at a time. */
export function boundsOf(state: Pick<LogsState, 'range' | 'start' | 'end'>, now: number): Bounds {
  if (state.range === 'custom') {
    return { start: state.start === '' ? null : state.start, end: state.end === '' ? null : state.end };
  }
  const minutes = logRanges.find((range) => range.value === state.range)?.minutes ?? null;
  return { start: minutes === null ? null : new Date(now - minutes * 60_000).toISOString(), end: null };
}

/** Reports whether new entries can arrive: not after an end in the past. */
export function isOpen(bounds: Bounds, now: number): boolean {
  const end = bounds.end === null ? null : parseTime(bounds.end);
  return end === null || end.getTime() > now;
}

import { type LogsState, logRanges } from '../app/routes';
import { parseTime } from './iso';

/** The bounds of a question: start is exclusive, end inclusive; null where there is none. */
export interface Bounds {
  start: string | null;
  end: string | null;
}

/** The bounds that a state stands for at a time. */
export function boundsOf(state: Pick<LogsState, 'range' | 'start' | 'end'>, now: number): Bounds {
  if (state.range === 'custom') {
    return { start: state.start === '' ? null : state.start, end: state.end === '' ? null : state.end };
  }
  const minutes = logRanges.find((range) => range.value === state.range)?.minutes ?? null;
  return { start: minutes === null ? null : new Date(now - minutes * 60_000).toISOString(), end: null };
}

/** Whether entries can still come: not after an end that has passed. */
export function isOpen(bounds: Bounds, now: number): boolean {
  const end = bounds.end === null ? null : parseTime(bounds.end);
  return end === null || end.getTime() > now;
}

import { type LogsState, logRanges } from '../app/routes';
import { parseTime } from '../time/iso';

/** The bounds of a request: start is exclusive, end inclusive; null for no bound. */
export interface Bounds {
  start: string | null;
  end: string | null;
}

/**
 * The bounds of a state at a time. A custom range has its start and not its end, so that ranges
 * of whole steps neither overlap nor leave a gap. A bound that is no time is none.
 */
export function boundsOf(state: Pick<LogsState, 'range' | 'start' | 'end'>, now: number): Bounds {
  if (state.range === 'custom') return { start: boundOf(state.start), end: boundOf(state.end) };
  const minutes = logRanges.find((range) => range.value === state.range)?.minutes ?? null;
  return { start: minutes === null ? null : new Date(now - minutes * 60_000).toISOString(), end: null };
}

function boundOf(text: string): string | null {
  const time = parseTime(text);
  return time === null ? null : before(time.getTime());
}

/** The microsecond before a time, which is the finest that the server reads. */
function before(time: number): string {
  return new Date(time - 1).toISOString().replace('Z', '999Z');
}

/** Reports whether new entries can arrive: not after an end in the past. */
export function isOpen(bounds: Bounds, now: number): boolean {
  const end = bounds.end === null ? null : parseTime(bounds.end);
  return end === null || end.getTime() > now;
}

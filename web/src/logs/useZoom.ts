import { useState } from 'react';
import type { LogsState } from '../app/routes';
import { customRange } from '../time/customRange';

type Range = Pick<LogsState, 'range' | 'start' | 'end'>;

/** How the time range is narrowed, and widened again. */
interface Zoom {
  /** Narrows the range to that from one time to another. */
  to: (from: number, to: number) => void;
  /** Takes the last zoom back; null if there is none. */
  undo: (() => void) | null;
}

/** Remembers the ranges before each zoom. Another choice of the range ends them. */
export function useZoom(state: LogsState, go: (part: Partial<LogsState>) => void): Zoom {
  const [before, setBefore] = useState<{ from: Range; to: string }[]>([]);
  const last = before.findLast(({ to }) => to === keyOf(state));
  return {
    to: (from, to) => {
      const next = customRange(from, to);
      setBefore([
        ...before.slice(0, last === undefined ? 0 : before.indexOf(last) + 1),
        { from: rangeOf(state), to: keyOf(next) },
      ]);
      go(next);
    },
    undo: last === undefined ? null : () => go(last.from),
  };
}

function rangeOf({ range, start, end }: Range): Range {
  return { range, start, end };
}

function keyOf(range: Range): string {
  return JSON.stringify(rangeOf(range));
}

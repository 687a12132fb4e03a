import type { ReactNode } from 'react';
import { NoLogsHint } from '../ui/NoLogsHint';
import { Empty } from '../ui/states';

interface NothingInRangeProps {
  title: string;
  /** Widens the time range; null if it is the widest already. */
  onWiden: (() => void) | null;
  /** Whether a filter can be why nothing was counted. */
  filtered: boolean;
  /** The project or function without data. */
  children: ReactNode;
}

/** Tells that a time range is empty, and what to try. */
export function NothingInRange({ title, onWiden, filtered, children }: NothingInRangeProps) {
  return (
    <Empty title={title}>
      <p>
        {children} Check the spelling{onWiden === null ? '.' : ', or widen the time range.'}
      </p>
      {onWiden === null ? null : (
        <p>
          <button type="button" className="button" onClick={onWiden}>
            Show 7 days
          </button>
        </p>
      )}
      {filtered ? null : <NoLogsHint />}
    </Empty>
  );
}

import type { ReactNode } from 'react';
import { Empty, NoLogsHint } from '../ui/states';

interface NothingInRangeProps {
  title: string;
  /** Looks as far back as can be; null where that is what was done. */
  onWiden: (() => void) | null;
  /** Says whose there are none. */
  children: ReactNode;
}

/** Says that nothing happened, and what can be done about it. */
export function NothingInRange({ title, onWiden, children }: NothingInRangeProps) {
  return (
    <Empty title={title}>
      <p>
        {children} Check the spelling{onWiden === null ? '.' : ', or look further back.'}
      </p>
      {onWiden === null ? null : (
        <p>
          <button type="button" className="button" onClick={onWiden}>
            Show 7 days
          </button>
        </p>
      )}
      <NoLogsHint />
    </Empty>
  );
}

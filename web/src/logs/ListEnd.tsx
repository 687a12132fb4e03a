import { Warning } from '../ui/states';
import type { Older } from './useOlder';

interface ListEndProps {
  /** Whether there can be older entries. */
  more: boolean;
  older: Older;
  onLoad: () => void;
}

/** The end of the list: loads older entries. */
export function ListEnd({ more, older, onLoad }: ListEndProps) {
  return (
    <>
      {older.failure === null ? null : (
        <Warning title="Older entries could not be loaded.">{older.failure.details.message}</Warning>
      )}
      <p className="list-end muted">
        {more ? (
          // A disabled button would lose the focus.
          <button type="button" className="button" onClick={older.busy ? undefined : onLoad} aria-disabled={older.busy}>
            {older.busy ? 'Loading …' : 'Load older'}
          </button>
        ) : (
          'No older entries in this time range.'
        )}
      </p>
    </>
  );
}

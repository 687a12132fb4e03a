import type { LogsState } from '../app/routes';
import { NoLogsHint } from '../ui/NoLogsHint';
import { Empty } from '../ui/states';

interface NoEntriesProps {
  state: LogsState;
  /** Shows all that the tier keeps. */
  onWiden: () => void;
}

/** The empty state of a project without entries in a time range. */
export function NoEntries({ state: { project, tier, range }, onWiden }: NoEntriesProps) {
  return (
    <Empty title="No log entries">
      <p>
        The project <code>{project}</code> has no entries in this time range. Check the spelling
        {range === 'all' ? `, or choose another tier than ${tier}.` : ', or widen the range.'}
      </p>
      {range === 'all' ? null : (
        <p>
          <button type="button" className="button" onClick={onWiden}>
            Show all
          </button>
        </p>
      )}
      {range === 'custom' ? null : <NoLogsHint />}
    </Empty>
  );
}

interface NoMatchesProps {
  project: string;
  onClear: () => void;
}

/** The empty state of a search, with a way out of its filters. */
export function NoMatches({ project, onClear }: NoMatchesProps) {
  return (
    <Empty title="No matching events">
      <p>
        No event of the project <code>{project}</code> matches the filters in this time range.
      </p>
      <p>
        <button type="button" className="button" onClick={onClear}>
          Clear filters
        </button>
      </p>
    </Empty>
  );
}

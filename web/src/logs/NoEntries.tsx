import { Empty, NoLogsHint } from '../ui/states';
import type { LogsQueryVariables } from './gql/graphql';

/** The empty state of a project without entries in a time range. */
export function NoEntries({ project, tier, start, end }: LogsQueryVariables) {
  const bounded = Boolean(start ?? end);
  return (
    <Empty title="No log entries">
      <p>
        The project <code>{project}</code> has no entries in this time range. Check the spelling
        {bounded ? ', widen the range' : ''}, or choose another tier than {tier}.
      </p>
      {bounded ? null : <NoLogsHint />}
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

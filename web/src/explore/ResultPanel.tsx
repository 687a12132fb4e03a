import { lazy, Suspense } from 'react';
import { AlertLink } from '../alerts/AlertLink';
import type { Failure } from '../api/failure';
import type { Look } from '../endpoints/address';
import type { Arguments } from '../endpoints/rest';
import { Empty, FailurePanel, Skeleton } from '../ui/states';
import { DownloadMenu } from './DownloadMenu';
import { isMistake } from './Problem';
import type { RunState } from './useRuns';

const RunResult = lazy(async () => ({ default: (await import('../result/RunResult')).RunResult }));

interface ResultPanelProps {
  run: RunState;
  /** The saved query that the SQL is from, with the values of its parameters; empty for none. */
  saved: string;
  args: Arguments;
  look: Look;
  onLook: (part: Look) => void;
  onRetry: () => void;
  /** Downloads the rows in a format. */
  onFile: (ending: string, accept: string) => void;
}

/** The rows of the last run that succeeded, grey while they are not those of the SQL that was sent last; or their place. */
export function ResultPanel({ run, saved, args, look, onLook, onRetry, onFile }: ResultPanelProps) {
  const { rows, failed, running } = run;
  const failure = failed !== null && 'failure' in failed && !isMistake(failed.failure) ? failed.failure : null;
  return (
    <>
      {failure === null ? null : (
        <FailurePanel failure={explained(failure)} busy={running !== null} onRetry={onRetry} />
      )}
      {rows !== null ? (
        <section
          className={running !== null || failed !== null ? 'panel box previous' : 'panel box'}
          aria-label={failed === null ? 'Result' : 'Result of the run before'}
          aria-busy={running !== null}
        >
          <Suspense fallback={<Skeleton label="Loading the rows" height="rows" />}>
            <RunResult
              name="the query"
              columns={rows.result.columns}
              response={rows.result}
              look={look}
              onLook={onLook}
            >
              <DownloadMenu onFile={onFile} />
              <AlertLink query={saved} args={args} />
            </RunResult>
          </Suspense>
        </section>
      ) : running !== null ? (
        <div className="panel box">
          <Skeleton label="Running" height="rows" />
        </div>
      ) : failure === null ? (
        <div className="panel box">
          <Empty title="No rows yet">
            <p>Run the query to see its rows as a table or a chart.</p>
          </Empty>
        </div>
      ) : null}
    </>
  );
}

/** A failure whose message also says what to do about a timeout. */
function explained(failure: Failure): Failure {
  if (failure.details.code !== 'DEADLINE_EXCEEDED') return failure;
  const message = `${failure.details.message}. The SQL took too long: read less time with a condition on timestamp, or fewer columns.`;
  return Object.assign(Object.create(failure) as Failure, { details: { ...failure.details, message } });
}

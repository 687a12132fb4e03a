import type { FunctionsState } from '../app/routes';
import { Empty, NoLogsHint } from '../ui/states';

interface NoInvocationsProps {
  state: FunctionsState;
  /** The range in words, such as "last 7 days". */
  range: string;
  onWiden: () => void;
}

/** Says that nothing ran, and what can be done about it. */
export function NoInvocations({ state, range, onWiden }: NoInvocationsProps) {
  const { project, functionId, interval } = state;
  return (
    <Empty title={`No invocations in the ${range}`}>
      <p>
        {functionId === '' ? (
          'No function'
        ) : (
          <>
            The function <code>{functionId}</code>
          </>
        )}{' '}
        of the project <code>{project}</code> {functionId === '' ? 'ran' : 'did not run'} in this time. Check the
        spelling{interval === 'SEVEN_DAYS' ? '.' : ', or look further back.'}
      </p>
      {interval === 'SEVEN_DAYS' ? null : (
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

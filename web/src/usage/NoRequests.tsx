import { apiCountIntervals, type UsageState } from '../app/routes';
import { Empty, NoLogsHint } from '../ui/states';

/** Says that nothing was requested, and what can be done about it. */
export function NoRequests({ state, onWiden }: { state: UsageState; onWiden: () => void }) {
  const { project, interval } = state;
  const range = apiCountIntervals.find((choice) => choice.value === interval)?.label;
  return (
    <Empty title={`No requests in the last ${range}`}>
      <p>
        No URL that was requested in this time matches <code>{project}</code>. Check the spelling
        {interval === 'DAILY' ? '.' : ', or look further back.'}
      </p>
      {interval === 'DAILY' ? null : (
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

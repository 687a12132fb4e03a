import { useServices } from '../app/context';
import { type LogsState, pageNames, write } from '../app/routes';
import { useTitle } from '../app/useTitle';
import { WarningIcon } from '../ui/icons';
import { PageHead } from '../ui/PageHead';
import { LogControls } from './LogControls';

interface UnreadableRangeProps {
  state: LogsState;
  problem: string;
}

/**
 * The page of an address whose time range cannot be read. It requests nothing, because entries of another range
 * would be taken for those. It is the default export, because it is loaded when it is first shown.
 */
export default function UnreadableRange({ state, problem }: UnreadableRangeProps) {
  const { address } = useServices();
  const go = (part: Partial<LogsState>): void => address.go(write.logs({ ...state, ...part }));
  useTitle(`${pageNames.logs} · ${state.project}`);
  return (
    <>
      <PageHead title={pageNames.logs} />
      <LogControls state={state} exists={false} failure={null} onChange={go} />
      <section className="range-problem danger notice stack" role="alert">
        <h2 className="row">
          <WarningIcon /> This time range cannot be read
        </h2>
        <p className="wrap">{problem}</p>
        <div className="buttons row">
          <button type="button" className="button button-main" onClick={() => go({ range: '1d' })}>
            Show the last day
          </button>
        </div>
      </section>
    </>
  );
}

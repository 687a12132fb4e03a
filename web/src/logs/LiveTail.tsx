import { useState } from 'react';
import { problemOf } from '../api/failure';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type LogsState, pageNames, write } from '../app/routes';
import { useTitle } from '../app/useTitle';
import { DotIcon } from '../ui/icons';
import { formatCount } from '../ui/numbers';
import { PageHead } from '../ui/PageHead';
import { ProjectField } from '../ui/ProjectField';
import { SelectField } from '../ui/SelectField';
import { Empty, FailurePanel, Warning } from '../ui/states';
import { TextField } from '../ui/TextField';
import { ModeSwitch } from './LogControls';
import { LogList } from './LogList';
import { useSourceChoices } from './sources';
import { useTail } from './useTail';

/** The events of all sources as they arrive. It is the default export, because it is loaded when it is first shown. */
export default function LiveTail({ state }: { state: LogsState }) {
  const { address } = useServices();
  const { zone } = useLiking();
  const [paused, setPaused] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const { project, source, filter } = state;
  const sources = useSourceChoices(source);
  const tail = useTail({ project, source, filter }, paused, attempt);
  const { entries, dropped, connected, failure } = tail;
  const go = (part: Partial<LogsState>): void => address.go(write.logs({ ...state, ...part }));
  useTitle(`${pageNames.logs}, live · ${project === '' ? 'all projects' : project}`);
  return (
    <>
      <Head tail={tail} paused={paused} onPause={setPaused} />
      <div className="controls row">
        <ModeSwitch live onChange={go} />
        <ProjectField
          project={project}
          placeholder="All projects"
          exists={false}
          problem={problemOf(failure, 'project')}
          onChange={(chosen) => go({ project: chosen })}
        />
        <SelectField
          label="Source"
          choices={sources}
          value={source}
          problem={problemOf(failure, 'source')}
          onChange={(chosen) => go({ source: chosen })}
        />
        <TextField
          label="Filter"
          value={filter}
          placeholder="Words to find"
          problem={problemOf(failure, 'filter')}
          onCommit={(text) => go({ filter: text })}
        />
      </div>
      {failure === null ? null : (
        <FailurePanel
          failure={failure}
          atField={failure.details.argument !== undefined}
          busy={false}
          onRetry={() => setAttempt(attempt + 1)}
        />
      )}
      {dropped === 0 ? null : (
        <Warning title="Events are missing.">
          {formatCount(dropped)} events arrived faster than this page could receive them. A filter reduces them.
        </Warning>
      )}
      {failure !== null && entries.length === 0 ? null : (
        <div className="panel box">
          {entries.length > 0 ? (
            <LogList entries={entries} filter={filter} filtered zone={zone} />
          ) : (
            <Waiting connected={connected} />
          )}
        </div>
      )}
    </>
  );
}

interface HeadProps {
  tail: ReturnType<typeof useTail>;
  paused: boolean;
  onPause: (paused: boolean) => void;
}

/** The title, the state of the connection, and its buttons. */
function Head({ tail: { connected, failure, clear }, paused, onPause }: HeadProps) {
  const waiting = failure === null ? 'Connecting …' : 'Stopped';
  return (
    <PageHead title={pageNames.logs}>
      <div className="freshness row">
        <p className="age row muted medium" role="status">
          {paused ? 'Paused' : connected ? 'Connected' : waiting}
        </p>
        <button type="button" className="button" aria-pressed={!paused} onClick={() => onPause(!paused)}>
          <DotIcon />
          {paused ? 'Resume' : 'Pause'}
        </button>
        <button type="button" className="button" onClick={clear}>
          Clear
        </button>
      </div>
    </PageHead>
  );
}

function Waiting({ connected }: { connected: boolean }) {
  return (
    <Empty title={connected ? 'Waiting for events' : 'No events'}>
      <p>New events appear here as the server stores them.</p>
    </Empty>
  );
}

import { useRef, useState } from 'react';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type LogsState, pageNames, write } from '../app/routes';
import { useTitle } from '../app/useTitle';
import { mayRun, useViewer } from '../app/viewer';
import { DotIcon } from '../ui/icons';
import { formatCount, formatCountOf } from '../ui/numbers';
import { PageHead } from '../ui/PageHead';
import { Empty, FailurePanel, Warning } from '../ui/states';
import { LogSearchDocument } from './gql/graphql';
import { LogControls, logArguments } from './LogControls';
import { LogEntries } from './LogEntries';
import { fieldsFilter } from './match';
import { parseQuery, type Term, toggleTerm, wordsOf } from './query';
import { variablesOf } from './search';
import { type Tail, useTail } from './useTail';

/** How many stored events are shown at first. */
const first = 50;

/** The events of all sources as they arrive. It is the default export, because it is loaded when it is first shown. */
export default function LiveTail({ state }: { state: LogsState }) {
  const { address, client } = useServices();
  const { zone } = useLiking();
  const viewer = useViewer();
  const [paused, setPaused] = useState(false);
  const [atTop, setAtTop] = useState(true);
  const [attempt, setAttempt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const { project, tier, query } = state;
  const { terms } = parseQuery(query);
  const begin = async () => {
    if (project === '' || !mayRun(viewer, 'logs.search')) return [];
    const variables = { ...variablesOf(state, terms, { start: null, end: null }), limit: first };
    return (await client.query(LogSearchDocument, variables, {})).data.rows;
  };
  const source = {
    key: JSON.stringify([project, tier, query]),
    variables: { project, source: onlySource(terms), filter: wordsOf(terms) },
    begin,
    keeps: fieldsFilter(terms),
  };
  const tail = useTail(source, paused || !atTop, attempt);
  const { entries, waiting, dropped, connected, failure } = tail;
  const go = (part: Partial<LogsState>): void => address.go(write.logs({ ...state, entry: '', ...part }));
  useTitle(`${pageNames.logs}, live · ${project === '' ? 'all projects' : project}`);
  const showNew = (): void => {
    setPaused(false);
    setAtTop(true);
    list.current?.querySelector('.log-scroll')?.scrollTo(0, 0);
  };
  return (
    <>
      <Head
        tail={tail}
        paused={paused}
        held={paused || !atTop}
        onClear={() => {
          tail.clear();
          if (state.entry !== '') address.replace(write.logs({ ...state, entry: '' }));
        }}
        onPause={(pause) => (pause ? setPaused(true) : showNew())}
      />
      <LogControls state={state} exists={false} failure={failure} entries={entries} onChange={go} />
      {failure === null ? null : (
        <FailurePanel
          failure={failure}
          atField={(logArguments as readonly string[]).includes(failure.details.argument ?? '')}
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
        <div ref={list} className="panel box">
          {entries.length > 0 ? (
            <>
              <p className="list-count caption muted small row">
                <span role="status">{formatCountOf(entries.length, 'event', 'events')}, newest first</span>
                {waiting.length === 0 ? null : (
                  <button type="button" className="button new-events" onClick={showNew}>
                    ↑ {formatCount(waiting.length)} new
                  </button>
                )}
              </p>
              <LogEntries
                entries={entries}
                state={state}
                zone={zone}
                onToggle={(term) => go({ query: toggleTerm(query, term) })}
                onTop={setAtTop}
              />
            </>
          ) : (
            <Waiting connected={connected} />
          )}
        </div>
      )}
    </>
  );
}

/** The source, if the filters include a single one: the server sends no others then. */
function onlySource(terms: readonly Term[]): string | null {
  const sources = terms.filter(({ field, excluded }) => field === 'source' && !excluded);
  return sources.length === 1 ? (sources[0]?.value ?? null) : null;
}

interface HeadProps {
  tail: Tail;
  paused: boolean;
  /** Whether nothing moves, because it is paused or scrolled. */
  held: boolean;
  onPause: (paused: boolean) => void;
  onClear: () => void;
}

/** The title, the state of the connection, and its buttons. */
function Head({ tail: { connected, failure }, paused, held, onPause, onClear }: HeadProps) {
  const waiting = failure === null ? 'Connecting …' : 'Stopped';
  return (
    <PageHead title={pageNames.logs}>
      <div className="freshness row">
        <p className="age row muted medium" role="status">
          {!connected ? waiting : paused ? 'Paused' : held ? 'Paused while scrolled' : 'Connected'}
        </p>
        <button type="button" className="button" aria-pressed={!held} onClick={() => onPause(!held)}>
          <DotIcon />
          {held ? 'Resume' : 'Pause'}
        </button>
        <button type="button" className="button" onClick={onClear}>
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

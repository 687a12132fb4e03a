import type { Client, RequestOptions } from '../api/client';
import { freshnessOf, uncachedPace } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type LogsState, pageNames, write } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { formatCount, formatCountOf } from '../ui/numbers';
import { ProjectPage } from '../ui/ProjectPage';
import { LogsDocument } from './gql/graphql';
import { ListEnd } from './ListEnd';
import { LogControls, logArguments } from './LogControls';
import { LogEntries } from './LogEntries';
import { begin, type Loaded, type Page, refresh } from './loaded';
import { fieldsFilter, wordsFilter } from './match';
import { NoEntries } from './NoEntries';
import { nextOf } from './next';
import { parseQuery, toggleTerm } from './query';
import { RangeText } from './RangeText';
import { type Bounds, boundsOf } from './range';
import { useOlder } from './useOlder';

/** Edge log entries of a project, newest first, for tokens that cannot search. The page filters what it has loaded. */
export default function StoredLogs({ state }: { state: LogsState }) {
  const { address, client } = useServices();
  const { live, zone } = useLiking();
  const { project, tier, range, start, end, query } = state;
  const key = JSON.stringify([project, tier, range, start, end]);
  const loading = useResponse({
    key,
    enabled: project !== '',
    load: async (options, earlier?: Loaded) => {
      const page = await loadPage(client, state, boundsOf(state, Date.now()), options);
      return earlier === undefined ? begin(page) : refresh(earlier, page);
    },
    next: (loaded) => nextOf(loaded, state),
    live,
  });
  const older = useOlder(key, loading.update);
  const loadOlder = (last: string): void => {
    const bounds = { start: boundsOf(state, Date.now()).start, end: last };
    older.load(() => loadPage(client, state, bounds, {}));
  };
  const { terms } = parseQuery(query);
  const go = (part: Partial<LogsState>): void => address.go(write.logs({ ...state, entry: '', ...part }));
  return (
    <ProjectPage
      title={pageNames.logs}
      loading={loading}
      project={project}
      pace={uncachedPace}
      what="its log entries"
      height="rows"
      fields={logArguments}
      controls={
        <LogControls
          state={state}
          exists={!loading.previous && (loading.data?.entries.length ?? 0) > 0}
          failure={loading.failure}
          entries={loading.data?.entries ?? []}
          onChange={go}
        />
      }
      above={() => null}
    >
      {(loaded) => {
        const { entries, more, variables } = loaded;
        const shown = entries.filter(fieldsFilter(terms)).filter(wordsFilter(terms));
        return entries.length === 0 ? (
          <NoEntries state={state} onWiden={() => go({ range: 'all' })} />
        ) : (
          <>
            <p className="list-count caption muted small row">
              <span role="status">
                {terms.length === 0
                  ? `${formatCountOf(entries.length, 'entry', 'entries')} loaded, newest first`
                  : `${formatCount(shown.length)} of ${formatCountOf(entries.length, 'loaded entry', 'loaded entries')}`}
              </span>
              <RangeText variables={variables} asOf={loaded.freshness.asOf} />
            </p>
            <LogEntries
              settled={!loading.previous}
              entries={shown}
              state={state}
              zone={zone}
              onToggle={(term) => go({ query: toggleTerm(query, term) })}
              end={
                <ListEnd
                  more={more}
                  older={loading.previous ? { ...older, busy: true } : older}
                  onLoad={() => loadOlder(entries.at(-1)?.timestamp ?? '')}
                />
              }
            />
          </>
        );
      }}
    </ProjectPage>
  );
}

async function loadPage(client: Client, state: LogsState, bounds: Bounds, options: RequestOptions): Promise<Page> {
  const variables = { project: state.project, tier: state.tier, ...bounds };
  const { data, freshness, receivedAt } = await client.query(LogsDocument, variables, options);
  return { entries: data.logs, variables, filtered: false, freshness: freshnessOf(freshness, 'logs'), receivedAt };
}

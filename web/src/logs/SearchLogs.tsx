import type { Client, RequestOptions } from '../api/client';
import { freshnessOf, uncachedPace } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { isFiltered, type LogsState, noLogFilters, pageNames, write } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { ProjectPage } from '../ui/ProjectPage';

import { FilterField } from './FilterField';
import { LogSearchDocument } from './gql/graphql';
import { ListEnd } from './ListEnd';
import { logArguments } from './LogControls';
import { LogList } from './LogList';
import { nextOf } from './LogsPage';
import { begin, type Loaded, type LogEntry, type Page, refresh } from './loaded';
import { NoEntries, NoMatches } from './NoEntries';
import { HistogramSkeleton, Overview } from './Overview';
import { boundsOf } from './range';
import { describeRange } from './retention';
import { SearchControls } from './SearchControls';
import { filtersOf, keyOfSearch } from './search';
import { useOlder } from './useOlder';

const fields = [...logArguments, 'source', 'text', 'status', 'method', 'pathPrefix'];

/**
 * The log entries of a project that match the filters, from all sources, newest first. It is
 * the default export, because it is loaded when it is first shown.
 */
export default function SearchLogs({ state }: { state: LogsState }) {
  const { address, client } = useServices();
  const { live, zone } = useLiking();
  const { project, text, filter } = state;
  const key = keyOfSearch(state);
  const loading = useResponse({
    key,
    enabled: project !== '',
    load: async (options, earlier?: Loaded) => {
      const page = await loadPage(client, state, null, options);
      return earlier === undefined ? begin(page) : refresh(earlier, page);
    },
    next: (loaded) => nextOf(loaded, state),
    live,
  });
  const older = useOlder(key, loading.update);
  const go = (part: Partial<LogsState>): void => address.go(write.logs({ ...state, ...part }));
  return (
    <ProjectPage
      title={pageNames.logs}
      loading={loading}
      project={project}
      pace={uncachedPace}
      what="its log entries"
      height="rows"
      fields={fields}
      controls={
        <SearchControls
          state={state}
          exists={!loading.previous && (loading.data?.entries.length ?? 0) > 0}
          failure={loading.failure}
          onChange={go}
        />
      }
      above={(loaded) => (
        <>
          {loaded === null ? <HistogramSkeleton /> : <Overview state={state} now={loaded.receivedAt} onChange={go} />}
          <p className="caption muted small">
            {loaded === null ? '' : describeRange(loaded.variables, new Date(loaded.freshness.asOf), zone)}
          </p>
        </>
      )}
    >
      {({ entries, more, variables, filtered }) =>
        entries.length === 0 ? (
          filtered ? (
            <NoMatches {...variables} onClear={() => go(noLogFilters)} />
          ) : (
            <NoEntries {...variables} />
          )
        ) : (
          <>
            <FilterField
              value={filter}
              onChange={(typed) => address.replace(write.logs({ ...state, filter: typed }))}
            />
            <LogList
              entries={entries}
              filter={filter.trim() === '' ? text : filter}
              filtered={filter.trim() === ''}
              zone={zone}
            />
            <ListEnd
              more={more}
              older={loading.previous ? { ...older, busy: true } : older}
              onLoad={() => older.load(() => loadPage(client, state, entries.at(-1) ?? null, {}))}
            />
          </>
        )
      }
    </ProjectPage>
  );
}

/** Loads the newest entries, or those after the last one of the previous page. */
async function loadPage(
  client: Client,
  state: LogsState,
  last: LogEntry | null,
  options: RequestOptions,
): Promise<Page> {
  const bounds = boundsOf(state, Date.now());
  const variables = {
    ...filtersOf(state, bounds),
    beforeTimestamp: last?.timestamp,
    beforeId: last?.id,
  };
  const { data, freshness, receivedAt } = await client.query(LogSearchDocument, variables, options);
  return {
    entries: data.rows,
    variables: { project: state.project, tier: state.tier, ...bounds },
    filtered: isFiltered(state),
    freshness: freshnessOf(freshness, 'rows'),
    receivedAt,
  };
}

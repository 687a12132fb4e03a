import { useState } from 'react';
import type { Client, RequestOptions } from '../api/client';
import { freshnessOf, uncachedPace } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type LogsState, pageNames, write } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { ChevronIcon } from '../ui/icons';
import { formatCount, formatCountOf } from '../ui/numbers';
import { ProjectPage } from '../ui/ProjectPage';
import { FacetsPanel } from './FacetsPanel';
import { LogSearchDocument } from './gql/graphql';
import { HistogramPanel } from './HistogramPanel';
import { ListEnd } from './ListEnd';
import { LogControls, logArguments } from './LogControls';
import { LogEntries } from './LogEntries';
import { begin, type Loaded, type LogEntry, type Page, refresh } from './loaded';
import { NoEntries, NoMatches } from './NoEntries';
import { nextOf } from './next';
import { parseQuery, type Term, toggleTerm } from './query';
import { RangeText } from './RangeText';
import { boundsOf } from './range';
import { keyOfSearch, searchOf } from './search';
import { useOlder } from './useOlder';
import { useOverview } from './useOverview';
import { useZoom } from './useZoom';

/** The least width of a window in which the facets are open at first. */
const wide = '(min-width: 1024px)';

/**
 * The log entries of a project that match the filters, from all sources, newest first. It is
 * the default export, because it is loaded when it is first shown.
 */
export default function SearchLogs({ state }: { state: LogsState }) {
  const { address, client } = useServices();
  const { live, zone } = useLiking();
  const { project, query } = state;
  const key = keyOfSearch(state);
  const [folded, setFolded] = useState(() => !window.matchMedia(wide).matches);
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
  const overview = useOverview(state, loading.data?.receivedAt ?? null);
  const older = useOlder(key, loading.update);
  // Another selection has other entries than the one that was open.
  const go = (part: Partial<LogsState>): void => address.go(write.logs({ ...state, entry: '', ...part }));
  const toggle = (term: Term): void => go({ query: toggleTerm(query, term) });
  const zoom = useZoom(state, go);
  const loadOlder = ({ entries }: Loaded): void =>
    older.load(() => loadPage(client, state, entries.at(-1) ?? null, {}));
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
          facets={overview.facets}
          entries={loading.data?.entries ?? []}
          onChange={go}
        >
          {zoom.undo === null ? null : (
            <button type="button" className="button" onClick={zoom.undo}>
              Undo zoom
            </button>
          )}
          <button type="button" className="button" aria-expanded={!folded} onClick={() => setFolded(!folded)}>
            <ChevronIcon />
            Facets
          </button>
        </LogControls>
      }
      above={() => <HistogramPanel overview={overview} onSelect={zoom.to} />}
    >
      {(loaded) => {
        const { entries, more, variables, filtered, freshness } = loaded;
        return (
          <div className="log-view">
            {folded || (entries.length === 0 && !filtered) ? null : (
              <FacetsPanel overview={overview} terms={parseQuery(query).terms} onToggle={toggle} />
            )}
            {entries.length > 0 ? (
              <div className="log-main">
                <p className="list-count caption muted small row">
                  <span role="status">{countText(entries.length, overview.total)}</span>
                  <RangeText variables={variables} asOf={freshness.asOf} />
                </p>
                <LogEntries
                  settled={!loading.previous}
                  entries={entries}
                  state={state}
                  zone={zone}
                  onToggle={toggle}
                  onEnd={() => {
                    if (more && !older.busy && older.failure === null && !loading.previous) loadOlder(loaded);
                  }}
                  end={
                    <ListEnd
                      more={more}
                      older={loading.previous ? { ...older, busy: true } : older}
                      onLoad={() => loadOlder(loaded)}
                    />
                  }
                />
              </div>
            ) : filtered ? (
              <NoMatches {...variables} onClear={() => go({ query: '' })} />
            ) : (
              <NoEntries state={state} onWiden={() => go({ range: 'all' })} />
            )}
          </div>
        );
      }}
    </ProjectPage>
  );
}

/** How many entries match, if it is known, and how many of them are loaded. */
function countText(loaded: number, total: number | null): string {
  if (total === null || total < loaded) return `${formatCountOf(loaded, 'entry', 'entries')} loaded, newest first`;
  const all = formatCountOf(total, 'entry', 'entries');
  return total === loaded ? `${all}, newest first` : `${all}, ${formatCount(loaded)} loaded, newest first`;
}

/** Loads the newest entries, or those after the last one of the previous page. */
async function loadPage(
  client: Client,
  state: LogsState,
  last: LogEntry | null,
  options: RequestOptions,
): Promise<Page> {
  const now = Date.now();
  const variables = { ...searchOf(state, now), beforeTimestamp: last?.timestamp, beforeId: last?.id };
  const { data, freshness, receivedAt } = await client.query(LogSearchDocument, variables, options);
  return {
    entries: data.rows,
    variables: { project: state.project, tier: state.tier, ...boundsOf(state, now) },
    filtered: parseQuery(state.query).terms.length > 0,
    freshness: freshnessOf(freshness, 'rows'),
    receivedAt,
  };
}

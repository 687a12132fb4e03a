import { lazy, Suspense } from 'react';
import { useServices } from '../app/context';
import { apiCountIntervals, type LoadState, pageNames, type UsageState, write } from '../app/routes';
import { mayRun, useViewer } from '../app/viewer';
import { useLogsAddress } from '../series/drill';
import { LazySeriesTable } from '../series/LazySeriesTable';
import { SeriesPage } from '../series/SeriesPage';
import { liveSeconds } from '../series/spans';
import { type Series, useSeries } from '../series/useSeries';
import { ChevronIcon } from '../ui/icons';
import { Skeleton } from '../ui/states';
import { UsageDocument, type UsageQueryVariables } from './gql/graphql';
import { type ApiCount, columns, figuresOf, fillBuckets, spans, type UsageBucket, windowStart } from './series';
import { UsageChart } from './UsageChart';

const TokenUsage = lazy(async () => ({ default: (await import('./TokenUsage')).TokenUsage }));

/** A project reference, not a pattern. */
const isReference = /^[\w-]+$/;

/** Requests of a project to the four API areas. */
export function UsagePage({ state }: { state: UsageState }) {
  const { address } = useServices();
  const viewer = useViewer();
  const logsOf = useLogsAddress();
  const { project, interval } = state;
  const loading = useSeries(UsageDocument, { project, interval }, liveSeconds(spans[interval]));
  return (
    <SeriesPage
      title={pageNames.usage}
      what="the requests to its API"
      things="requests"
      height="chart"
      state={state}
      loading={loading}
      intervals={apiCountIntervals}
      widest="DAILY"
      spans={spans}
      onGo={(part) => address.go(write.usage({ ...state, ...part }))}
      onReplace={(part) => address.replace(write.usage({ ...state, ...part }))}
      projectLabel="Project or URL pattern"
      isReference={isReference.test(project)}
      isEmpty={({ rows }) => rows.length === 0}
      describeEmpty={(variables) => (
        <>
          No requested URL matches <code>{variables.project}</code> in this time range.
        </>
      )}
      below={
        viewer.usage ? (
          <Tokens state={state.load} onChange={(load) => address.go(write.usage({ ...state, load }))} />
        ) : null
      }
      since={({ variables, freshness }) => windowStart(variables.interval, freshness.asOf)}
      figures={(series) => figuresOf(series?.rows ?? null)}
      chart={(series, widthMs, zone) => (
        <UsageChart
          key={series.variables.interval}
          buckets={bucketsOf(series)}
          widthMs={widthMs}
          zone={zone}
          onSelect={
            mayRun(viewer, 'logs.search') && isReference.test(project)
              ? (from, to) => address.go(logsOf(project, from, to, 'source:edge_logs'))
              : undefined
          }
        />
      )}
      table={(series, widthMs, zone) => (
        <LazySeriesTable
          caption="Requests by bucket, newest first"
          columns={columns}
          buckets={bucketsOf(series)}
          partialLabel="Partial"
          widthMs={widthMs}
          zone={zone}
        />
      )}
    />
  );
}

const opened: LoadState = { by: 'token', token: '', endpoint: '', measure: '', days: '' };

interface TokensProps {
  /** Null while it is closed. */
  state: LoadState | null;
  onChange: (state: LoadState | null) => void;
}

/** A button that shows what tokens used. */
function Tokens({ state, onChange }: TokensProps) {
  return (
    <section className="sections">
      <div className="buttons row">
        <button
          type="button"
          className="button"
          aria-expanded={state !== null}
          onClick={() => onChange(state === null ? opened : null)}
        >
          <ChevronIcon />
          Usage of all tokens
        </button>
      </div>
      {state === null ? null : (
        <Suspense fallback={<Skeleton label="Loading usage" height="rows" />}>
          <TokenUsage state={state} onChange={onChange} />
        </Suspense>
      )}
    </section>
  );
}

function bucketsOf({ rows, variables, freshness }: Series<ApiCount, UsageQueryVariables>): UsageBucket[] {
  return fillBuckets(rows, variables.interval, new Date(freshness.asOf));
}

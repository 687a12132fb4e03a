import { lazy, Suspense } from 'react';
import { problemOf } from '../api/failure';
import { useServices } from '../app/context';
import { idsOf, useFunctionList } from '../app/lists';
import { useUsed } from '../app/remembered';
import { type FunctionsState, invocationIntervals, pageNames, write } from '../app/routes';
import { mayRun, useViewer } from '../app/viewer';
import { FunctionsDocument, type FunctionsQueryVariables } from '../gql/graphql';
import { useLogsAddress } from '../series/drill';
import { LazySeriesTable } from '../series/LazySeriesTable';
import { SeriesPage } from '../series/SeriesPage';
import { liveSeconds } from '../series/spans';
import { type Series, useSeries } from '../series/useSeries';
import { Skeleton } from '../ui/states';
import { TextField } from '../ui/TextField';
import { figuresOf } from './figures';
import { StatsCharts } from './StatsCharts';
import { before, bucketsOf, columns, type InvocationStat, invocationsOf, spans } from './series';

const FunctionTable = lazy(() => import('./FunctionTable'));

/** Invocations, errors and execution times of a project's functions. */
export function FunctionsPage({ state }: { state: FunctionsState }) {
  const { address } = useServices();
  const { project, functionId, interval } = state;
  const viewer = useViewer();
  const logsOf = useLogsAddress();
  const loading = useSeries(
    FunctionsDocument,
    { project, functionId: functionId === '' ? null : functionId, interval },
    liveSeconds(spans[interval]),
  );
  const exists = loading.data !== null && !loading.previous && hasInvocations(loading.data.rows);
  const used = useUsed(`function.${project}`, functionId, exists);
  const list = useFunctionsOf(loading.data);
  const go = (part: Partial<FunctionsState>): void => address.go(write.functions({ ...state, ...part }));
  const replace = (part: Partial<FunctionsState>): void => address.replace(write.functions({ ...state, ...part }));
  return (
    <SeriesPage
      title={pageNames.functions}
      what="the invocations of its functions"
      things="invocations"
      height="charts"
      state={state}
      loading={loading}
      intervals={invocationIntervals}
      widest="SEVEN_DAYS"
      spans={spans}
      // A function belongs to one project.
      onGo={(part) => go(part.project === undefined ? part : { ...part, functionId: '' })}
      onReplace={replace}
      fields={{
        names: ['functionId'],
        view: (
          <TextField
            label="Function id"
            value={functionId}
            placeholder="All functions"
            suggestions={[...used, ...idsOf(list.data)]}
            problem={problemOf(loading.failure, 'functionId')}
            onCommit={(text) => go({ functionId: text })}
          />
        ),
      }}
      isEmpty={({ rows }) => !hasInvocations(rows)}
      isFiltered={(variables) => Boolean(variables.functionId)}
      describeEmpty={(variables) =>
        variables.functionId ? (
          <>
            The function <code>{variables.functionId}</code> of the project <code>{variables.project}</code> has no
            invocations in this time range.
          </>
        ) : (
          <>
            The project <code>{variables.project}</code> has no invocations in this time range.
          </>
        )
      }
      since={({ rows, freshness }) => new Date(rows[0]?.timestamp ?? freshness.asOf)}
      figures={(series, widthMs, zone) => figuresOf(series?.rows ?? null, widthMs, zone)}
      chart={({ rows, variables }, widthMs, zone) => (
        <StatsCharts
          key={variables.interval}
          stats={rows}
          widthMs={widthMs}
          zone={zone}
          scale={state.scale}
          onScale={(scale) => replace({ scale })}
          onSelect={
            mayRun(viewer, 'logs.search')
              ? (from, to) =>
                  address.go(logsOf(project, from, to, invocationsOf(functionId === '' ? null : functionId)))
              : undefined
          }
        />
      )}
      table={({ rows }, widthMs, zone) => (
        <LazySeriesTable
          caption="Invocation statistics by bucket, newest first"
          columns={columns}
          buckets={bucketsOf(rows)}
          partialLabel="In progress"
          widthMs={widthMs}
          zone={zone}
        />
      )}
      below={
        !list.data?.rows.length && list.failure === null ? null : (
          <Suspense fallback={<Skeleton label="Loading the functions" height="snippet" />}>
            <FunctionTable loading={list} state={state} since={loading.data?.rows[0]?.timestamp} />
          </Suspense>
        )
      }
    />
  );
}

/** The functions that a series counts, from its first bucket on; requested again with the series. */
function useFunctionsOf(series: Series<InvocationStat, FunctionsQueryVariables> | null) {
  const since = series?.rows[0]?.timestamp;
  return useFunctionList({
    project: series?.variables.project ?? '',
    start: since === undefined ? null : before(since),
    version: series?.receivedAt,
    bypassCache: series?.bypassed,
  });
}

function hasInvocations(stats: InvocationStat[]): boolean {
  return stats.some((stat) => stat.count > 0);
}

import { useServices } from '../app/context';
import type { LogsState } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { Skeleton, Warning } from '../ui/states';
import { bucketSeconds, fill, spanOf } from './buckets';
import { Facets } from './Facets';
import {
  LogFacetsDocument,
  LogHistogramDocument,
  type LogsFacetsSource,
  type LogsHistogramSource,
} from './gql/graphql';
import { Histogram } from './Histogram';
import { boundsOf } from './range';
import { filtersOf, keyOfSearch } from './search';

interface OverviewProps {
  state: LogsState;
  /** When the entries were received: all counts are of that time. */
  now: number;
  onChange: (part: Partial<LogsState>) => void;
}

/** How many entries match over time, and by source, status and method. */
export function Overview({ state, now, onChange }: OverviewProps) {
  const { client } = useServices();
  const viewer = useViewer();
  const filters = filtersOf(state, boundsOf(state, now));
  const span = spanOf(state, now);
  const seconds = bucketSeconds(span);
  const key = [keyOfSearch(state), now];
  const histogram = useResponse({
    key: JSON.stringify(['histogram', ...key]),
    enabled: mayRun(viewer, 'logs.histogram'),
    load: async (options) => {
      const variables = { ...filters, source: filters.source as LogsHistogramSource | null, bucketSeconds: seconds };
      const { data } = await client.query(LogHistogramDocument, variables, options);
      return { buckets: fill(data.rows, span), seconds };
    },
  });
  const facets = useResponse({
    key: JSON.stringify(['facets', ...key]),
    enabled: mayRun(viewer, 'logs.facets'),
    load: async (options) => {
      const variables = { ...filters, source: filters.source as LogsFacetsSource | null };
      const { data } = await client.query(LogFacetsDocument, variables, options);
      return data.rows;
    },
  });
  return (
    <>
      {histogram.data !== null ? (
        <Histogram {...histogram.data} onSelect={onChange} />
      ) : histogram.failure !== null ? (
        <Warning title="The histogram could not be loaded.">{histogram.failure.details.message}</Warning>
      ) : (
        <HistogramSkeleton />
      )}
      {facets.data === null ? null : <Facets rows={facets.data} state={state} onChange={onChange} />}
    </>
  );
}

/** A placeholder for the histogram, for tokens that can see it. */
export function HistogramSkeleton() {
  const viewer = useViewer();
  if (!mayRun(viewer, 'logs.histogram')) return null;
  return (
    <div className="panel box log-histogram">
      <Skeleton label="Loading the histogram" height="histogram" />
    </div>
  );
}

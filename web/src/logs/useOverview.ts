import type { RequestOptions } from '../api/client';
import type { Failure } from '../api/failure';
import { useServices } from '../app/context';
import type { LogsState } from '../app/routes';
import { useResponse } from '../app/useResponse';
import { mayRun, useViewer } from '../app/viewer';
import { type Bucket, bucketSeconds, fill, spanOf } from './buckets';
import { LogFacetsDocument, type LogFacetsQuery, LogHistogramDocument } from './gql/graphql';
import { parseQuery } from './query';
import { keyOfSearch, searchOf } from './search';

/** A value of a field, and how many entries have it. */
export type FacetRow = LogFacetsQuery['rows'][number];

/** The fields with facets. */
export const facetFields = ['level', 'status', 'source', 'method'] as const;

/** How many entries match over time, and by the values of fields. */
export interface Overview {
  histogram: { buckets: Bucket[]; seconds: number } | null;
  /** Why there is no histogram. */
  failure: Failure | null;
  facets: readonly FacetRow[] | null;
  /** How many entries match; null if it is not known. */
  total: number | null;
}

/** Requests the overview of a search when its entries have arrived: all counts are of that time. */
export function useOverview(state: LogsState, receivedAt: number | null): Overview {
  const { client } = useServices();
  const viewer = useViewer();
  const now = receivedAt ?? 0;
  const key = [keyOfSearch(state), now];
  const histogram = useResponse({
    key: JSON.stringify(['histogram', ...key]),
    enabled: receivedAt !== null && mayRun(viewer, 'logs.histogram'),
    load: async (options) => {
      const span = spanOf(state, now);
      const seconds = bucketSeconds(span);
      const { data } = await client.query(
        LogHistogramDocument,
        { ...searchOf(state, now), bucketSeconds: seconds },
        options,
      );
      return { buckets: fill(data.rows, span), seconds, total: data.rows.reduce((sum, { count }) => sum + count, 0) };
    },
  });
  const facets = useResponse({
    key: JSON.stringify(['facets', ...key]),
    enabled: receivedAt !== null && mayRun(viewer, 'logs.facets'),
    load: async (options: RequestOptions) => {
      const rowsWithout = async (field?: string): Promise<readonly FacetRow[]> => {
        const { data } = await client.query(LogFacetsDocument, searchOf(state, now, field), options);
        return data.rows;
      };
      // A field that is filtered shows what it would have without its own filters.
      const filtered = facetFields.filter((facet) =>
        parseQuery(state.query).terms.some(({ field }) => field === facet),
      );
      const [rows = [], ...others] = await Promise.all([rowsWithout(), ...filtered.map(rowsWithout)]);
      return [
        ...rows.filter(({ facet }) => !filtered.some((field) => field === facet)),
        ...others.flatMap((own, index) => own.filter(({ facet }) => facet === filtered[index])),
      ];
    },
  });
  return {
    histogram: histogram.data,
    failure: histogram.data === null ? histogram.failure : null,
    facets: facets.data,
    total: histogram.previous ? null : (histogram.data?.total ?? null),
  };
}

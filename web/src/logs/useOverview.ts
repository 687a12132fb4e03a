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
  /** Whether the histogram or the facets belong to another search than the one of the state. */
  outdated: { histogram: boolean; facets: boolean };
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
  const search = keyOfSearch(state);
  const key = [search, now];
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
      const total = data.rows.reduce((sum, { count }) => sum + count, 0);
      return { buckets: fill(data.rows, span), seconds, total, search };
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
      const counted = [
        ...rows.filter(({ facet }) => !filtered.some((field) => field === facet)),
        ...others.flatMap((own, index) => own.filter(({ facet }) => facet === filtered[index])),
      ];
      return { rows: counted, search };
    },
  });
  return {
    histogram: histogram.data,
    failure: histogram.data === null ? histogram.failure : null,
    facets: facets.data?.rows ?? null,
    // A refresh of the same search changes little, and is not shown.
    outdated: {
      histogram: histogram.data !== null && histogram.data.search !== search,
      facets: facets.data !== null && facets.data.search !== search,
    },
    total: histogram.previous ? null : (histogram.data?.total ?? null),
  };
}

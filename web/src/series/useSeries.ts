import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
import type { Client, RequestOptions } from '../api/client';
import { type Caching, freshnessOf, type Pace, paceOf, secondsUntilChange } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type Loading, useResponse } from '../app/useResponse';
import { useViewer } from '../app/viewer';
import type { Dated } from '../ui/FreshnessBar';

/** The data of a time series: its rows, and how the saved query is cached. */
interface SeriesData<Row> {
  rows: Row[];
  endpoint: Caching | null;
}

type SeriesDocument<Row, Variables> = DocumentTypeDecoration<SeriesData<Row>, Variables>;

/** The rows of a saved query by bucket, oldest first. */
export interface Series<Row, Variables> extends Dated {
  rows: Row[];
  /** The variables of this request; the current ones may differ while the next response loads. */
  variables: Variables;
  caching: Caching | null;
  /** Whether the request bypassed the cache. */
  bypassed: boolean;
}

/** A series, and how often it refreshes; null until known. */
export interface LoadingSeries<Row, Variables> extends Loading<Series<Row, Variables>> {
  pace: Pace | null;
}

/** Requests a series of a project, and refreshes it when it may have changed. */
export function useSeries<Row, Variables extends { project: string }>(
  document: SeriesDocument<Row, Variables>,
  variables: Variables,
  liveSeconds: number | null,
): LoadingSeries<Row, Variables> {
  const { client } = useServices();
  const { live } = useLiking();
  const { refresh } = useViewer();
  const paceFor = (caching: Caching | null): Pace => paceOf(caching, liveSeconds, refresh);
  const loading = useResponse({
    key: JSON.stringify(variables),
    enabled: variables.project !== '',
    load: (options) => loadSeries(client, document, variables, options),
    next: ({ freshness, caching, bypassed }) => {
      const pace = paceFor(caching);
      return { ...pace, seconds: secondsUntilChange(freshness, pace, bypassed) };
    },
    live,
  });
  return { ...loading, pace: loading.data === null ? null : paceFor(loading.data.caching) };
}

async function loadSeries<Row, Variables>(
  client: Client,
  document: SeriesDocument<Row, Variables>,
  variables: Variables,
  options: RequestOptions,
): Promise<Series<Row, Variables>> {
  const { data, freshness, receivedAt } = await client.query(document, variables, options);
  return {
    rows: data.rows,
    variables,
    caching: data.endpoint,
    bypassed: options.bypassCache ?? false,
    freshness: freshnessOf(freshness, 'rows'),
    receivedAt,
  };
}

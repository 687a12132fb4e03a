import type { Client, RequestOptions } from '../api/client';
import { type Caching, freshnessOf, secondsUntilChange } from '../api/freshness';
import { useServices } from '../app/context';
import { useLiking } from '../app/preferences';
import { type Asked, replaceEarlier, useAnswer } from '../app/useAnswer';
import type { TypedDocumentString } from '../gql/graphql';
import type { Dated } from '../ui/FreshnessBar';

/** What a document of a series gives: its rows, and how the saved query is cached. */
interface SeriesData<Row> {
  rows: Row[];
  endpoint: Caching | null;
}

/** The rows of a saved query by bucket, oldest first. */
export interface Series<Row, Variables> extends Dated {
  rows: Row[];
  /** What was asked for; while something else is on its way, the rows are still of this. */
  variables: Variables;
  caching: Caching | null;
}

/** Asks for a series of a project, and again whenever it may have changed. */
export function useSeries<Row, Variables extends { project: string }>(
  document: TypedDocumentString<SeriesData<Row>, Variables>,
  variables: Variables,
): Asked<Series<Row, Variables>> {
  const { client } = useServices();
  const { live } = useLiking();
  return useAnswer({
    key: JSON.stringify(variables),
    ask: variables.project === '' ? null : (options) => askSeries(client, document, variables, options),
    fold: replaceEarlier<Series<Row, Variables>>,
    secondsUntilChange: seriesChangesIn,
    live,
  });
}

/** In how many seconds a series may have changed. */
export function seriesChangesIn(series: Pick<Series<unknown, unknown>, 'freshness' | 'caching'>): number {
  return secondsUntilChange(series.freshness, series.caching);
}

async function askSeries<Row, Variables>(
  client: Client,
  document: TypedDocumentString<SeriesData<Row>, Variables>,
  variables: Variables,
  options: RequestOptions,
): Promise<Series<Row, Variables>> {
  const { data, freshness, receivedAt } = await client.query(document, variables, options);
  return {
    rows: data.rows,
    variables,
    caching: data.endpoint,
    freshness: freshnessOf(freshness, 'rows'),
    receivedAt,
  };
}

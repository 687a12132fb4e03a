/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Values of project_tier in logs.facets. */
export type LogsFacetsProjectTier =
  /** The value ENTERPRISE. */
  | 'ENTERPRISE'
  /** The value FREE. */
  | 'FREE'
  /** The value PAYG. */
  | 'PAYG'
  /** The value PRO. */
  | 'PRO';

/** A log source, by the name of its table or the name that senders use. */
export type LogsFacetsSource =
  /** The value auth_logs. */
  | 'AUTH_LOGS'
  /** The value cloudflare.logs.prod. */
  | 'CLOUDFLARE_LOGS_PROD'
  /** The value deno-relay-logs. */
  | 'DENO_RELAY_LOGS'
  /** The value deno-subhosting-events. */
  | 'DENO_SUBHOSTING_EVENTS'
  /** The value edge_logs. */
  | 'EDGE_LOGS'
  /** The value function_edge_logs. */
  | 'FUNCTION_EDGE_LOGS'
  /** The value function_logs. */
  | 'FUNCTION_LOGS'
  /** The value gotrue.logs.prod. */
  | 'GOTRUE_LOGS_PROD'
  /** The value pgbouncer_logs. */
  | 'PGBOUNCER_LOGS'
  /** The value pgbouncer.logs.prod. */
  | 'PGBOUNCER_LOGS_PROD'
  /** The value postgrest_logs. */
  | 'POSTGREST_LOGS'
  /** The value postgREST.logs.prod. */
  | 'POSTGREST_LOGS_PROD'
  /** The value postgres_logs. */
  | 'POSTGRES_LOGS'
  /** The value postgres.logs. */
  | 'POSTGRES_LOGS_PROD'
  /** The value realtime_logs. */
  | 'REALTIME_LOGS'
  /** The value realtime.logs.prod. */
  | 'REALTIME_LOGS_PROD'
  /** The value storage_logs. */
  | 'STORAGE_LOGS'
  /** The value storage.logs.prod.2. */
  | 'STORAGE_LOGS_PROD_2';

/** Values of project_tier in logs.histogram. */
export type LogsHistogramProjectTier =
  /** The value ENTERPRISE. */
  | 'ENTERPRISE'
  /** The value FREE. */
  | 'FREE'
  /** The value PAYG. */
  | 'PAYG'
  /** The value PRO. */
  | 'PRO';

/** A log source, by the name of its table or the name that senders use. */
export type LogsHistogramSource =
  /** The value auth_logs. */
  | 'AUTH_LOGS'
  /** The value cloudflare.logs.prod. */
  | 'CLOUDFLARE_LOGS_PROD'
  /** The value deno-relay-logs. */
  | 'DENO_RELAY_LOGS'
  /** The value deno-subhosting-events. */
  | 'DENO_SUBHOSTING_EVENTS'
  /** The value edge_logs. */
  | 'EDGE_LOGS'
  /** The value function_edge_logs. */
  | 'FUNCTION_EDGE_LOGS'
  /** The value function_logs. */
  | 'FUNCTION_LOGS'
  /** The value gotrue.logs.prod. */
  | 'GOTRUE_LOGS_PROD'
  /** The value pgbouncer_logs. */
  | 'PGBOUNCER_LOGS'
  /** The value pgbouncer.logs.prod. */
  | 'PGBOUNCER_LOGS_PROD'
  /** The value postgrest_logs. */
  | 'POSTGREST_LOGS'
  /** The value postgREST.logs.prod. */
  | 'POSTGREST_LOGS_PROD'
  /** The value postgres_logs. */
  | 'POSTGRES_LOGS'
  /** The value postgres.logs. */
  | 'POSTGRES_LOGS_PROD'
  /** The value realtime_logs. */
  | 'REALTIME_LOGS'
  /** The value realtime.logs.prod. */
  | 'REALTIME_LOGS_PROD'
  /** The value storage_logs. */
  | 'STORAGE_LOGS'
  /** The value storage.logs.prod.2. */
  | 'STORAGE_LOGS_PROD_2';

/** Values of project_tier in logs.search. */
export type LogsSearchProjectTier =
  /** The value ENTERPRISE. */
  | 'ENTERPRISE'
  /** The value FREE. */
  | 'FREE'
  /** The value PAYG. */
  | 'PAYG'
  /** The value PRO. */
  | 'PRO';

/** A log source, by the name of its table or the name that senders use. */
export type LogsSearchSource =
  /** The value auth_logs. */
  | 'AUTH_LOGS'
  /** The value cloudflare.logs.prod. */
  | 'CLOUDFLARE_LOGS_PROD'
  /** The value deno-relay-logs. */
  | 'DENO_RELAY_LOGS'
  /** The value deno-subhosting-events. */
  | 'DENO_SUBHOSTING_EVENTS'
  /** The value edge_logs. */
  | 'EDGE_LOGS'
  /** The value function_edge_logs. */
  | 'FUNCTION_EDGE_LOGS'
  /** The value function_logs. */
  | 'FUNCTION_LOGS'
  /** The value gotrue.logs.prod. */
  | 'GOTRUE_LOGS_PROD'
  /** The value pgbouncer_logs. */
  | 'PGBOUNCER_LOGS'
  /** The value pgbouncer.logs.prod. */
  | 'PGBOUNCER_LOGS_PROD'
  /** The value postgrest_logs. */
  | 'POSTGREST_LOGS'
  /** The value postgREST.logs.prod. */
  | 'POSTGREST_LOGS_PROD'
  /** The value postgres_logs. */
  | 'POSTGRES_LOGS'
  /** The value postgres.logs. */
  | 'POSTGRES_LOGS_PROD'
  /** The value realtime_logs. */
  | 'REALTIME_LOGS'
  /** The value realtime.logs.prod. */
  | 'REALTIME_LOGS_PROD'
  /** The value storage_logs. */
  | 'STORAGE_LOGS'
  /** The value storage.logs.prod.2. */
  | 'STORAGE_LOGS_PROD_2';

export type LogSearchQueryVariables = Exact<{
  project: string;
  tier?: LogsSearchProjectTier | null | undefined;
  source?: LogsSearchSource | null | undefined;
  text?: string | null | undefined;
  status?: string | null | undefined;
  method?: string | null | undefined;
  path?: string | null | undefined;
  start?: string | null | undefined;
  end?: string | null | undefined;
  beforeTimestamp?: string | null | undefined;
  beforeId?: string | null | undefined;
}>;


export type LogSearchQuery = { rows: Array<{ id: string, eventId: string, timestamp: string, source: string, eventMessage: string | null, status: number | null, method: string | null, path: string | null, level: string | null, metadata: unknown }> };

export type LogHistogramQueryVariables = Exact<{
  project: string;
  tier?: LogsHistogramProjectTier | null | undefined;
  source?: LogsHistogramSource | null | undefined;
  text?: string | null | undefined;
  status?: string | null | undefined;
  method?: string | null | undefined;
  path?: string | null | undefined;
  start?: string | null | undefined;
  end?: string | null | undefined;
  bucketSeconds?: number | null | undefined;
}>;


export type LogHistogramQuery = { rows: Array<{ timestamp: string, count: number, errors: number, warnings: number }> };

export type LogFacetsQueryVariables = Exact<{
  project: string;
  tier?: LogsFacetsProjectTier | null | undefined;
  source?: LogsFacetsSource | null | undefined;
  text?: string | null | undefined;
  status?: string | null | undefined;
  method?: string | null | undefined;
  path?: string | null | undefined;
  start?: string | null | undefined;
  end?: string | null | undefined;
}>;


export type LogFacetsQuery = { rows: Array<{ facet: string, value: string, count: number }> };

export type TailSubscriptionVariables = Exact<{
  project?: string | null | undefined;
  source?: string | null | undefined;
  filter?: string | null | undefined;
}>;


export type TailSubscription = { logsTail: { dropped: number, events: Array<{ id: string, eventId: string, timestamp: string, source: string, eventMessage: string | null, metadata: unknown }> } };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}

export const LogSearchDocument = new TypedDocumentString(`
    query LogSearch($project: String!, $tier: LogsSearchProjectTier, $source: LogsSearchSource, $text: String, $status: String, $method: String, $path: String, $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String) {
  rows: logsSearch(
    project: $project
    projectTier: $tier
    source: $source
    text: $text
    status: $status
    method: $method
    pathPrefix: $path
    isoTimestampStart: $start
    isoTimestampEnd: $end
    beforeTimestamp: $beforeTimestamp
    beforeId: $beforeId
  ) {
    id
    eventId
    timestamp
    source
    eventMessage
    status
    method
    path
    level
    metadata
  }
}
    `) as unknown as TypedDocumentString<LogSearchQuery, LogSearchQueryVariables>;
export const LogHistogramDocument = new TypedDocumentString(`
    query LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $source: LogsHistogramSource, $text: String, $status: String, $method: String, $path: String, $start: Time, $end: Time, $bucketSeconds: Int64) {
  rows: logsHistogram(
    project: $project
    projectTier: $tier
    source: $source
    text: $text
    status: $status
    method: $method
    pathPrefix: $path
    isoTimestampStart: $start
    isoTimestampEnd: $end
    bucketSeconds: $bucketSeconds
  ) {
    timestamp
    count
    errors
    warnings
  }
}
    `) as unknown as TypedDocumentString<LogHistogramQuery, LogHistogramQueryVariables>;
export const LogFacetsDocument = new TypedDocumentString(`
    query LogFacets($project: String!, $tier: LogsFacetsProjectTier, $source: LogsFacetsSource, $text: String, $status: String, $method: String, $path: String, $start: Time, $end: Time) {
  rows: logsFacets(
    project: $project
    projectTier: $tier
    source: $source
    text: $text
    status: $status
    method: $method
    pathPrefix: $path
    isoTimestampStart: $start
    isoTimestampEnd: $end
  ) {
    facet
    value
    count
  }
}
    `) as unknown as TypedDocumentString<LogFacetsQuery, LogFacetsQueryVariables>;
export const TailDocument = new TypedDocumentString(`
    subscription Tail($project: String, $source: String, $filter: String) {
  logsTail(project: $project, source: $source, filter: $filter) {
    events {
      id
      eventId
      timestamp
      source
      eventMessage
      metadata
    }
    dropped
  }
}
    `) as unknown as TypedDocumentString<TailSubscription, TailSubscriptionVariables>;
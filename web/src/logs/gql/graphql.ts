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

/** Tier of a project, which sets how far back its log entries can be read. */
export type ProjectTier =
  /** Entries of the last 90 days. */
  | 'ENTERPRISE'
  /** Entries of the last day. */
  | 'FREE'
  /** Entries of the last 90 days. */
  | 'PAYG'
  /** Entries of the last 7 days. */
  | 'PRO';

export type LogSearchQueryVariables = Exact<{
  project: string;
  tier?: LogsSearchProjectTier | null | undefined;
  text?: string | null | undefined;
  filters?: Array<string> | string | null | undefined;
  start?: string | null | undefined;
  end?: string | null | undefined;
  beforeTimestamp?: string | null | undefined;
  beforeId?: string | null | undefined;
  limit?: number | null | undefined;
}>;


export type LogSearchQuery = { rows: Array<{ id: string, eventId: string, timestamp: string, source: string, eventMessage: string | null, status: number | null, method: string | null, path: string | null, level: string | null, metadata: unknown }> };

export type LogHistogramQueryVariables = Exact<{
  project: string;
  tier?: LogsHistogramProjectTier | null | undefined;
  text?: string | null | undefined;
  filters?: Array<string> | string | null | undefined;
  start?: string | null | undefined;
  end?: string | null | undefined;
  bucketSeconds?: number | null | undefined;
}>;


export type LogHistogramQuery = { rows: Array<{ timestamp: string, count: number, errors: number, warnings: number }> };

export type LogFacetsQueryVariables = Exact<{
  project: string;
  tier?: LogsFacetsProjectTier | null | undefined;
  text?: string | null | undefined;
  filters?: Array<string> | string | null | undefined;
  start?: string | null | undefined;
  end?: string | null | undefined;
}>;


export type LogFacetsQuery = { rows: Array<{ facet: string, value: string, count: number }> };

export type LogSourcesQueryVariables = Exact<{ [key: string]: never; }>;


export type LogSourcesQuery = { endpoint: { parameters: Array<{ name: string, allowed: Array<string> }> } | null };

export type LogsQueryVariables = Exact<{
  project: string;
  tier: ProjectTier;
  start?: string | null | undefined;
  end?: string | null | undefined;
}>;


export type LogsQuery = { logs: Array<{ id: string, timestamp: string, eventMessage: string | null, metadata: unknown }> };

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
    query LogSearch($project: String!, $tier: LogsSearchProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String, $limit: Int64) {
  rows: logsSearch(
    project: $project
    projectTier: $tier
    text: $text
    filters: $filters
    isoTimestampStart: $start
    isoTimestampEnd: $end
    beforeTimestamp: $beforeTimestamp
    beforeId: $beforeId
    limit: $limit
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
    query LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $bucketSeconds: Int64) {
  rows: logsHistogram(
    project: $project
    projectTier: $tier
    text: $text
    filters: $filters
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
    query LogFacets($project: String!, $tier: LogsFacetsProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time) {
  rows: logsFacets(
    project: $project
    projectTier: $tier
    text: $text
    filters: $filters
    isoTimestampStart: $start
    isoTimestampEnd: $end
  ) {
    facet
    value
    count
  }
}
    `) as unknown as TypedDocumentString<LogFacetsQuery, LogFacetsQueryVariables>;
export const LogSourcesDocument = new TypedDocumentString(`
    query LogSources {
  endpoint(name: "logs.search") {
    parameters {
      name
      allowed
    }
  }
}
    `) as unknown as TypedDocumentString<LogSourcesQuery, LogSourcesQueryVariables>;
export const LogsDocument = new TypedDocumentString(`
    query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {
  logs(
    project: $project
    projectTier: $tier
    isoTimestampStart: $start
    isoTimestampEnd: $end
  ) {
    id
    timestamp
    eventMessage
    metadata
  }
}
    `) as unknown as TypedDocumentString<LogsQuery, LogsQueryVariables>;
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
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** How far back API requests are counted, and how wide the buckets are. */
export type ApiCountInterval =
  /** The last 7 days in buckets of one day (UTC); the earliest one is partial. */
  | 'DAILY'
  /** The last hour in buckets of one hour: at most two, the earlier one partial. */
  | 'HOURLY'
  /** The last 60 minutes in buckets of one minute. */
  | 'MINUTELY';

export type UsageQueryVariables = Exact<{
  project: string;
  interval: ApiCountInterval;
}>;


export type UsageQuery = { rows: Array<{ timestamp: string, totalRestRequests: number, totalStorageRequests: number, totalAuthRequests: number, totalRealtimeRequests: number }>, endpoint: { cacheSeconds: number | null, warmSeconds: number | null } | null };

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

export const UsageDocument = new TypedDocumentString(`
    query Usage($project: String!, $interval: ApiCountInterval!) {
  rows: apiCounts(project: $project, interval: $interval) {
    timestamp
    totalRestRequests
    totalStorageRequests
    totalAuthRequests
    totalRealtimeRequests
  }
  endpoint(name: "usage.api-counts") {
    cacheSeconds
    warmSeconds
  }
}
    `) as unknown as TypedDocumentString<UsageQuery, UsageQueryVariables>;
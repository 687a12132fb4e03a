/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type ActivityQueryVariables = Exact<{
  project: string;
}>;


export type ActivityQuery = { invocationStats: Array<{ timestamp: string, p95ExecutionTime: number | null, count: number, errorCount: number }>, logs: Array<{ timestamp: string, eventMessage: string | null, metadata: unknown }> };

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

export const ActivityDocument = new TypedDocumentString(`
    query Activity($project: String!) {
  invocationStats(project: $project, interval: SEVEN_DAYS) {
    timestamp
    p95ExecutionTime
    count
    errorCount
  }
  logs(project: $project) {
    timestamp
    eventMessage
    metadata
  }
}
    `) as unknown as TypedDocumentString<ActivityQuery, ActivityQueryVariables>;
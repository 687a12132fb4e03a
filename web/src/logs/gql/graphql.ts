/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type TailSubscriptionVariables = Exact<{
  project?: string | null | undefined;
  source?: string | null | undefined;
  filter?: string | null | undefined;
}>;


export type TailSubscription = { logsTail: { dropped: number, events: Array<{ id: string, timestamp: string, source: string, eventMessage: string | null, metadata: unknown }> } };

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

export const TailDocument = new TypedDocumentString(`
    subscription Tail($project: String, $source: String, $filter: String) {
  logsTail(project: $project, source: $source, filter: $filter) {
    events {
      id
      timestamp
      source
      eventMessage
      metadata
    }
    dropped
  }
}
    `) as unknown as TypedDocumentString<TailSubscription, TailSubscriptionVariables>;
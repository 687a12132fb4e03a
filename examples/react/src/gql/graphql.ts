/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** How far back a series of invocation statistics goes, and how wide its buckets are. */
export type InvocationInterval =
  /** The last 15 minutes in buckets of one minute: 16 elements. */
  | 'FIFTEEN_MINUTES'
  /** The last 5 minutes in buckets of one second: 301 elements. */
  | 'FIVE_MINUTES'
  /** The last day in buckets of one hour: 25 elements. */
  | 'ONE_DAY'
  /** The last hour in buckets of one minute: 61 elements. */
  | 'ONE_HOUR'
  /** The last 7 days in buckets of one day (UTC): 8 elements. */
  | 'SEVEN_DAYS';

export type InvocationsQueryVariables = Exact<{
  interval?: InvocationInterval | null | undefined;
}>;


export type InvocationsQuery = { __typename: 'Query', invocationStats: Array<{ __typename: 'InvocationStat', timestamp: string, count: number, errorCount: number }> };


export const InvocationsDocument = {"__meta__":{"hash":"sha256:438d8c850be31b2dc78f864868330b003597316c993266bc192bdf523796887e"},"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Invocations"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"interval"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"InvocationInterval"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"invocationStats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"interval"},"value":{"kind":"Variable","name":{"kind":"Name","value":"interval"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"__typename"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"errorCount"}}]}}]}}]} as unknown as DocumentNode<InvocationsQuery, InvocationsQueryVariables>;
/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
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

export type FunctionsQueryVariables = Exact<{
  project: string;
  functionId?: string | null | undefined;
  interval: InvocationInterval;
}>;


export type FunctionsQuery = { rows: Array<{ timestamp: string, minExecutionTime: number | null, maxExecutionTime: number | null, avgExecutionTime: number | null, p95ExecutionTime: number | null, p99ExecutionTime: number | null, count: number, errorCount: number }>, endpoint: { cacheSeconds: number | null, warmSeconds: number | null } | null };

export type ProjectListQueryVariables = Exact<{ [key: string]: never; }>;


export type ProjectListQuery = { rows: Array<{ project: string }> };

export type FunctionListQueryVariables = Exact<{
  project: string;
  start?: string | null | undefined;
}>;


export type FunctionListQuery = { rows: Array<{ functionId: string | null, invocations: number, errors: number, p95ExecutionTime: number | null, lastSeen: string }> };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { token: string, projects: Array<string> | null, projectTier: string | null, refresh: boolean, explore: boolean, tail: boolean, usage: boolean, manageTokens: boolean, boundParameters: Array<{ name: string, values: Array<string> }> }, endpoints: Array<{ name: string }> };

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

export const FunctionsDocument = new TypedDocumentString(`
    query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {
  rows: invocationStats(
    project: $project
    functionId: $functionId
    interval: $interval
  ) {
    timestamp
    minExecutionTime
    maxExecutionTime
    avgExecutionTime
    p95ExecutionTime
    p99ExecutionTime
    count
    errorCount
  }
  endpoint(name: "functions.invocation-stats") {
    cacheSeconds
    warmSeconds
  }
}
    `) as unknown as TypedDocumentString<FunctionsQuery, FunctionsQueryVariables>;
export const ProjectListDocument = new TypedDocumentString(`
    query ProjectList {
  rows: projectsList {
    project
  }
}
    `) as unknown as TypedDocumentString<ProjectListQuery, ProjectListQueryVariables>;
export const FunctionListDocument = new TypedDocumentString(`
    query FunctionList($project: String!, $start: Time) {
  rows: functionsList(project: $project, isoTimestampStart: $start) {
    functionId
    invocations
    errors
    p95ExecutionTime
    lastSeen
  }
}
    `) as unknown as TypedDocumentString<FunctionListQuery, FunctionListQueryVariables>;
export const ViewerDocument = new TypedDocumentString(`
    query Viewer {
  viewer {
    token
    projects
    projectTier
    refresh
    explore
    tail
    usage
    manageTokens
    boundParameters {
      name
      values
    }
  }
  endpoints {
    name
  }
}
    `) as unknown as TypedDocumentString<ViewerQuery, ViewerQueryVariables>;
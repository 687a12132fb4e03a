/* eslint-disable */
import * as types from './graphql';



/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query Endpoints {\n  endpoints {\n    id\n    name\n    aliases\n    field\n    description\n    deprecated\n    language\n    sql\n    parameters {\n      name\n      argument\n      type\n      description\n      required\n      default\n      defaults\n      allowed\n      values\n      fallback\n      pattern\n      format\n      maxLength\n      min\n      max\n      maxItems\n      scope\n      deprecated\n    }\n    columns {\n      name\n      field\n      type\n      nullable\n      description\n      deprecated\n      fields {\n        name\n        field\n        type\n        nullable\n        description\n        deprecated\n        fields {\n          name\n          field\n          type\n          nullable\n          description\n          deprecated\n          fields {\n            name\n            field\n            type\n            nullable\n            description\n            deprecated\n            fields {\n              name\n              field\n              type\n              nullable\n              description\n              deprecated\n            }\n          }\n        }\n      }\n    }\n    maxRows\n    cacheSeconds\n    warmSeconds\n    sandboxed\n  }\n}\n\nquery Catalog {\n  catalog {\n    loadedAt\n    mistakes {\n      file\n      line\n      column\n      message\n    }\n  }\n}": typeof types.EndpointsDocument,
    "query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {\n  rows: invocationStats(\n    project: $project\n    functionId: $functionId\n    interval: $interval\n  ) {\n    timestamp\n    minExecutionTime\n    maxExecutionTime\n    avgExecutionTime\n    p95ExecutionTime\n    p99ExecutionTime\n    count\n    errorCount\n  }\n  endpoint(name: \"functions.invocation-stats\") {\n    cacheSeconds\n    warmSeconds\n  }\n}": typeof types.FunctionsDocument,
    "query ProjectList {\n  rows: projectsList {\n    project\n  }\n}\n\nquery FunctionList($project: String!, $start: Time) {\n  rows: functionsList(project: $project, isoTimestampStart: $start) {\n    functionId\n    invocations\n    errors\n    p95ExecutionTime\n    lastSeen\n  }\n}\n\nquery LogSources {\n  endpoint(name: \"logs.search\") {\n    parameters {\n      name\n      allowed\n    }\n  }\n}": typeof types.ProjectListDocument,
    "query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {\n  logs(\n    project: $project\n    projectTier: $tier\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    id\n    timestamp\n    eventMessage\n    metadata\n  }\n}": typeof types.LogsDocument,
    "query Usage($project: String!, $interval: ApiCountInterval!) {\n  rows: apiCounts(project: $project, interval: $interval) {\n    timestamp\n    totalRestRequests\n    totalStorageRequests\n    totalAuthRequests\n    totalRealtimeRequests\n  }\n  endpoint(name: \"usage.api-counts\") {\n    cacheSeconds\n    warmSeconds\n  }\n}": typeof types.UsageDocument,
    "query Viewer {\n  viewer {\n    projects\n    projectTier\n    refresh\n    explore\n    tail\n    usage\n    boundParameters {\n      name\n      values\n    }\n  }\n  endpoints {\n    name\n  }\n}": typeof types.ViewerDocument,
};
const documents: Documents = {
    "query Endpoints {\n  endpoints {\n    id\n    name\n    aliases\n    field\n    description\n    deprecated\n    language\n    sql\n    parameters {\n      name\n      argument\n      type\n      description\n      required\n      default\n      defaults\n      allowed\n      values\n      fallback\n      pattern\n      format\n      maxLength\n      min\n      max\n      maxItems\n      scope\n      deprecated\n    }\n    columns {\n      name\n      field\n      type\n      nullable\n      description\n      deprecated\n      fields {\n        name\n        field\n        type\n        nullable\n        description\n        deprecated\n        fields {\n          name\n          field\n          type\n          nullable\n          description\n          deprecated\n          fields {\n            name\n            field\n            type\n            nullable\n            description\n            deprecated\n            fields {\n              name\n              field\n              type\n              nullable\n              description\n              deprecated\n            }\n          }\n        }\n      }\n    }\n    maxRows\n    cacheSeconds\n    warmSeconds\n    sandboxed\n  }\n}\n\nquery Catalog {\n  catalog {\n    loadedAt\n    mistakes {\n      file\n      line\n      column\n      message\n    }\n  }\n}": types.EndpointsDocument,
    "query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {\n  rows: invocationStats(\n    project: $project\n    functionId: $functionId\n    interval: $interval\n  ) {\n    timestamp\n    minExecutionTime\n    maxExecutionTime\n    avgExecutionTime\n    p95ExecutionTime\n    p99ExecutionTime\n    count\n    errorCount\n  }\n  endpoint(name: \"functions.invocation-stats\") {\n    cacheSeconds\n    warmSeconds\n  }\n}": types.FunctionsDocument,
    "query ProjectList {\n  rows: projectsList {\n    project\n  }\n}\n\nquery FunctionList($project: String!, $start: Time) {\n  rows: functionsList(project: $project, isoTimestampStart: $start) {\n    functionId\n    invocations\n    errors\n    p95ExecutionTime\n    lastSeen\n  }\n}\n\nquery LogSources {\n  endpoint(name: \"logs.search\") {\n    parameters {\n      name\n      allowed\n    }\n  }\n}": types.ProjectListDocument,
    "query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {\n  logs(\n    project: $project\n    projectTier: $tier\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    id\n    timestamp\n    eventMessage\n    metadata\n  }\n}": types.LogsDocument,
    "query Usage($project: String!, $interval: ApiCountInterval!) {\n  rows: apiCounts(project: $project, interval: $interval) {\n    timestamp\n    totalRestRequests\n    totalStorageRequests\n    totalAuthRequests\n    totalRealtimeRequests\n  }\n  endpoint(name: \"usage.api-counts\") {\n    cacheSeconds\n    warmSeconds\n  }\n}": types.UsageDocument,
    "query Viewer {\n  viewer {\n    projects\n    projectTier\n    refresh\n    explore\n    tail\n    usage\n    boundParameters {\n      name\n      values\n    }\n  }\n  endpoints {\n    name\n  }\n}": types.ViewerDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Endpoints {\n  endpoints {\n    id\n    name\n    aliases\n    field\n    description\n    deprecated\n    language\n    sql\n    parameters {\n      name\n      argument\n      type\n      description\n      required\n      default\n      defaults\n      allowed\n      values\n      fallback\n      pattern\n      format\n      maxLength\n      min\n      max\n      maxItems\n      scope\n      deprecated\n    }\n    columns {\n      name\n      field\n      type\n      nullable\n      description\n      deprecated\n      fields {\n        name\n        field\n        type\n        nullable\n        description\n        deprecated\n        fields {\n          name\n          field\n          type\n          nullable\n          description\n          deprecated\n          fields {\n            name\n            field\n            type\n            nullable\n            description\n            deprecated\n            fields {\n              name\n              field\n              type\n              nullable\n              description\n              deprecated\n            }\n          }\n        }\n      }\n    }\n    maxRows\n    cacheSeconds\n    warmSeconds\n    sandboxed\n  }\n}\n\nquery Catalog {\n  catalog {\n    loadedAt\n    mistakes {\n      file\n      line\n      column\n      message\n    }\n  }\n}"): typeof import('./graphql').EndpointsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {\n  rows: invocationStats(\n    project: $project\n    functionId: $functionId\n    interval: $interval\n  ) {\n    timestamp\n    minExecutionTime\n    maxExecutionTime\n    avgExecutionTime\n    p95ExecutionTime\n    p99ExecutionTime\n    count\n    errorCount\n  }\n  endpoint(name: \"functions.invocation-stats\") {\n    cacheSeconds\n    warmSeconds\n  }\n}"): typeof import('./graphql').FunctionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query ProjectList {\n  rows: projectsList {\n    project\n  }\n}\n\nquery FunctionList($project: String!, $start: Time) {\n  rows: functionsList(project: $project, isoTimestampStart: $start) {\n    functionId\n    invocations\n    errors\n    p95ExecutionTime\n    lastSeen\n  }\n}\n\nquery LogSources {\n  endpoint(name: \"logs.search\") {\n    parameters {\n      name\n      allowed\n    }\n  }\n}"): typeof import('./graphql').ProjectListDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {\n  logs(\n    project: $project\n    projectTier: $tier\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    id\n    timestamp\n    eventMessage\n    metadata\n  }\n}"): typeof import('./graphql').LogsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Usage($project: String!, $interval: ApiCountInterval!) {\n  rows: apiCounts(project: $project, interval: $interval) {\n    timestamp\n    totalRestRequests\n    totalStorageRequests\n    totalAuthRequests\n    totalRealtimeRequests\n  }\n  endpoint(name: \"usage.api-counts\") {\n    cacheSeconds\n    warmSeconds\n  }\n}"): typeof import('./graphql').UsageDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Viewer {\n  viewer {\n    projects\n    projectTier\n    refresh\n    explore\n    tail\n    usage\n    boundParameters {\n      name\n      values\n    }\n  }\n  endpoints {\n    name\n  }\n}"): typeof import('./graphql').ViewerDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

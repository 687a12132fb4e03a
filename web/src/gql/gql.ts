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
    "query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {\n  rows: invocationStats(\n    project: $project\n    functionId: $functionId\n    interval: $interval\n  ) {\n    timestamp\n    minExecutionTime\n    maxExecutionTime\n    avgExecutionTime\n    p95ExecutionTime\n    p99ExecutionTime\n    count\n    errorCount\n  }\n  endpoint(name: \"functions.invocation-stats\") {\n    cacheSeconds\n    warmSeconds\n  }\n}": typeof types.FunctionsDocument,
    "query ProjectList {\n  rows: projectsList {\n    project\n  }\n}\n\nquery FunctionList($project: String!, $start: Time) {\n  rows: functionsList(project: $project, isoTimestampStart: $start) {\n    functionId\n    invocations\n    errors\n    p95ExecutionTime\n    lastSeen\n  }\n}": typeof types.ProjectListDocument,
    "query Viewer {\n  viewer {\n    token\n    projects\n    projectTier\n    refresh\n    explore\n    tail\n    usage\n    manageTokens\n    boundParameters {\n      name\n      values\n    }\n  }\n  endpoints {\n    name\n  }\n}": typeof types.ViewerDocument,
};
const documents: Documents = {
    "query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {\n  rows: invocationStats(\n    project: $project\n    functionId: $functionId\n    interval: $interval\n  ) {\n    timestamp\n    minExecutionTime\n    maxExecutionTime\n    avgExecutionTime\n    p95ExecutionTime\n    p99ExecutionTime\n    count\n    errorCount\n  }\n  endpoint(name: \"functions.invocation-stats\") {\n    cacheSeconds\n    warmSeconds\n  }\n}": types.FunctionsDocument,
    "query ProjectList {\n  rows: projectsList {\n    project\n  }\n}\n\nquery FunctionList($project: String!, $start: Time) {\n  rows: functionsList(project: $project, isoTimestampStart: $start) {\n    functionId\n    invocations\n    errors\n    p95ExecutionTime\n    lastSeen\n  }\n}": types.ProjectListDocument,
    "query Viewer {\n  viewer {\n    token\n    projects\n    projectTier\n    refresh\n    explore\n    tail\n    usage\n    manageTokens\n    boundParameters {\n      name\n      values\n    }\n  }\n  endpoints {\n    name\n  }\n}": types.ViewerDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Functions($project: String!, $functionId: String, $interval: InvocationInterval!) {\n  rows: invocationStats(\n    project: $project\n    functionId: $functionId\n    interval: $interval\n  ) {\n    timestamp\n    minExecutionTime\n    maxExecutionTime\n    avgExecutionTime\n    p95ExecutionTime\n    p99ExecutionTime\n    count\n    errorCount\n  }\n  endpoint(name: \"functions.invocation-stats\") {\n    cacheSeconds\n    warmSeconds\n  }\n}"): typeof import('./graphql').FunctionsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query ProjectList {\n  rows: projectsList {\n    project\n  }\n}\n\nquery FunctionList($project: String!, $start: Time) {\n  rows: functionsList(project: $project, isoTimestampStart: $start) {\n    functionId\n    invocations\n    errors\n    p95ExecutionTime\n    lastSeen\n  }\n}"): typeof import('./graphql').ProjectListDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Viewer {\n  viewer {\n    token\n    projects\n    projectTier\n    refresh\n    explore\n    tail\n    usage\n    manageTokens\n    boundParameters {\n      name\n      values\n    }\n  }\n  endpoints {\n    name\n  }\n}"): typeof import('./graphql').ViewerDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

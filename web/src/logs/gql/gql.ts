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
    "query LogSearch($project: String!, $tier: LogsSearchProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String, $limit: Int64) {\n  rows: logsSearch(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n    beforeTimestamp: $beforeTimestamp\n    beforeId: $beforeId\n    limit: $limit\n  ) {\n    id\n    eventId\n    timestamp\n    source\n    eventMessage\n    status\n    method\n    path\n    level\n    metadata\n  }\n}\n\nquery LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $bucketSeconds: Int64) {\n  rows: logsHistogram(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n    bucketSeconds: $bucketSeconds\n  ) {\n    timestamp\n    count\n    errors\n    warnings\n  }\n}\n\nquery LogFacets($project: String!, $tier: LogsFacetsProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time) {\n  rows: logsFacets(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    facet\n    value\n    count\n  }\n}": typeof types.LogSearchDocument,
    "query LogSources {\n  endpoint(name: \"logs.search\") {\n    parameters {\n      name\n      allowed\n    }\n  }\n}": typeof types.LogSourcesDocument,
    "query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {\n  logs(\n    project: $project\n    projectTier: $tier\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    id\n    timestamp\n    eventMessage\n    metadata\n  }\n}": typeof types.LogsDocument,
    "subscription Tail($project: String, $source: String, $filter: String) {\n  logsTail(project: $project, source: $source, filter: $filter) {\n    events {\n      id\n      eventId\n      timestamp\n      source\n      eventMessage\n      metadata\n    }\n    dropped\n  }\n}": typeof types.TailDocument,
};
const documents: Documents = {
    "query LogSearch($project: String!, $tier: LogsSearchProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String, $limit: Int64) {\n  rows: logsSearch(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n    beforeTimestamp: $beforeTimestamp\n    beforeId: $beforeId\n    limit: $limit\n  ) {\n    id\n    eventId\n    timestamp\n    source\n    eventMessage\n    status\n    method\n    path\n    level\n    metadata\n  }\n}\n\nquery LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $bucketSeconds: Int64) {\n  rows: logsHistogram(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n    bucketSeconds: $bucketSeconds\n  ) {\n    timestamp\n    count\n    errors\n    warnings\n  }\n}\n\nquery LogFacets($project: String!, $tier: LogsFacetsProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time) {\n  rows: logsFacets(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    facet\n    value\n    count\n  }\n}": types.LogSearchDocument,
    "query LogSources {\n  endpoint(name: \"logs.search\") {\n    parameters {\n      name\n      allowed\n    }\n  }\n}": types.LogSourcesDocument,
    "query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {\n  logs(\n    project: $project\n    projectTier: $tier\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    id\n    timestamp\n    eventMessage\n    metadata\n  }\n}": types.LogsDocument,
    "subscription Tail($project: String, $source: String, $filter: String) {\n  logsTail(project: $project, source: $source, filter: $filter) {\n    events {\n      id\n      eventId\n      timestamp\n      source\n      eventMessage\n      metadata\n    }\n    dropped\n  }\n}": types.TailDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query LogSearch($project: String!, $tier: LogsSearchProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String, $limit: Int64) {\n  rows: logsSearch(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n    beforeTimestamp: $beforeTimestamp\n    beforeId: $beforeId\n    limit: $limit\n  ) {\n    id\n    eventId\n    timestamp\n    source\n    eventMessage\n    status\n    method\n    path\n    level\n    metadata\n  }\n}\n\nquery LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $bucketSeconds: Int64) {\n  rows: logsHistogram(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n    bucketSeconds: $bucketSeconds\n  ) {\n    timestamp\n    count\n    errors\n    warnings\n  }\n}\n\nquery LogFacets($project: String!, $tier: LogsFacetsProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time) {\n  rows: logsFacets(\n    project: $project\n    projectTier: $tier\n    text: $text\n    filters: $filters\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    facet\n    value\n    count\n  }\n}"): typeof import('./graphql').LogSearchDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query LogSources {\n  endpoint(name: \"logs.search\") {\n    parameters {\n      name\n      allowed\n    }\n  }\n}"): typeof import('./graphql').LogSourcesDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {\n  logs(\n    project: $project\n    projectTier: $tier\n    isoTimestampStart: $start\n    isoTimestampEnd: $end\n  ) {\n    id\n    timestamp\n    eventMessage\n    metadata\n  }\n}"): typeof import('./graphql').LogsDocument;
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "subscription Tail($project: String, $source: String, $filter: String) {\n  logsTail(project: $project, source: $source, filter: $filter) {\n    events {\n      id\n      eventId\n      timestamp\n      source\n      eventMessage\n      metadata\n    }\n    dropped\n  }\n}"): typeof import('./graphql').TailDocument;


export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

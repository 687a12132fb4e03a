import { mayRun, type Viewer } from '../app/viewer';

/** A tab with a document. */
interface ExampleTab {
  query: string;
}

/** One example for each saved query that the token may run, about one of its projects. */
export function exampleTabs(viewer: Viewer, project: string): ExampleTab[] {
  const named = JSON.stringify(project); // a string in JSON is one in GraphQL
  const tier = viewer.projectTier ?? 'FREE';
  const allowed = (endpoint: string): boolean => viewer.endpoints === null || mayRun(viewer, endpoint);
  return [
    ...(allowed('functions.invocation-stats') ? [functions(named)] : []),
    ...(allowed('usage.api-counts') ? [usage(named)] : []),
    ...(allowed('logs.all') ? [logs(named, tier)] : []),
    endpoints,
  ];
}

const functions = (project: string): ExampleTab => ({
  query: `# Invocations, errors and execution
# times of a project's functions.
query Functions {
  invocationStats(
    project: ${project}
    interval: ONE_DAY
  ) {
    timestamp
    count
    errorCount
    avgExecutionTime
    p95ExecutionTime
    p99ExecutionTime
  }
}
`,
});

const usage = (project: string): ExampleTab => ({
  query: `# Requests to the four API areas.
query Usage {
  apiCounts(
    project: ${project}
    interval: DAILY
  ) {
    timestamp
    totalRestRequests
    totalStorageRequests
    totalAuthRequests
    totalRealtimeRequests
  }
}
`,
});

const logs = (project: string, tier: string): ExampleTab => ({
  query: `# Edge log entries, newest first.
# To read on, give the last timestamp
# as isoTimestampEnd.
query Logs {
  logs(
    project: ${project}
    projectTier: ${tier}
  ) {
    id
    timestamp
    eventMessage
    metadata
  }
}
`,
});

const endpoints: ExampleTab = {
  query: `# The saved queries of this server,
# with their parameters.
query Endpoints {
  endpoints {
    id
    name
    description
    cacheSeconds
    warmSeconds
    parameters {
      name
      type
      required
      allowed
    }
  }
}
`,
};

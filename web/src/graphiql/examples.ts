/** A tab with a document that runs on demo logs. */
interface ExampleTab {
  query: string;
}

/** One example for each field. */
export const exampleTabs: ExampleTab[] = [
  {
    query: `# Invocations, errors and execution
# times of a project's functions.
query Functions {
  invocationStats(
    project: "default"
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
  },
  {
    query: `# Requests to the four API areas.
query Usage {
  apiCounts(
    project: "default"
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
  },
  {
    query: `# Edge log entries, newest first.
# To read on, give the last timestamp
# as isoTimestampEnd.
query Logs {
  logs(
    project: "default"
    projectTier: FREE
  ) {
    id
    timestamp
    eventMessage
    metadata
  }
}
`,
  },
  {
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
  },
];

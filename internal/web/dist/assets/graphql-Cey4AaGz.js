var e=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},t=new e(`
    query LogSearch($project: String!, $tier: LogsSearchProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String, $limit: Int64) {
  rows: logsSearch(
    project: $project
    projectTier: $tier
    text: $text
    filters: $filters
    isoTimestampStart: $start
    isoTimestampEnd: $end
    beforeTimestamp: $beforeTimestamp
    beforeId: $beforeId
    limit: $limit
  ) {
    id
    eventId
    timestamp
    source
    eventMessage
    status
    method
    path
    level
    metadata
  }
}
    `),n=new e(`
    query LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time, $bucketSeconds: Int64) {
  rows: logsHistogram(
    project: $project
    projectTier: $tier
    text: $text
    filters: $filters
    isoTimestampStart: $start
    isoTimestampEnd: $end
    bucketSeconds: $bucketSeconds
  ) {
    timestamp
    count
    errors
    warnings
  }
}
    `),r=new e(`
    query LogFacets($project: String!, $tier: LogsFacetsProjectTier, $text: String, $filters: [String!], $start: Time, $end: Time) {
  rows: logsFacets(
    project: $project
    projectTier: $tier
    text: $text
    filters: $filters
    isoTimestampStart: $start
    isoTimestampEnd: $end
  ) {
    facet
    value
    count
  }
}
    `),i=new e(`
    query LogSources {
  endpoint(name: "logs.search") {
    parameters {
      name
      allowed
    }
  }
}
    `),a=new e(`
    query Logs($project: String!, $tier: ProjectTier!, $start: Time, $end: Time) {
  logs(
    project: $project
    projectTier: $tier
    isoTimestampStart: $start
    isoTimestampEnd: $end
  ) {
    id
    timestamp
    eventMessage
    metadata
  }
}
    `),o=new e(`
    subscription Tail($project: String, $source: String, $filter: String) {
  logsTail(project: $project, source: $source, filter: $filter) {
    events {
      id
      eventId
      timestamp
      source
      eventMessage
      metadata
    }
    dropped
  }
}
    `);export{a,i,n,o,t as r,r as t};
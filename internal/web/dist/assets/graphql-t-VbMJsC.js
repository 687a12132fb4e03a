var e=[`edge_logs`,`postgres_logs`,`function_edge_logs`,`function_logs`,`auth_logs`,`realtime_logs`,`storage_logs`,`postgrest_logs`,`pgbouncer_logs`];function t(t){return[{value:``,label:`All sources`},...(t===``||e.includes(t)?e:[t,...e]).map(e=>({value:e,label:e}))]}var n=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},r=new n(`
    query LogSearch($project: String!, $tier: LogsSearchProjectTier, $source: LogsSearchSource, $text: String, $status: String, $method: String, $path: String, $start: Time, $end: Time, $beforeTimestamp: Time, $beforeId: String) {
  rows: logsSearch(
    project: $project
    projectTier: $tier
    source: $source
    text: $text
    status: $status
    method: $method
    pathPrefix: $path
    isoTimestampStart: $start
    isoTimestampEnd: $end
    beforeTimestamp: $beforeTimestamp
    beforeId: $beforeId
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
    `),i=new n(`
    query LogHistogram($project: String!, $tier: LogsHistogramProjectTier, $source: LogsHistogramSource, $text: String, $status: String, $method: String, $path: String, $start: Time, $end: Time, $bucketSeconds: Int64) {
  rows: logsHistogram(
    project: $project
    projectTier: $tier
    source: $source
    text: $text
    status: $status
    method: $method
    pathPrefix: $path
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
    `),a=new n(`
    query LogFacets($project: String!, $tier: LogsFacetsProjectTier, $source: LogsFacetsSource, $text: String, $status: String, $method: String, $path: String, $start: Time, $end: Time) {
  rows: logsFacets(
    project: $project
    projectTier: $tier
    source: $source
    text: $text
    status: $status
    method: $method
    pathPrefix: $path
    isoTimestampStart: $start
    isoTimestampEnd: $end
  ) {
    facet
    value
    count
  }
}
    `),o=new n(`
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
    `);export{t as a,o as i,i as n,r,a as t};
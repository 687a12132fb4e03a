import{It as e,_t as t,at as n,lt as r,nt as i}from"./common-Ul-ua_b2.js";function a(a){let{client:s}=e(),{data:c}=r({key:`sources`,enabled:i(n(),`logs.search`),load:async e=>{let{data:n}=await s.query(t,{},e);return n.endpoint?.parameters.find(({name:e})=>e===`source`)?.allowed??[]}});return o(c??[],a)}function o(e,t){let n=e.filter(e=>/^[a-z][a-z0-9_]*$/.test(e));return[{value:``,label:`All sources`},...(t===``||n.includes(t)?n:[t,...n]).map(e=>({value:e,label:e}))]}var s=class extends String{__apiType;value;__meta__;constructor(e,t){super(e),this.value=e,this.__meta__=t}toString(){return this.value}},c=new s(`
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
    `),l=new s(`
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
    `),u=new s(`
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
    `),d=new s(`
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
    `);export{a,d as i,l as n,c as r,u as t};
import{t as e}from"./sql-CaX5DqEX.js";var t=e=>[`metadata`,...e].join(`.`),n={name:`googlesql`,label:`GoogleSQL`,key:``,prefix:`@`,members:t,example:e=>`SELECT
  TIMESTAMP_TRUNC(timestamp, MINUTE) AS minute,
  COUNT(*) AS events
FROM ${e}
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
GROUP BY minute
ORDER BY minute`},r={name:`duckdb`,label:`DuckDB`,key:`duckdb`,prefix:`$`,members:t,example:e=>`SELECT
  date_trunc('minute', timestamp) AS minute,
  count(*) AS events
FROM ${e}
WHERE timestamp > $now - INTERVAL 1 HOUR
GROUP BY ALL
ORDER BY minute`},i={name:`clickhouse`,label:`ClickHouse`,key:`clickhouse`,prefix:`{`,members:e=>e.length===0?`log_attributes`:`log_attributes['${e.join(`.`)}.…']`,example:e=>`SELECT
  toStartOfMinute(timestamp) AS minute,
  count() AS events
FROM logs
WHERE source = '${e}' AND timestamp > now() - INTERVAL 1 HOUR
GROUP BY minute
ORDER BY minute`},a=[n,i,r];function o(e,{prefix:t}){return t===`{`?`{${e}}`:t+e}function s(t,{name:n,prefix:r}){return e(t,n).flatMap(({kind:e,text:t})=>e===`parameter`&&t.startsWith(r)?[t.slice(1).replace(`}`,``)]:[])}function c(e,t){let n=s(e,t).map(e=>e.split(`:`,1)[0]??``);return[...new Set(n)].filter(e=>t.prefix===`@`||e!==`now`)}export{c as a,n as i,a as n,o,r,s,i as t};
import{t as e}from"./sql-C_f-1exI.js";var t={name:`googlesql`,label:`GoogleSQL`,key:``,prefix:`@`,example:e=>`SELECT
  TIMESTAMP_TRUNC(timestamp, MINUTE) AS minute,
  COUNT(*) AS events
FROM ${e}
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 1 HOUR)
GROUP BY minute
ORDER BY minute`},n={name:`duckdb`,label:`DuckDB`,key:`duckdb`,prefix:`$`,example:e=>`SELECT
  date_trunc('minute', timestamp) AS minute,
  count(*) AS events
FROM ${e}
WHERE timestamp > $now - INTERVAL 1 HOUR
GROUP BY ALL
ORDER BY minute`},r=[t,n];function i(t,{prefix:n}){let r=e(t).flatMap(({kind:e,text:t})=>e===`parameter`&&t.startsWith(n)?[t.slice(1)]:[]);return[...new Set(r)].filter(e=>n===`@`||e!==`now`)}export{i,n,t as r,r as t};
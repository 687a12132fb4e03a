SELECT
  query,
  interface,
  COUNT(*) AS runs,
  COUNTIF(code IS NOT NULL) AS errors,
  COUNTIF(cache = 'HIT') AS hits,
  MAX(duration_ms) AS slowest_ms
FROM savedq_runs
WHERE timestamp >= TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL 5 MINUTE)
GROUP BY query, interface
ORDER BY query, interface

-- Functions of a project with their invocations in a time range. An invocation is a record of
-- functions.invocation-stats (specification 2.2, D4). The bounds on the timestamp consist of
-- parameters only, so that only the partitions between them are read.
WITH
  functions AS (
    SELECT
      m.function_id,
      COUNT(*) AS invocations,
      COUNTIF(r.status_code >= 400) AS errors,
      -- The column may be INT64 or FLOAT64.
      APPROX_QUANTILES(CAST(m.execution_time_ms AS FLOAT64), 100) AS percentiles,
      MAX(t.timestamp) AS last_seen
    FROM function_edge_logs AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.response) AS r
    WHERE m.project_ref = @project
      AND t.timestamp > TIMESTAMP(@iso_timestamp_start)
      AND t.timestamp <= TIMESTAMP(@iso_timestamp_end)
    GROUP BY m.function_id
  )
SELECT
  function_id,
  invocations,
  errors,
  percentiles[OFFSET(95)] AS p95_execution_time,
  last_seen
FROM functions
ORDER BY invocations DESC, function_id IS NULL, function_id

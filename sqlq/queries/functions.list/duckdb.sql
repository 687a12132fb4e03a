-- Functions of a project with their invocations in a time range. An invocation is a record of
-- functions.invocation-stats (specification 2.2, D4).
SELECT
  function_id,
  count(*) AS invocations,
  count(*) FILTER (status_code >= 400) AS errors,
  quantile_disc(execution_time_ms, 0.95) AS p95_execution_time,
  max(timestamp) AS last_seen
FROM function_invocations
-- DuckDB skips rows with the keys of other projects.
WHERE project_key = md5_number_lower($project)
  AND project_ref = $project
  AND timestamp > $iso_timestamp_start::TIMESTAMP
  AND timestamp <= $iso_timestamp_end::TIMESTAMP
GROUP BY function_id
ORDER BY invocations DESC, function_id NULLS LAST

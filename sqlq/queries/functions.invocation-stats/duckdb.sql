-- Statistics on function invocations per bucket (specification 2.2, D2 to D5).
WITH
  -- Invocations are aggregated before the join with the series, so that each is
  -- read once.
  buckets AS (
    SELECT
      date_trunc(
        CASE $interval
          WHEN '5min' THEN 'second'
          WHEN '15min' THEN 'minute'
          WHEN '1hr' THEN 'minute'
          WHEN '7day' THEN 'day'
          ELSE 'hour'
        END,
        timestamp
      ) AS bucket,
      min(execution_time_ms) AS min_execution_time,
      max(execution_time_ms) AS max_execution_time,
      avg(execution_time_ms) AS avg_execution_time,
      quantile_disc(execution_time_ms, [0.95, 0.99]) AS percentiles,
      count(*) AS count,
      count(*) FILTER (status_code >= 400) AS error_count,
      -- Counts per status class are part of the query, but not of its rows (rule 6).
      count(*) FILTER (status_code BETWEEN 100 AND 199) AS informational_count,
      count(*) FILTER (status_code BETWEEN 200 AND 299) AS success_count,
      count(*) FILTER (status_code BETWEEN 300 AND 399) AS redirect_count,
      count(*) FILTER (status_code BETWEEN 400 AND 499) AS client_error_count,
      count(*) FILTER (status_code BETWEEN 500 AND 599) AS server_error_count
    FROM function_invocations
    -- DuckDB skips rows with the keys of other projects.
    WHERE project_key = md5_number_lower($project)
      AND project_ref = $project
      AND ($function_id IS NULL OR function_id = $function_id)
    GROUP BY bucket
  ),
  -- Every bucket from the first to the current, partial one (D2).
  series AS (
    FROM range(
      $from::TIMESTAMP,
      $to::TIMESTAMP,
      CASE $interval
        WHEN '5min' THEN INTERVAL 1 SECOND
        WHEN '15min' THEN INTERVAL 1 MINUTE
        WHEN '1hr' THEN INTERVAL 1 MINUTE
        WHEN '7day' THEN INTERVAL 1 DAY
        ELSE INTERVAL 1 HOUR
      END
    ) AS series(timestamp)
  )
SELECT
  series.timestamp,
  buckets.min_execution_time,
  buckets.max_execution_time,
  buckets.avg_execution_time,
  buckets.percentiles[1] AS p95_execution_time,
  buckets.percentiles[2] AS p99_execution_time,
  coalesce(buckets.count, 0) AS count,
  coalesce(buckets.error_count, 0) AS error_count
FROM series
LEFT JOIN buckets ON buckets.bucket = series.timestamp
ORDER BY series.timestamp

-- Statistics on function invocations per bucket (specification 2.2, D2 to D5).
WITH
  -- One row per (metadata, response) pair (D4).
  invocations AS (
    SELECT
      CASE @interval
        WHEN '5min' THEN TIMESTAMP_TRUNC(t.timestamp, SECOND)
        WHEN '15min' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
        WHEN '1hr' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
        WHEN '7day' THEN TIMESTAMP_TRUNC(t.timestamp, DAY)
        ELSE TIMESTAMP_TRUNC(t.timestamp, HOUR)
      END AS bucket,
      -- The column may be INT64 or FLOAT64.
      CAST(m.execution_time_ms AS FLOAT64) AS execution_time_ms,
      r.status_code
    FROM function_edge_logs AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.response) AS r
    WHERE m.project_ref = @project
      AND (COALESCE(@function_id, '') = '' OR m.function_id = @function_id)
  ),
  -- Invocations are aggregated before the join with the series, so that each is
  -- read once.
  buckets AS (
    SELECT
      bucket,
      MIN(execution_time_ms) AS min_execution_time,
      MAX(execution_time_ms) AS max_execution_time,
      AVG(execution_time_ms) AS avg_execution_time,
      APPROX_QUANTILES(execution_time_ms, 100) AS percentiles,
      COUNT(*) AS count,
      COUNTIF(status_code >= 400) AS error_count,
      -- Counts per status class are part of the query, but not of its rows (rule 6).
      COUNTIF(status_code BETWEEN 100 AND 199) AS informational_count,
      COUNTIF(status_code BETWEEN 200 AND 299) AS success_count,
      COUNTIF(status_code BETWEEN 300 AND 399) AS redirect_count,
      COUNTIF(status_code BETWEEN 400 AND 499) AS client_error_count,
      COUNTIF(status_code BETWEEN 500 AND 599) AS server_error_count
    FROM invocations
    GROUP BY bucket
  ),
  -- Every bucket from the first to the current, partial one (D2).
  series AS (
    SELECT timestamp
    FROM UNNEST(
      CASE @interval
        WHEN '5min' THEN GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 SECOND), INTERVAL 1 SECOND)
        WHEN '15min' THEN GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 MINUTE), INTERVAL 1 MINUTE)
        WHEN '1hr' THEN GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 MINUTE), INTERVAL 1 MINUTE)
        WHEN '7day' THEN GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 DAY), INTERVAL 1 DAY)
        ELSE GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 HOUR), INTERVAL 1 HOUR)
      END
    ) AS timestamp
  )
SELECT
  series.timestamp,
  buckets.min_execution_time,
  buckets.max_execution_time,
  buckets.avg_execution_time,
  buckets.percentiles[OFFSET(95)] AS p95_execution_time,
  buckets.percentiles[OFFSET(99)] AS p99_execution_time,
  COALESCE(buckets.count, 0) AS count,
  COALESCE(buckets.error_count, 0) AS error_count
FROM series
LEFT JOIN buckets ON buckets.bucket = series.timestamp
ORDER BY series.timestamp

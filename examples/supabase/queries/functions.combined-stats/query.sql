-- Requests to functions, and what functions logged, per bucket.
WITH
  requests AS (
    SELECT
      CASE @interval WHEN '1day' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR) ELSE TIMESTAMP_TRUNC(t.timestamp, MINUTE) END AS bucket,
      SAFE_CAST(r.status_code AS INT64) AS status_code,
      SAFE_CAST(m.execution_time_ms AS FLOAT64) AS execution_time
    FROM function_edge_logs AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    CROSS JOIN UNNEST(m.response) AS r
    WHERE m.project_ref = @project
      AND (@function_id IS NULL OR m.function_id = @function_id)
  ),
  request_counts AS (
    SELECT
      bucket,
      COUNT(*) AS requests_count,
      COUNTIF(status_code BETWEEN 200 AND 299) AS success_count,
      COUNTIF(status_code BETWEEN 300 AND 399) AS redirect_count,
      COUNTIF(status_code BETWEEN 400 AND 499) AS client_err_count,
      COUNTIF(status_code >= 500) AS server_err_count,
      AVG(execution_time) AS avg_execution_time,
      MAX(execution_time) AS max_execution_time
    FROM requests
    GROUP BY bucket
  ),
  log_entries AS (
    SELECT
      CASE @interval WHEN '1day' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR) ELSE TIMESTAMP_TRUNC(t.timestamp, MINUTE) END AS bucket,
      m.level
    FROM function_logs AS t
    CROSS JOIN UNNEST(t.metadata) AS m
    WHERE m.project_ref = @project
      AND (@function_id IS NULL OR m.function_id = @function_id)
  ),
  log_counts AS (
    SELECT
      bucket,
      COUNT(*) AS log_count,
      COUNTIF(level = 'info') AS log_info_count,
      COUNTIF(level IN ('warn', 'warning')) AS log_warn_count,
      COUNTIF(level = 'error') AS log_error_count
    FROM log_entries
    GROUP BY bucket
  ),
  -- Every bucket from the first to the current, partial one.
  series AS (
    SELECT timestamp
    FROM UNNEST(
      CASE @interval
        WHEN '1day' THEN GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 HOUR), INTERVAL 1 HOUR)
        ELSE GENERATE_TIMESTAMP_ARRAY(@from, TIMESTAMP_SUB(@to, INTERVAL 1 MINUTE), INTERVAL 1 MINUTE)
      END
    ) AS timestamp
  )
SELECT
  series.timestamp,
  COALESCE(request_counts.requests_count, 0) AS requests_count,
  COALESCE(request_counts.success_count, 0) AS success_count,
  COALESCE(request_counts.redirect_count, 0) AS redirect_count,
  COALESCE(request_counts.client_err_count, 0) AS client_err_count,
  COALESCE(request_counts.server_err_count, 0) AS server_err_count,
  request_counts.avg_execution_time,
  request_counts.max_execution_time,
  COALESCE(log_counts.log_count, 0) AS log_count,
  COALESCE(log_counts.log_info_count, 0) AS log_info_count,
  COALESCE(log_counts.log_warn_count, 0) AS log_warn_count,
  COALESCE(log_counts.log_error_count, 0) AS log_error_count
FROM series
LEFT JOIN request_counts ON request_counts.bucket = series.timestamp
LEFT JOIN log_counts ON log_counts.bucket = series.timestamp
ORDER BY series.timestamp

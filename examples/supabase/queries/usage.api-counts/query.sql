-- Requests to the four API areas per bucket.
WITH requests AS (
  SELECT
    CASE @interval
      WHEN 'minutely' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
      WHEN '1hr' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
      WHEN 'hourly' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR)
      WHEN '1day' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR)
      WHEN 'daily' THEN TIMESTAMP_TRUNC(t.timestamp, DAY)
      WHEN '7day' THEN TIMESTAMP_TRUNC(t.timestamp, DAY)
    END AS bucket,
    r.path
  FROM edge_logs AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  CROSS JOIN UNNEST(m.request) AS r
  -- Vector sends no URL, in which the shipped saved query looks for the project.
  WHERE t.project = @project
)
SELECT
  DATETIME(bucket) AS timestamp,
  COUNTIF(STRPOS(path, '/rest') > 0) AS total_rest_requests,
  COUNTIF(STRPOS(path, '/storage') > 0) AS total_storage_requests,
  COUNTIF(STRPOS(path, '/auth') > 0) AS total_auth_requests,
  COUNTIF(STRPOS(path, '/realtime') > 0) AS total_realtime_requests
FROM requests
GROUP BY bucket
ORDER BY bucket

-- Requests to the four API areas per bucket (specification 2.3, D4 and D6).
WITH requests AS (
  SELECT
    CASE @interval
      WHEN 'minutely' THEN TIMESTAMP_TRUNC(t.timestamp, MINUTE)
      WHEN 'hourly' THEN TIMESTAMP_TRUNC(t.timestamp, HOUR)
      WHEN 'daily' THEN TIMESTAMP_TRUNC(t.timestamp, DAY)
    END AS bucket,
    r.path
  FROM edge_logs AS t
  CROSS JOIN UNNEST(t.metadata) AS m
  CROSS JOIN UNNEST(m.request) AS r
  WHERE REGEXP_CONTAINS(r.url, @project)
)
SELECT
  DATETIME(bucket) AS timestamp,
  -- A path that contains several of the strings counts in each (rule 3).
  COUNTIF(STRPOS(path, '/rest') > 0) AS total_rest_requests,
  COUNTIF(STRPOS(path, '/storage') > 0) AS total_storage_requests,
  COUNTIF(STRPOS(path, '/auth') > 0) AS total_auth_requests,
  COUNTIF(STRPOS(path, '/realtime') > 0) AS total_realtime_requests
FROM requests
GROUP BY bucket
ORDER BY bucket

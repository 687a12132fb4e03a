-- Requests to the four API areas per bucket (specification 2.3, D4 and D6).
WITH requests AS (
  SELECT
    date_trunc(
      CASE $interval WHEN 'minutely' THEN 'minute' WHEN 'hourly' THEN 'hour' WHEN 'daily' THEN 'day' END,
      timestamp
    ) AS bucket,
    path
  FROM edge_requests
  WHERE regexp_matches(url, $project)
    -- At or after the start of the window, which is not truncated (rule 2).
    AND timestamp >= $from::TIMESTAMP
    AND timestamp < $to::TIMESTAMP
)
SELECT
  bucket AS timestamp,
  -- A path that contains several of the strings counts in each (rule 3).
  count(*) FILTER (contains(path, '/rest')) AS total_rest_requests,
  count(*) FILTER (contains(path, '/storage')) AS total_storage_requests,
  count(*) FILTER (contains(path, '/auth')) AS total_auth_requests,
  count(*) FILTER (contains(path, '/realtime')) AS total_realtime_requests
FROM requests
GROUP BY bucket
ORDER BY bucket

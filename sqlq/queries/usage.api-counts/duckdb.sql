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

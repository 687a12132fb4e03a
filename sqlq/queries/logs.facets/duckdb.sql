-- Values of source, status and method among the log entries that match the filters of
-- logs.search, with the number of entries that have each.
WITH
  entries AS (
    SELECT timestamp AS logged, source, event_message, metadata
    FROM all_logs
    WHERE (project = $project OR coalesce(list_contains(projects, $project), false))
      AND ($source IS NULL OR $source = source OR $source = source_alias)
      AND timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  -- The places of status, method and path in metadata, of which the first that is not
  -- null counts. A list or an object is null.
  -- Metadata is parsed once.
  found AS (
    SELECT
      *,
      json_value(metadata, [
        '$[0].response[0].status_code', '$[0].status',
        '$[0].request[0].method', '$[0].method',
        '$[0].request[0].path', '$[0].request[0].pathname', '$[0].path'
      ]) AS fields
    FROM entries
    WHERE $text IS NULL OR regexp_matches(event_message, '(?i)' || regexp_escape($text))
  ),
  fielded AS (
    SELECT
      logged,
      source,
      nullif(regexp_extract(coalesce(fields[1] ->> '$', fields[2] ->> '$'), '^([1-9][0-9]{2})(?:\.0+)?$', 1), '') AS status,
      coalesce(fields[3] ->> '$', fields[4] ->> '$') AS method,
      coalesce(fields[5] ->> '$', fields[6] ->> '$', fields[7] ->> '$') AS path
    FROM found
  ),
  pairs AS (
    SELECT
      unnest(['source', 'status', 'method']) AS facet,
      unnest([source, status, method]) AS value
    FROM fielded
    WHERE ($status IS NULL OR status = $status OR left(status, 1) || 'xx' = $status)
      AND ($method IS NULL OR method = $method)
      AND ($path_prefix IS NULL OR starts_with(path, $path_prefix))
  )
SELECT
  facet,
  value,
  count(*) AS count
FROM pairs
WHERE value IS NOT NULL
GROUP BY facet, value
ORDER BY count DESC, facet, value

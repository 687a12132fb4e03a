-- Log entries of a project from all log sources that match the filters, newest first. The
-- project of an entry is that of D23, and a source has both names of D22.
WITH
  entries AS (
    SELECT id, timestamp AS logged, source, event_message, metadata
    FROM all_logs
    WHERE (project = $project OR coalesce(list_contains(projects, $project), false))
      AND ($source IS NULL OR $source = source OR $source = source_alias)
      AND timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= least($iso_timestamp_end::TIMESTAMP, $before_timestamp::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  -- The places of status, method, path and level in metadata, of which the first that is not
  -- null counts. A list or an object is null.
  -- Metadata is parsed once.
  found AS (
    SELECT
      *,
      json_value(metadata, [
        '$[0].response[0].status_code', '$[0].status',
        '$[0].request[0].method', '$[0].method',
        '$[0].request[0].path', '$[0].request[0].pathname', '$[0].path',
        '$[0].level', '$[0].parsed[0].error_severity'
      ]) AS fields
    FROM entries
    WHERE $text IS NULL OR regexp_matches(event_message, '(?i)' || regexp_escape($text))
  ),
  fielded AS (
    SELECT
      source || ':' || id AS id,
      id AS event_id,
      logged,
      source,
      event_message,
      metadata,
      nullif(regexp_extract(coalesce(fields[1] ->> '$', fields[2] ->> '$'), '^([1-9][0-9]{2})(?:\.0+)?$', 1), '') AS status,
      coalesce(fields[3] ->> '$', fields[4] ->> '$') AS method,
      coalesce(fields[5] ->> '$', fields[6] ->> '$', fields[7] ->> '$') AS path,
      coalesce(fields[8] ->> '$', fields[9] ->> '$') AS level
    FROM found
  )
SELECT
  id,
  event_id,
  logged AS timestamp,
  source,
  event_message,
  status::BIGINT AS status,
  method,
  path,
  level,
  metadata
FROM fielded
WHERE ($status IS NULL OR status = $status OR left(status, 1) || 'xx' = $status)
  AND ($method IS NULL OR method = $method)
  AND ($path_prefix IS NULL OR starts_with(path, $path_prefix))
  -- Entries after the last one of the previous page. None is later than it.
  AND (
    $before_timestamp IS NULL
    OR logged < $before_timestamp::TIMESTAMP
    OR id < $before_id
  )
ORDER BY logged DESC, id DESC
LIMIT $limit

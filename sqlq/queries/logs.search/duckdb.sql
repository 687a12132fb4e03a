-- Log entries of a project from all log sources that match the filters, newest first. The
-- project of an entry follows D23, and a source has both names of D22.
WITH
  given AS (
    SELECT
      list_transform(filters, lambda f: {
        'field': split_part(f, ':', 1),
        'value': substr(f, strpos(f, ':') + 1),
        -- The value if it can be a number, a boolean or null, which JSON has without quotes.
        'bare': nullif(regexp_extract(f, '^[^:]*:([-+.0-9A-Za-z]+)$', 1), ''),
        -- What is before the value in metadata.
        'member': CASE WHEN split_part(f, ':', 1) LIKE '%.*' THEN '"' ELSE to_json(regexp_extract(f, '^[^:.]*[.]([^:]*)', 1))::VARCHAR END || ':'
      }) AS filters,
      list_sort(list_distinct([split_part(f, ':', 1) FOR f IN filters IF NOT starts_with(f, '-')])) AS required
    FROM (SELECT [f FOR f IN $filters IF ltrim(split_part(f, ':', 1), '-') <> 'message'] AS filters)
  ),
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
    WHERE ($text IS NULL OR regexp_matches(event_message, '(?i)' || regexp_escape($text)))
      -- The messages are one pattern of parameters, which is compiled once and not for each entry.
      AND (len([f FOR f IN $filters IF starts_with(f, 'message:')]) = 0
        OR regexp_matches(event_message, '(?i)' || array_to_string([regexp_escape(substr(f, 9)) FOR f IN $filters IF starts_with(f, 'message:')], '|')))
      AND (len([f FOR f IN $filters IF starts_with(f, '-message:')]) = 0 OR event_message IS NULL
        OR NOT regexp_matches(event_message, '(?i)' || array_to_string([regexp_escape(substr(f, 10)) FOR f IN $filters IF starts_with(f, '-message:')], '|')))
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
FROM fielded, given
WHERE ($status IS NULL OR status = $status OR left(status, 1) || 'xx' = $status)
  AND ($method IS NULL OR method = $method)
  AND ($path_prefix IS NULL OR starts_with(path, $path_prefix))
  -- Of the filters of one field, at least one holds; of the exclusions, none.
  AND (
    len(filters) = 0
    OR list_sort(list_distinct([
      f.field FOR f IN filters IF CASE ltrim(f.field, '-')
        WHEN 'source' THEN f.value = source
        WHEN 'status' THEN f.value IN (status, left(status, 1) || 'xx')
        WHEN 'method' THEN f.value = method
        WHEN 'path' THEN starts_with(path, f.value)
        WHEN 'level' THEN lower(f.value) = lower(level)
        WHEN 'id' THEN f.value IN (event_id, source || ':' || event_id)
        -- A member with that name, or any, at any depth.
        ELSE contains(metadata::VARCHAR, f.member || to_json(f.value)::VARCHAR)
          OR contains(metadata::VARCHAR, f.member || f.bare || ',')
          OR contains(metadata::VARCHAR, f.member || f.bare || '}')
      END
    ])) = required
  )
  -- Entries after the last one of the previous page. None is later than it.
  AND (
    $before_timestamp IS NULL
    OR logged < $before_timestamp::TIMESTAMP
    OR id < $before_id
  )
ORDER BY logged DESC, id DESC
LIMIT $limit

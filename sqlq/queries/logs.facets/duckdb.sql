-- Values of source, status, method and level among the log entries that match the filters of
-- logs.search, with the number of entries that have each.
WITH
  -- Entries of several projects have no key. In two parts, DuckDB skips rows of other projects when it reads them.
  of_project AS (
    FROM all_logs WHERE project_key = md5_number_lower($project) AND project = $project
    UNION ALL
    FROM all_logs_shared WHERE list_contains(projects, $project)
  ),
  -- The entries are grouped once, by all four. There are few groups.
  entries AS (
    SELECT source, status, method, level, count(*) AS count
    FROM of_project
    WHERE ($source IS NULL OR $source = source OR $source = source_alias)
      AND timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
      AND ($status IS NULL OR status = $status OR left(status, 1) || 'xx' = $status)
      AND ($method IS NULL OR method = $method)
      AND ($path_prefix IS NULL OR starts_with(path, $path_prefix))
      -- DuckDB applies the first condition before it reads the other columns. Where all letters are ASCII, it decides.
      AND ($text IS NULL OR strlen($text) <> length($text) OR strlen(event_message) <> length(event_message) OR contains(lower(event_message), lower($text)))
      AND ($text IS NULL OR regexp_matches(event_message, '(?i)' || regexp_escape($text)))
      AND (len($filters) = 0 OR (
        -- The messages are one pattern of parameters, which is compiled once and not for each entry.
        (len([f FOR f IN $filters IF starts_with(f, 'message:')]) = 0
          OR regexp_matches(event_message, '(?i)' || array_to_string([regexp_escape(substr(f, 9)) FOR f IN $filters IF starts_with(f, 'message:')], '|')))
        AND (len([f FOR f IN $filters IF starts_with(f, '-message:')]) = 0 OR event_message IS NULL
          OR NOT regexp_matches(event_message, '(?i)' || array_to_string([regexp_escape(substr(f, 10)) FOR f IN $filters IF starts_with(f, '-message:')], '|')))
        -- Of the other filters of one field, at least one holds; of the exclusions, none. What has only parameters is
        -- computed once.
        AND (
          len([f FOR f IN $filters IF ltrim(split_part(f, ':', 1), '-') <> 'message']) = 0
          OR list_sort(list_distinct([
            f.field FOR f IN list_transform([f FOR f IN $filters IF ltrim(split_part(f, ':', 1), '-') <> 'message'], lambda f: {
              'field': split_part(f, ':', 1),
              'value': substr(f, strpos(f, ':') + 1),
              -- The value if it can be a number, a boolean or null, which JSON has without quotes.
              'bare': nullif(regexp_extract(f, '^[^:]*:([-+.0-9A-Za-z]+)$', 1), ''),
              -- What is before the value in metadata.
              'member': CASE WHEN split_part(f, ':', 1) LIKE '%.*' THEN '"' ELSE to_json(regexp_extract(f, '^[^:.]*[.]([^:]*)', 1))::VARCHAR END || ':'
            }) IF CASE ltrim(f.field, '-')
              WHEN 'source' THEN f.value = source
              WHEN 'status' THEN f.value IN (status, left(status, 1) || 'xx')
              WHEN 'method' THEN f.value = method
              WHEN 'path' THEN starts_with(path, f.value)
              WHEN 'level' THEN lower(f.value) = lower(level)
              WHEN 'id' THEN f.value IN (id, source || ':' || id)
              -- A member with that name, or any, at any depth.
              ELSE contains(metadata::VARCHAR, f.member || to_json(f.value)::VARCHAR)
                OR contains(metadata::VARCHAR, f.member || f.bare || ',')
                OR contains(metadata::VARCHAR, f.member || f.bare || '}')
            END
          ])) = list_sort(list_distinct([split_part(f, ':', 1) FOR f IN $filters IF NOT starts_with(f, '-') AND split_part(f, ':', 1) <> 'message']))
        )
      ))
    GROUP BY source, status, method, level
  ),
  pairs AS (
    SELECT
      unnest(['source', 'status', 'method', 'level']) AS facet,
      unnest([source, status, method, lower(level)]) AS value,
      count
    FROM entries
  )
SELECT
  facet,
  value,
  sum(count)::BIGINT AS count
FROM pairs
WHERE value IS NOT NULL
GROUP BY facet, value
ORDER BY count DESC, facet, value

-- Projects with events in a time range, over all nine sources. The project of an event is that
-- of D23; metadata with several elements can name several projects, and each counts once.
WITH
  seen AS (
    SELECT project, timestamp
    FROM edge_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT project, timestamp
    FROM postgres_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT project, timestamp
    FROM auth_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT project, timestamp
    FROM postgrest_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT project, timestamp
    FROM pgbouncer_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT unnest(list_distinct(json_extract_string(metadata, '$[*].project_ref'))) AS project, timestamp
    FROM function_edge_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT unnest(list_distinct(json_extract_string(metadata, '$[*].project_ref'))) AS project, timestamp
    FROM function_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT unnest(list_distinct(json_extract_string(metadata, '$[*].project'))) AS project, timestamp
    FROM realtime_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
    UNION ALL
    SELECT unnest(list_distinct(json_extract_string(metadata, '$[*].project'))) AS project, timestamp
    FROM storage_logs
    WHERE timestamp > $iso_timestamp_start::TIMESTAMP
      AND timestamp <= $iso_timestamp_end::TIMESTAMP
  )
SELECT
  project,
  max(timestamp) AS last_seen,
  count(*) AS events
FROM seen
WHERE project <> ''
  AND (len($projects) = 0 OR list_contains($projects, project))
GROUP BY project
ORDER BY events DESC, project

-- Edge request log entries of a project, newest first (specification 2.4, D7).
--
-- Each of the nine sources is declared and filtered in the same way, by project,
-- time range and retention (rule 3), but only edge log entries are returned
-- (rules 1 and 2). DuckDB does not run the parts that the rows do not need.
WITH
  edge_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM edge_logs
    WHERE project = $project
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  postgres_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM postgres_logs
    WHERE project = $project
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  function_edge_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM function_edge_logs
    WHERE list_contains(json_extract_string(metadata, '$[*].project_ref'), $project)
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  function_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM function_logs
    WHERE list_contains(json_extract_string(metadata, '$[*].project_ref'), $project)
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  auth_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM auth_logs
    WHERE project = $project
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  realtime_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM realtime_logs
    WHERE list_contains(json_extract_string(metadata, '$[*].project'), $project)
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  storage_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM storage_logs
    WHERE list_contains(json_extract_string(metadata, '$[*].project'), $project)
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  postgrest_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM postgrest_logs
    WHERE project = $project
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  ),
  pgbouncer_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM pgbouncer_logs
    WHERE project = $project
      AND timestamp > coalesce($iso_timestamp_start::TIMESTAMP, '-infinity'::TIMESTAMP)
      AND timestamp <= coalesce($iso_timestamp_end::TIMESTAMP, 'infinity'::TIMESTAMP)
      AND timestamp > $now::TIMESTAMP - CASE $project_tier
        WHEN 'PRO' THEN INTERVAL 7 DAY
        WHEN 'PAYG' THEN INTERVAL 90 DAY
        WHEN 'ENTERPRISE' THEN INTERVAL 90 DAY
        ELSE INTERVAL 1 DAY
      END
  )
SELECT id, timestamp, event_message, metadata
FROM edge_log_entries
ORDER BY timestamp DESC, id
LIMIT 100

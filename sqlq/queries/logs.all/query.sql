-- Edge request log entries of a project, newest first (specification 2.4, D7).
--
-- Each of the nine sources is declared and filtered in the same way, by project,
-- time range and retention (rule 3), but only edge log entries are returned
-- (rules 1 and 2). BigQuery does not read the parts that the rows do not need.
-- The bounds on the timestamp consist of parameters only, so that only the
-- partitions between them are read. An absent bound is replaced by the first or
-- the last possible TIMESTAMP.
WITH
  edge_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM edge_logs
    WHERE project = @project
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  postgres_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM postgres_logs
    WHERE project = @project
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  function_edge_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM function_edge_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @project)
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  function_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM function_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @project)
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  auth_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM auth_logs
    WHERE project = @project
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  realtime_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM realtime_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @project)
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  storage_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM storage_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @project)
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  postgrest_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM postgrest_logs
    WHERE project = @project
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  pgbouncer_log_entries AS (
    SELECT id, timestamp, event_message, metadata
    FROM pgbouncer_logs
    WHERE project = @project
      AND timestamp > COALESCE(TIMESTAMP(@iso_timestamp_start), TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(TIMESTAMP(@iso_timestamp_end), TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  )
SELECT id, timestamp, event_message, metadata
FROM edge_log_entries
ORDER BY timestamp DESC, id
LIMIT 100

-- The log tables of a self-hosted Supabase, which the SQL of Studio selects from.
--
-- Each WITH name is a table for callers. Those that share their name with a log source hide it. All have
-- the same bounds: the project, the time range, and the retention of the project's tier. identifier is
-- the name of a database in Studio's filters, of which there is one here.
WITH
  edge_logs AS (
    SELECT id, timestamp, event_message, metadata, project AS identifier
    FROM edge_logs
    WHERE project = @project
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  postgres_logs AS (
    SELECT id, timestamp, event_message, metadata, project AS identifier
    FROM postgres_logs
    WHERE project = @project
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  function_edge_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM function_edge_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @project)
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  function_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM function_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @project)
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  auth_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM auth_logs
    WHERE project = @project
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  realtime_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM realtime_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @project)
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  storage_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM storage_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @project)
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  postgrest_logs AS (
    SELECT id, timestamp, event_message, metadata, project AS identifier
    FROM postgrest_logs
    WHERE project = @project
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  pgbouncer_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM pgbouncer_logs
    WHERE project = @project
      AND timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
      AND timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
      AND timestamp > TIMESTAMP_SUB(@now, INTERVAL CASE @project_tier WHEN 'FREE' THEN 1 WHEN 'PRO' THEN 7 ELSE 90 END DAY)
  ),
  -- pg_cron writes to the log of Postgres.
  pg_cron_logs AS (
    SELECT id, timestamp, event_message, metadata
    FROM postgres_logs
    WHERE STRPOS(event_message, 'cron job') > 0
      OR EXISTS (
        SELECT 1
        FROM UNNEST(metadata) AS m
        CROSS JOIN UNNEST(m.parsed) AS parsed
        WHERE parsed.application_name = 'pg_cron'
      )
  ),
  -- Nothing sends these logs to a self-hosted Supabase.
  auth_audit_logs AS (SELECT id, timestamp, event_message, metadata FROM auth_logs WHERE FALSE),
  supavisor_logs AS (SELECT id, timestamp, event_message, metadata FROM postgres_logs WHERE FALSE),
  pg_upgrade_logs AS (SELECT id, timestamp, event_message, metadata FROM postgres_logs WHERE FALSE),
  etl_replication_logs AS (
    SELECT id, timestamp, event_message, metadata, m.pipeline_id
    FROM postgres_logs
    CROSS JOIN UNNEST(metadata) AS m
    WHERE FALSE
  ),
  multigres_logs AS (SELECT id, timestamp, event_message, metadata FROM postgres_logs WHERE FALSE)
SELECT id, timestamp, event_message, metadata
FROM edge_logs
ORDER BY timestamp DESC, id
LIMIT 100

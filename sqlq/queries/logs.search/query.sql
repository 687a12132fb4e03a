-- Log entries of a project from all nine sources that match the filters, newest first. The
-- project of an entry follows D23, and a source has both names of D22.
-- The bounds on the timestamp consist of parameters only, so that only the partitions between
-- them are read.
WITH
  entries AS (
    SELECT id, timestamp AS logged, 'edge_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM edge_logs
    WHERE project = @project
      AND (COALESCE(@source, '') = '' OR @source IN ('edge_logs', 'cloudflare.logs.prod'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'postgres_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM postgres_logs
    WHERE project = @project
      AND (COALESCE(@source, '') = '' OR @source IN ('postgres_logs', 'postgres.logs'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'function_edge_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM function_edge_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @project)
      AND (COALESCE(@source, '') = '' OR @source IN ('function_edge_logs', 'deno-relay-logs'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'function_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM function_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project_ref = @project)
      AND (COALESCE(@source, '') = '' OR @source IN ('function_logs', 'deno-subhosting-events'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'auth_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM auth_logs
    WHERE project = @project
      AND (COALESCE(@source, '') = '' OR @source IN ('auth_logs', 'gotrue.logs.prod'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'realtime_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM realtime_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @project)
      AND (COALESCE(@source, '') = '' OR @source IN ('realtime_logs', 'realtime.logs.prod'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'storage_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM storage_logs
    WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.project = @project)
      AND (COALESCE(@source, '') = '' OR @source IN ('storage_logs', 'storage.logs.prod.2'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'postgrest_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM postgrest_logs
    WHERE project = @project
      AND (COALESCE(@source, '') = '' OR @source IN ('postgrest_logs', 'postgREST.logs.prod'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
    UNION ALL
    SELECT id, timestamp AS logged, 'pgbouncer_logs' AS source, event_message, TO_JSON(metadata) AS metadata
    FROM pgbouncer_logs
    WHERE project = @project
      AND (COALESCE(@source, '') = '' OR @source IN ('pgbouncer_logs', 'pgbouncer.logs.prod'))
      AND timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= LEAST(TIMESTAMP(@iso_timestamp_end), COALESCE(TIMESTAMP(@before_timestamp), TIMESTAMP(@iso_timestamp_end)))
      AND timestamp > CASE @project_tier
        WHEN 'PRO' THEN TIMESTAMP_SUB(@now, INTERVAL 7 DAY)
        WHEN 'PAYG' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        WHEN 'ENTERPRISE' THEN TIMESTAMP_SUB(@now, INTERVAL 90 DAY)
        ELSE TIMESTAMP_SUB(@now, INTERVAL 1 DAY)
      END
  ),
  -- The places of status, method, path and level in metadata, of which the first that is not
  -- null counts. A list or an object is null.
  -- JSON lets tables lack any of them.
  fielded AS (
    SELECT
      source || ':' || id AS id,
      id AS event_id,
      logged,
      source,
      event_message,
      metadata,
      REGEXP_EXTRACT(
        COALESCE(JSON_VALUE(metadata, '$[0].response[0].status_code'), JSON_VALUE(metadata, '$[0].status')),
        r'^([1-9][0-9]{2})(?:\.0+)?$'
      ) AS status,
      COALESCE(JSON_VALUE(metadata, '$[0].request[0].method'), JSON_VALUE(metadata, '$[0].method')) AS method,
      COALESCE(
        JSON_VALUE(metadata, '$[0].request[0].path'),
        JSON_VALUE(metadata, '$[0].request[0].pathname'),
        JSON_VALUE(metadata, '$[0].path')
      ) AS path,
      COALESCE(JSON_VALUE(metadata, '$[0].level'), JSON_VALUE(metadata, '$[0].parsed[0].error_severity')) AS level
    FROM entries
    WHERE COALESCE(@text, '') = '' OR REGEXP_CONTAINS(event_message, r'(?i)\Q' || REPLACE(@text, r'\E', r'\E\\E\Q') || r'\E')
  )
SELECT
  id,
  event_id,
  logged AS timestamp,
  source,
  event_message,
  CAST(status AS INT64) AS status,
  method,
  path,
  level,
  metadata
FROM fielded
WHERE (COALESCE(@status, '') = '' OR status = @status OR LEFT(status, 1) || 'xx' = @status)
  AND (COALESCE(@method, '') = '' OR method = @method)
  AND (COALESCE(@path_prefix, '') = '' OR STARTS_WITH(path, @path_prefix))
  -- Of the filters of one field, at least one holds; of the exclusions, none.
  AND NOT EXISTS (
    SELECT field
    FROM (
      SELECT
        REGEXP_EXTRACT(filter, r'^[^:]*') AS field,
        REGEXP_EXTRACT(filter, r'(?s)^[^:]*:(.*)$') AS value
      FROM UNNEST(@filters) AS filter
    )
    GROUP BY field
    HAVING STARTS_WITH(field, '-') = LOGICAL_OR(COALESCE(
      CASE LTRIM(field, '-')
        WHEN 'source' THEN value = source
        WHEN 'status' THEN value IN (status, LEFT(status, 1) || 'xx')
        WHEN 'method' THEN value = method
        WHEN 'path' THEN STARTS_WITH(path, value)
        WHEN 'level' THEN LOWER(value) = LOWER(level)
        WHEN 'id' THEN value IN (event_id, source || ':' || event_id)
        WHEN 'message' THEN REGEXP_CONTAINS(event_message, r'(?i)\Q' || REPLACE(value, r'\E', r'\E\\E\Q') || r'\E')
        -- A member with that name, or any, at any depth.
        ELSE REGEXP_CONTAINS(
          TO_JSON_STRING(metadata),
          IF(field LIKE '%.*', '"', r'\Q' || TO_JSON_STRING(REGEXP_EXTRACT(field, r'\.(.*)$')) || r'\E')
            || r':(\Q' || TO_JSON_STRING(value) || r'\E'
            -- JSON has numbers, booleans and null without quotes.
            || IF(REGEXP_CONTAINS(value, r'^[-+.0-9A-Za-z]+$'), r'|\Q' || value || r'\E[,}]', '')
            || ')'
        )
      END,
      FALSE
    ))
  )
  -- Entries after the last one of the previous page. None is later than it.
  AND (
    TIMESTAMP(@before_timestamp) IS NULL
    OR logged < TIMESTAMP(@before_timestamp)
    OR id < @before_id
  )
ORDER BY logged DESC, id DESC
LIMIT @limit

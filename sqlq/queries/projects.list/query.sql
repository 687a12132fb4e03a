-- Projects with events in a time range, over all nine sources. The project of an event is that
-- of D23; metadata with several elements can name several projects, and each counts once. The
-- bounds on the timestamp consist of parameters only, so that only the partitions between them
-- are read.
WITH
  seen AS (
    SELECT project, timestamp
    FROM edge_logs
    WHERE timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, timestamp
    FROM postgres_logs
    WHERE timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, timestamp
    FROM auth_logs
    WHERE timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, timestamp
    FROM postgrest_logs
    WHERE timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, timestamp
    FROM pgbouncer_logs
    WHERE timestamp > TIMESTAMP(@iso_timestamp_start)
      AND timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, t.timestamp
    FROM function_edge_logs AS t
    CROSS JOIN UNNEST(ARRAY(SELECT DISTINCT m.project_ref FROM UNNEST(t.metadata) AS m WHERE m.project_ref <> '')) AS project
    WHERE t.timestamp > TIMESTAMP(@iso_timestamp_start)
      AND t.timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, t.timestamp
    FROM function_logs AS t
    CROSS JOIN UNNEST(ARRAY(SELECT DISTINCT m.project_ref FROM UNNEST(t.metadata) AS m WHERE m.project_ref <> '')) AS project
    WHERE t.timestamp > TIMESTAMP(@iso_timestamp_start)
      AND t.timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, t.timestamp
    FROM realtime_logs AS t
    CROSS JOIN UNNEST(ARRAY(SELECT DISTINCT m.project FROM UNNEST(t.metadata) AS m WHERE m.project <> '')) AS project
    WHERE t.timestamp > TIMESTAMP(@iso_timestamp_start)
      AND t.timestamp <= TIMESTAMP(@iso_timestamp_end)
    UNION ALL
    SELECT project, t.timestamp
    FROM storage_logs AS t
    CROSS JOIN UNNEST(ARRAY(SELECT DISTINCT m.project FROM UNNEST(t.metadata) AS m WHERE m.project <> '')) AS project
    WHERE t.timestamp > TIMESTAMP(@iso_timestamp_start)
      AND t.timestamp <= TIMESTAMP(@iso_timestamp_end)
  )
SELECT
  project,
  MAX(timestamp) AS last_seen,
  COUNT(*) AS events
FROM seen
WHERE project <> ''
  AND (ARRAY_LENGTH(@projects) = 0 OR project IN UNNEST(@projects))
GROUP BY project
ORDER BY events DESC, project

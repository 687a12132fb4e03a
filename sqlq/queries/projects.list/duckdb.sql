-- Projects with events in a time range, over all log sources. The project of an event is that
-- of D23; metadata with several elements can name several projects, and each counts once.
WITH
  seen AS (
    SELECT unnest(coalesce(list_distinct(projects), [project])) AS project, timestamp
    FROM all_logs
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

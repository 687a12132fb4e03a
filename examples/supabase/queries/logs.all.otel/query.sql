-- What a caller without SQL gets. SQL of callers reads the table logs, with the rows of the project and the times.
SELECT id, DATETIME(timestamp) AS timestamp, event_message
FROM edge_logs
WHERE project = @project
  AND edge_logs.timestamp > COALESCE(@iso_timestamp_start, TIMESTAMP '0001-01-01 00:00:00+00')
  AND edge_logs.timestamp <= COALESCE(@iso_timestamp_end, TIMESTAMP '9999-12-31 23:59:59.999999+00')
ORDER BY edge_logs.timestamp DESC, id
LIMIT 100

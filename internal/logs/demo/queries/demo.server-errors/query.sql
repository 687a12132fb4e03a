SELECT
  COUNT(response.status_code) AS requests,
  COUNTIF(response.status_code >= 500) AS failed,
  100 * SAFE_DIVIDE(COUNTIF(response.status_code >= 500), COUNT(response.status_code)) AS percent
FROM edge_logs
CROSS JOIN UNNEST(metadata) AS m
CROSS JOIN UNNEST(m.response) AS response
WHERE project = @project AND timestamp > @since

-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response

order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (response.status_code between 500 and 599)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (response.status_code between 500 and 599)
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (response.status_code between 200 and 299)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (response.status_code between 200 and 299)
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (response.status_code between 400 and 499)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (response.status_code between 400 and 499)
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (request.path like '/rest/%' or request.path like '/graphql/%')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (request.path like '/rest/%' or request.path like '/graphql/%')
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (request.path like '/storage/%')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (request.path like '/storage/%')
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (request.method = 'GET')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (request.method = 'GET')
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (request.method != 'GET')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (request.method != 'GET')
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (request.method = 'OPTIONS')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (request.method = 'OPTIONS')
;
-- edge: the list of a page
select id, edge_logs.timestamp, event_message, request.method, request.path, request.search, response.status_code
from edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
where (NOT (response.status_code >= 500) AND request.search IS NOT NULL)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM edge_logs cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response where (NOT (response.status_code >= 500) AND request.search IS NOT NULL)
;
SELECT
-- edge: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
FROM
  edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- edge: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
FROM
  edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- edge: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
FROM
  edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
  cross join unnest(m.response) as response
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from edge_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from edge_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
-- postgres: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed

order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
;
-- postgres: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
where (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC'))
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed where (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC'))
;
-- postgres: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
where (parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC'))
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed where (parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC'))
;
-- postgres: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
where (parsed.error_severity = 'LOG')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed where (parsed.error_severity = 'LOG')
;
-- postgres: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
where (parsed.detail is null)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed where (parsed.detail is null)
;
-- postgres: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.detail, parsed.hint
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
where (parsed.detail is not null and parsed.detail like '%key%')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed where (parsed.detail is not null and parsed.detail like '%key%')
;
SELECT
-- postgres: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') OR parsed.error_severity IN ('WARNING')) THEN 1 END) as ok_count,
  count(CASE WHEN parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') THEN 1 END) as error_count,
  count(CASE WHEN parsed.error_severity IN ('WARNING') THEN 1 END) as warning_count,
FROM
  postgres_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- postgres: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') OR parsed.error_severity IN ('WARNING')) THEN 1 END) as ok_count,
  count(CASE WHEN parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') THEN 1 END) as error_count,
  count(CASE WHEN parsed.error_severity IN ('WARNING') THEN 1 END) as warning_count,
FROM
  postgres_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- postgres: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') OR parsed.error_severity IN ('WARNING')) THEN 1 END) as ok_count,
  count(CASE WHEN parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') THEN 1 END) as error_count,
  count(CASE WHEN parsed.error_severity IN ('WARNING') THEN 1 END) as warning_count,
FROM
  postgres_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from postgres_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from postgres_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
-- pg_cron: the list of a page
select id, postgres_logs.timestamp, event_message, parsed.error_severity, parsed.query
from postgres_logs
cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
where (parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM postgres_logs cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed where (parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%')
;
SELECT
-- pg_cron: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') OR parsed.error_severity IN ('WARNING')) THEN 1 END) as ok_count,
  count(CASE WHEN parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') THEN 1 END) as error_count,
  count(CASE WHEN parsed.error_severity IN ('WARNING') THEN 1 END) as warning_count,
FROM
  postgres_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
  where (parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%') and (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- pg_cron: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') OR parsed.error_severity IN ('WARNING')) THEN 1 END) as ok_count,
  count(CASE WHEN parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') THEN 1 END) as error_count,
  count(CASE WHEN parsed.error_severity IN ('WARNING') THEN 1 END) as warning_count,
FROM
  postgres_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
  where (parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%') and (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- pg_cron: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') OR parsed.error_severity IN ('WARNING')) THEN 1 END) as ok_count,
  count(CASE WHEN parsed.error_severity in ('ERROR', 'FATAL', 'PANIC') THEN 1 END) as error_count,
  count(CASE WHEN parsed.error_severity IN ('WARNING') THEN 1 END) as warning_count,
FROM
  postgres_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.parsed) as parsed
  where (parsed.application_name = 'pg_cron' or event_message::text LIKE '%cron job%') and (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from postgres_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from postgres_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
-- functions: the list of a page
select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level
from function_logs
cross join unnest(metadata) as metadata

order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_logs cross join unnest(metadata) as metadata
;
-- functions: the list of a page
select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level
from function_logs
cross join unnest(metadata) as metadata
where (metadata.level = 'error')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_logs cross join unnest(metadata) as metadata where (metadata.level = 'error')
;
-- functions: the list of a page
select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level
from function_logs
cross join unnest(metadata) as metadata
where (metadata.level != 'error')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_logs cross join unnest(metadata) as metadata where (metadata.level != 'error')
;
-- functions: the list of a page
select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level
from function_logs
cross join unnest(metadata) as metadata
where (metadata.level = 'log')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_logs cross join unnest(metadata) as metadata where (metadata.level = 'log')
;
-- functions: the list of a page
select id, function_logs.timestamp, event_message, metadata.event_type, metadata.function_id, metadata.execution_id, metadata.level
from function_logs
cross join unnest(metadata) as metadata
where (metadata.level NOT LIKE 'e%')
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_logs cross join unnest(metadata) as metadata where (metadata.level NOT LIKE 'e%')
;
SELECT
-- functions: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (metadata.level IN ('error', 'fatal') OR metadata.level IN ('warning')) THEN 1 END) as ok_count,
  count(CASE WHEN metadata.level IN ('error', 'fatal') THEN 1 END) as error_count,
  count(CASE WHEN metadata.level IN ('warning') THEN 1 END) as warning_count,
FROM
  function_logs t
  cross join unnest(metadata) as metadata
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- functions: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (metadata.level IN ('error', 'fatal') OR metadata.level IN ('warning')) THEN 1 END) as ok_count,
  count(CASE WHEN metadata.level IN ('error', 'fatal') THEN 1 END) as error_count,
  count(CASE WHEN metadata.level IN ('warning') THEN 1 END) as warning_count,
FROM
  function_logs t
  cross join unnest(metadata) as metadata
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- functions: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (metadata.level IN ('error', 'fatal') OR metadata.level IN ('warning')) THEN 1 END) as ok_count,
  count(CASE WHEN metadata.level IN ('error', 'fatal') THEN 1 END) as error_count,
  count(CASE WHEN metadata.level IN ('warning') THEN 1 END) as warning_count,
FROM
  function_logs t
  cross join unnest(metadata) as metadata
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from function_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from function_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata

order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500)
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499)
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (NOT (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500) AND NOT (IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499))
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (NOT (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500) AND NOT (IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499))
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (cast(metadata.status as int64) between 500 and 599)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (cast(metadata.status as int64) between 500 and 599)
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (cast(metadata.status as int64) between 200 and 299)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (cast(metadata.status as int64) between 200 and 299)
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (REGEXP_CONTAINS(metadata.path, "/admin"))
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (REGEXP_CONTAINS(metadata.path, "/admin"))
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (REGEXP_CONTAINS(metadata.path, "/token|/authorize|/callback|/otp|/magiclink"))
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (REGEXP_CONTAINS(metadata.path, "/token|/authorize|/callback|/otp|/magiclink"))
;
-- auth: the list of a page
select id, auth_logs.timestamp, event_message, metadata.level, metadata.status, metadata.path, metadata.msg as msg, metadata.error
from auth_logs
cross join unnest(metadata) as metadata
where (NOT REGEXP_CONTAINS(metadata.path, "/user"))
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM auth_logs cross join unnest(metadata) as metadata where (NOT REGEXP_CONTAINS(metadata.path, "/user"))
;
SELECT
-- auth: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500 OR IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499) THEN 1 END) as ok_count,
  count(CASE WHEN IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500 THEN 1 END) as error_count,
  count(CASE WHEN IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499 THEN 1 END) as warning_count,
FROM
  auth_logs t
  cross join unnest(metadata) as metadata
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- auth: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500 OR IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499) THEN 1 END) as ok_count,
  count(CASE WHEN IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500 THEN 1 END) as error_count,
  count(CASE WHEN IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499 THEN 1 END) as warning_count,
FROM
  auth_logs t
  cross join unnest(metadata) as metadata
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- auth: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500 OR IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499) THEN 1 END) as ok_count,
  count(CASE WHEN IFNULL(metadata.level, '') IN ('error', 'fatal') OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) >= 500 THEN 1 END) as error_count,
  count(CASE WHEN IFNULL(metadata.level, '') = 'warning' OR IFNULL(SAFE_CAST(metadata.status AS INT64), 0) BETWEEN 400 AND 499 THEN 1 END) as warning_count,
FROM
  auth_logs t
  cross join unnest(metadata) as metadata
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from auth_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from auth_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
-- invocations: the list of a page
select id, function_edge_logs.timestamp, event_message, response.status_code, request.method, request.pathname, m.function_id, m.execution_id, m.execution_time_ms, m.deployment_id, m.version
from function_edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request

order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_edge_logs cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
;
-- invocations: the list of a page
select id, function_edge_logs.timestamp, event_message, response.status_code, request.method, request.pathname, m.function_id, m.execution_id, m.execution_time_ms, m.deployment_id, m.version
from function_edge_logs
cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
where (response.status_code between 200 and 299)
order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM function_edge_logs cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request where (response.status_code between 200 and 299)
;
SELECT
-- invocations: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
FROM
  function_edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- invocations: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
FROM
  function_edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- invocations: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (response.status_code >= 500 OR response.status_code >= 400 AND response.status_code < 500) THEN 1 END) as ok_count,
  count(CASE WHEN response.status_code >= 500 THEN 1 END) as error_count,
  count(CASE WHEN response.status_code >= 400 AND response.status_code < 500 THEN 1 END) as warning_count,
FROM
  function_edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.response) as response
  cross join unnest(m.request) as request
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from function_edge_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from function_edge_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
-- realtime: the list of a page
select id, realtime_logs.timestamp, event_message
from realtime_logs


order by timestamp desc, id
limit 100
;
SELECT count(*) as count FROM realtime_logs
;
SELECT
-- realtime: the chart of a page
  timestamp_trunc(t.timestamp, minute) as timestamp,
  count(CASE WHEN NOT (false OR false) THEN 1 END) as ok_count,
  count(CASE WHEN false THEN 1 END) as error_count,
  count(CASE WHEN false THEN 1 END) as warning_count,
FROM
  realtime_logs t
  
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- realtime: the chart of a page
  timestamp_trunc(t.timestamp, hour) as timestamp,
  count(CASE WHEN NOT (false OR false) THEN 1 END) as ok_count,
  count(CASE WHEN false THEN 1 END) as error_count,
  count(CASE WHEN false THEN 1 END) as warning_count,
FROM
  realtime_logs t
  
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
SELECT
-- realtime: the chart of a page
  timestamp_trunc(t.timestamp, day) as timestamp,
  count(CASE WHEN NOT (false OR false) THEN 1 END) as ok_count,
  count(CASE WHEN false THEN 1 END) as error_count,
  count(CASE WHEN false THEN 1 END) as warning_count,
FROM
  realtime_logs t
  
  where (t.timestamp > '2026-11-19T00:00:00Z')
GROUP BY
timestamp
ORDER BY
  timestamp ASC
;
select id, timestamp, event_message from realtime_logs where id = 'e3' limit 1
;
select id, timestamp, event_message from realtime_logs where regexp_contains(event_message, 'no (such|thing) \\d+|GET') order by id
;
select p.error_severity, count(*) as count
from postgres_logs
  left join unnest(metadata) as m on true
  left join unnest(m.parsed) as p on true
where
  regexp_contains(event_message, 'LOG|ERROR|no')
group by
  p.error_severity
order by count desc, cast(p.error_severity as string)
;
select cast(timestamp_trunc(t.timestamp, day) as datetime) as timestamp, count(t.id) as count
from edge_logs t
  cross join unnest(metadata) as m
  cross join unnest(m.request) as request
where request.path = '/graphql/v1'
group by timestamp
order by timestamp asc
;
select
  r.path as path,
  r.search as params,
  count(timestamp) as c,
from edge_logs
  cross join unnest(metadata) as m
  cross join unnest(m.request) as r
group by
  path,
  params
order by
  c desc, cast(r.path as string), cast(r.search as string)
limit 5
;
select event_message from edge_logs cross join unnest(metadata) as m cross join unnest(m.request) as r where r.path like '%storage/v1%' order by id
;
select r.path from edge_logs f cross join unnest(f.metadata) as m cross join unnest(m.request) as r where starts_with(r.path, '/storage/v1/object') and r.method = 'GET' -- a comment
;
select ifnull(safe_cast(metadata.status as int64), 0) as status, count(*) as n from auth_logs cross join unnest(metadata) as metadata group by status order by n desc, status limit 3
;
select count(*) as n from edge_logs left join unnest(metadata) as m on true left join unnest(m.request) as r on true left join unnest(r.cf) as cf on true where cf.country is null
;
select t.event_message from auth_logs as t where regexp_contains(event_message, "level.{3}(error|fatal)") order by id limit 100
;
WITH unified AS (
    select id, null as source_id, el.timestamp as timestamp, 'edge' as log_type, CAST(response.status_code AS STRING) as status, CASE WHEN response.status_code >= 500 THEN 'error' ELSE 'success' END as level, null as event_message from edge_logs as el cross join unnest(metadata) as m cross join unnest(m.response) as response
 union all
    select id, null as source_id, pgl.timestamp as timestamp, 'postgres' as log_type, null as status, CASE WHEN parsed.error_severity = 'FATAL' THEN 'error' ELSE null END as level, event_message as event_message from postgres_logs as pgl cross join unnest(pgl.metadata) as m cross join unnest(m.parsed) as parsed
)
SELECT log_type, status, event_message FROM unified WHERE `level` IN ('error') ORDER BY log_type, id LIMIT 50
;
select countif(response.status_code >= 500) as failed, avg(m.execution_time_ms) as took, max(m.execution_time_ms) as most from function_edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response
;
WITH unified_logs AS (
  select id, null as source_id, t.timestamp as timestamp, 'edge' as log_type, event_message from edge_logs as t
  union all
  select id, null as source_id, t.timestamp as timestamp, 'auth' as log_type, event_message from auth_logs as t cross join unnest(metadata) as metadata
)
SELECT id, source_id, timestamp, log_type, event_message FROM unified_logs WHERE `log_type` IN ('auth') AND LOWER(event_message) LIKE LOWER('%LEVEL%') ORDER BY timestamp DESC, id DESC LIMIT 50
;
SELECT request.method, COUNT(*) AS n, COUNTIF(response.status_code >= 400) AS failed, ROUND(SAFE_DIVIDE(COUNTIF(response.status_code >= 400), COUNT(*)), 3) AS share
FROM edge_logs AS t
CROSS JOIN UNNEST(metadata) AS m
CROSS JOIN UNNEST(m.request) AS request
CROSS JOIN UNNEST(m.response) AS response
GROUP BY request.method
HAVING COUNT(*) > 1
ORDER BY n DESC, CAST(request.method AS STRING)
;
SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, APPROX_COUNT_DISTINCT(request.path) AS paths, COUNT(DISTINCT request.method) AS methods, MIN(response.origin_time) AS fastest, SUM(response.origin_time) AS total
FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request, UNNEST(m.response) AS response
GROUP BY hour
ORDER BY hour
;
SELECT REGEXP_EXTRACT(request.path, r'^/([a-z]+)/') AS area, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request GROUP BY area ORDER BY n DESC, area
;
SELECT REGEXP_REPLACE(request.path, r'[0-9]+', ':id') AS route, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request GROUP BY 1 ORDER BY 2 DESC, 1
;
SELECT id, COALESCE(request.search, 'none') AS search, IFNULL(m.level, 'unknown') AS level FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request ORDER BY id
;
SELECT id, UPPER(request.method) AS method, LENGTH(request.path) AS size, SUBSTR(request.path, 2, 4) AS part, CONCAT(request.method, ' ', request.path) AS line, request.method || '!' AS loud
FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request ORDER BY id
;
SELECT id, IF(response.status_code < 400, 'ok', 'failed') AS outcome, CASE WHEN response.status_code IS NULL THEN 'none' WHEN response.status_code >= 500 THEN 'server' WHEN response.status_code >= 400 THEN 'client' END AS class
FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS response ORDER BY id
;
SELECT id, CASE request.method WHEN 'GET' THEN 1 WHEN 'POST' THEN 2 ELSE 0 END AS code FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request ORDER BY id
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS response WHERE response.status_code < 300
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS response WHERE NOT response.status_code = 200
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request WHERE request.search = request.method
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request WHERE request.search < 'zzz'
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request WHERE NOT (request.search = 'select=*' OR request.method = 'POST')
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request WHERE request.search IN ('select=*', 'limit=1') OR request.search IS NULL
;
SELECT COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request WHERE request.search NOT IN ('select=*', 'limit=1')
;
SELECT COUNT(request.search) AS n, COUNT(DISTINCT request.search) AS d, COUNT(*) AS total FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS request
;
SELECT MAX(timestamp) AS newest, MIN(timestamp) AS oldest, TIMESTAMP_DIFF(MAX(timestamp), MIN(timestamp), MINUTE) AS minutes, TIMESTAMP_DIFF(MAX(timestamp), MIN(timestamp), HOUR) AS hours FROM edge_logs
;
SELECT MAX(timestamp) AS newest, SUM(1) AS n, COUNT(*) AS c FROM edge_logs WHERE id = 'nothing'
;
SELECT DATE(timestamp) AS day, COUNT(*) AS n FROM edge_logs GROUP BY day ORDER BY day
;
SELECT EXTRACT(HOUR FROM timestamp) AS hour, EXTRACT(DAYOFWEEK FROM timestamp) AS weekday, EXTRACT(DATE FROM timestamp) AS day, EXTRACT(ISOWEEK FROM timestamp) AS week, COUNT(*) AS n FROM edge_logs GROUP BY 1, 2, 3, 4 ORDER BY 3, 1
;
SELECT FORMAT_TIMESTAMP('%Y-%m-%d %H:%M:%S', timestamp) AS text, FORMAT_TIMESTAMP('%a %b %d', timestamp) AS short, FORMAT_DATE('%F', DATE(timestamp)) AS day FROM edge_logs ORDER BY id
;
SELECT id FROM edge_logs WHERE timestamp BETWEEN TIMESTAMP '2026-11-20 10:00:00+00' AND TIMESTAMP_ADD(TIMESTAMP '2026-11-20 10:00:00+00', INTERVAL 90 MINUTE) ORDER BY id
;
SELECT id FROM edge_logs WHERE timestamp >= TIMESTAMP_SUB(TIMESTAMP '2026-11-20 12:00:00+00', INTERVAL 2 HOUR) AND DATE(timestamp) = '2026-11-20' ORDER BY id
;
SELECT TIMESTAMP_TRUNC(timestamp, WEEK) AS week, TIMESTAMP_TRUNC(timestamp, ISOWEEK) AS isoweek, TIMESTAMP_TRUNC(timestamp, MONTH) AS month, TIMESTAMP_TRUNC(timestamp, QUARTER) AS quarter, TIMESTAMP_TRUNC(timestamp, YEAR) AS year, TIMESTAMP_TRUNC(timestamp, SECOND) AS second FROM edge_logs ORDER BY id
;
SELECT TIMESTAMP_TRUNC(timestamp, DAY, 'America/New_York') AS day, COUNT(*) AS n FROM edge_logs GROUP BY day ORDER BY day
;
SELECT UNIX_SECONDS(timestamp) AS s, UNIX_MILLIS(timestamp) AS ms, UNIX_MICROS(timestamp) AS us FROM edge_logs ORDER BY id
;
SELECT TIMESTAMP_SECONDS(60 * DIV(UNIX_SECONDS(timestamp), 60)) AS minute, COUNT(*) AS n FROM edge_logs GROUP BY minute ORDER BY minute
;
SELECT DATE_DIFF(DATE '2026-12-25', DATE(timestamp), DAY) AS days, DATE_TRUNC(DATE(timestamp), MONTH) AS month, DATE_ADD(DATE(timestamp), INTERVAL 1 WEEK) AS later FROM edge_logs ORDER BY id
;
SELECT id FROM edge_logs AS t WHERE t.id IN (SELECT id FROM auth_logs) ORDER BY id
;
SELECT e.id, a.id AS other FROM edge_logs AS e JOIN auth_logs AS a ON a.id = e.id ORDER BY 1
;
SELECT e.id, r.path, a.n FROM edge_logs AS e CROSS JOIN UNNEST(e.metadata) AS m CROSS JOIN UNNEST(m.request) AS r LEFT JOIN (SELECT id, COUNT(*) AS n FROM auth_logs GROUP BY id) AS a ON a.id = e.id ORDER BY e.id
;
WITH counts AS (SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS hour, COUNT(*) AS n FROM edge_logs GROUP BY hour),
  failures AS (SELECT TIMESTAMP_TRUNC(t.timestamp, HOUR) AS hour, COUNT(*) AS n FROM edge_logs AS t, UNNEST(metadata) AS m, UNNEST(m.response) AS r WHERE r.status_code >= 500 GROUP BY hour)
SELECT counts.hour, counts.n, COALESCE(failures.n, 0) AS failed, failures.n IS NULL AS none FROM counts LEFT JOIN failures ON failures.hour = counts.hour ORDER BY counts.hour
;
SELECT s AS hour, COUNT(t.id) AS n
FROM UNNEST(GENERATE_TIMESTAMP_ARRAY(TIMESTAMP '2026-11-20 08:00:00+00', TIMESTAMP '2026-11-20 12:00:00+00', INTERVAL 1 HOUR)) AS s
LEFT JOIN (SELECT id, TIMESTAMP_TRUNC(timestamp, HOUR) AS hour FROM edge_logs) AS t ON t.hour = s
GROUP BY hour
ORDER BY hour
;
SELECT id, part FROM edge_logs AS t CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r CROSS JOIN UNNEST(SPLIT(r.path, '/')) AS part WHERE part != '' ORDER BY id, part
;
SELECT id, SPLIT(r.path, '/')[SAFE_OFFSET(2)] AS second FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY id
;
SELECT path, n FROM (SELECT CAST(r.path AS STRING) AS path, COUNT(*) AS n FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r GROUP BY path) WHERE n > 1 ORDER BY n DESC, path
;
SELECT id, timestamp, ROW_NUMBER() OVER (PARTITION BY r.method ORDER BY t.timestamp, t.id) AS n FROM edge_logs AS t, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY id
;
SELECT id FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY r.method ORDER BY t.timestamp DESC, t.id) AS n FROM edge_logs AS t, UNNEST(metadata) AS m, UNNEST(m.request) AS r) WHERE n = 1 ORDER BY id
;
SELECT id, LAG(timestamp) OVER (ORDER BY timestamp, id) AS before, SUM(1) OVER (ORDER BY timestamp, id) AS running FROM edge_logs ORDER BY id
;
SELECT DISTINCT CAST(r.method AS STRING) AS method FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY method
;
SELECT 'edge' AS kind, COUNT(*) AS n FROM edge_logs UNION ALL SELECT 'auth', COUNT(*) FROM auth_logs ORDER BY kind
;
(SELECT id FROM edge_logs) EXCEPT DISTINCT (SELECT id FROM auth_logs) ORDER BY id
;
SELECT id FROM edge_logs INTERSECT DISTINCT SELECT id FROM auth_logs ORDER BY id
;
SELECT id, (SELECT m.level FROM UNNEST(metadata) AS m) AS level FROM auth_logs ORDER BY id
;
SELECT id FROM auth_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m WHERE m.level = 'error') ORDER BY id
;
SELECT id FROM edge_logs WHERE EXISTS (SELECT 1 FROM UNNEST(metadata) AS m CROSS JOIN UNNEST(m.response) AS r WHERE r.status_code >= 500) ORDER BY id
;
SELECT LOWER(metadata[SAFE_OFFSET(0)].level) AS level, COUNT(*) AS n FROM auth_logs GROUP BY level ORDER BY n DESC, level
;
SELECT id, r.status_code AS status FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r ORDER BY CAST(r.status_code AS INT64) DESC, id
;
SELECT id, r.status_code AS status FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r WHERE r.status_code >= 0 ORDER BY status, id
;
SELECT id, r.search FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY CAST(r.search AS STRING) DESC, id
;
SELECT MAX(LOWER(r.path)) AS last, MIN(CAST(r.search AS STRING)) AS first, ANY_VALUE(m.nothing) AS none FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r
;
SELECT JSON_VALUE(event_message, '$.level') AS level, JSON_VALUE(event_message, '$.status') AS status, COUNT(*) AS n FROM auth_logs WHERE STARTS_WITH(event_message, '{') GROUP BY level, status ORDER BY level, status
;
SELECT COUNTIF(JSON_VALUE(event_message, '$.level') IN ('error', 'fatal')) AS failed FROM auth_logs
;
SELECT id, SAFE_CAST(r.status_code AS INT64) + 1 AS next, r.origin_time / 1000 AS seconds, MOD(CAST(r.status_code AS INT64), 100) AS rest, DIV(CAST(r.status_code AS INT64), 100) AS class, ABS(-r.origin_time) AS took, FLOOR(r.origin_time / 7) AS floor
FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.response) AS r ORDER BY id
;
SELECT id, GREATEST(1, 2) AS g, NULLIF(r.method, 'GET') AS other, STRPOS(r.path, 'v1') AS position, REPLACE(r.path, '/', '.') AS dotted, TRIM(r.path, '/') AS trimmed, LPAD(r.method, 6, '-') AS padded, REVERSE(r.method) AS reversed
FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY id
;
SELECT id, CONTAINS_SUBSTR(r.path, 'TODO') AS has, ENDS_WITH(r.path, 's') AS ends, r.method = 'GET' AS isget, r.search LIKE 'sel%' AS selects FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r ORDER BY id
;
SELECT STRING_AGG(r.method, ',') AS all_methods FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE id = 'e1'
;
SELECT event_message AS source, id AS event FROM edge_logs WHERE id LIKE 'e%' ORDER BY event
;
SELECT CAST(r.method AS STRING) AS id, COUNT(*) AS timestamp FROM edge_logs, UNNEST(metadata) AS m, UNNEST(m.request) AS r WHERE edge_logs.id != 'e1' AND edge_logs.timestamp > '2026-11-01' GROUP BY 1 ORDER BY 1
;
SELECT TIMESTAMP_TRUNC(timestamp, HOUR) AS timestamp, MAX(timestamp) AS newest, COUNT(*) AS n FROM edge_logs WHERE timestamp >= '2026-11-20 10:30:00' GROUP BY 1 ORDER BY 1
;
SELECT * FROM (SELECT id, timestamp FROM edge_logs) ORDER BY id
;
SELECT t.* EXCEPT (n) FROM (SELECT id, 1 AS n FROM edge_logs) AS t ORDER BY id
;
SELECT * REPLACE (n + 1 AS n) FROM (SELECT id, 1 AS n FROM edge_logs) ORDER BY id
;
SELECT id, IF(m.level IS NULL, 'none', m.level) AS level FROM auth_logs, UNNEST(metadata) AS m ORDER BY id
;
SELECT m.level, AVG(CAST(m.status AS FLOAT64)) AS mean, STDDEV(CAST(m.status AS FLOAT64)) AS spread FROM auth_logs, UNNEST(metadata) AS m WHERE m.level = 'info' GROUP BY m.level
;
SELECT fel.function_id, COUNT(*) AS n FROM (SELECT CAST(m.function_id AS STRING) AS function_id, m.execution_time_ms FROM function_edge_logs, UNNEST(metadata) AS m) AS fel WHERE fel.execution_time_ms > 5 GROUP BY fel.function_id ORDER BY n DESC, function_id
;
SELECT timestamp_trunc(fel.timestamp, hour) as timestamp, count(fel.id) as requests_count, countif(response.status_code between 200 and 299) as success_count, avg(m.execution_time_ms) as avg_execution_time, 0 as log_count
from function_edge_logs as fel
cross join unnest(fel.metadata) as m
cross join unnest(m.response) as response
where m.function_id = 'f1'
group by timestamp
order by timestamp asc
;
with service_events as (
  select timestamp_trunc(el.timestamp, hour) as timestamp, 'edge_logs' as source, countif(response.status_code >= 500) as error, countif(response.status_code < 400) as ok, count(el.id) as total
  from edge_logs as el cross join unnest(el.metadata) as m cross join unnest(m.request) as request cross join unnest(m.response) as response
  where el.timestamp >= timestamp('2026-11-19T00:00:00Z') and el.timestamp <= timestamp('2026-11-21T00:00:00Z') and request.path not like '%/storage/%'
  group by timestamp
  union all
  select timestamp_trunc(pgl.timestamp, hour) as timestamp, 'postgres_logs' as source, countif(parsed.error_severity in ('ERROR', 'FATAL', 'PANIC')) as error, countif(parsed.error_severity is null or parsed.error_severity not in ('ERROR', 'FATAL', 'PANIC', 'WARNING', 'NOTICE')) as ok, count(pgl.id) as total
  from postgres_logs as pgl cross join unnest(pgl.metadata) as m cross join unnest(m.parsed) as parsed
  group by timestamp
)
select timestamp, sum(if(source = 'postgres_logs', ok, 0)) as postgres_ok, sum(if(source = 'edge_logs', total, 0)) as edge_total, sum(error) as errors
from service_events
group by timestamp
order by timestamp asc

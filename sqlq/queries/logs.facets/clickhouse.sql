-- The same rows as query.sql, whose filters are a subquery on each row, which ClickHouse does not have. The bounds on the
-- timestamp consist of parameters only, so that only the partitions between them are read.
WITH
  -- Metadata as JSON text: a list of one object, in which each object is a list of one; objects; or an object whose names are
  -- paths, such as request.method.
  (m -> ifNull(if(startsWith(toTypeName(m), 'Map'), replaceAll(toJSONString(m), '\\/', '/'), toString(m)), '')) AS details,
  -- Scalars at places of it as texts. Lists, objects and null have none.
  ((j, name, member) -> multiIf(
    startsWith(j, '['), if(JSONType(j, 1, name, 1, member) IN ('Array', 'Object'), NULL, JSONExtract(j, 1, name, 1, member, 'Nullable(String)')),
    JSONHas(j, name), if(JSONType(j, name, member) IN ('Array', 'Object'), NULL, JSONExtract(j, name, member, 'Nullable(String)')),
    JSONExtract(j, concat(name, '.', member), 'Nullable(String)'))) AS within,
  ((j, name) -> if(startsWith(j, '['),
    if(JSONType(j, 1, name) IN ('Array', 'Object'), NULL, JSONExtract(j, 1, name, 'Nullable(String)')),
    if(JSONType(j, name) IN ('Array', 'Object'), NULL, JSONExtract(j, name, 'Nullable(String)')))) AS outside,
  -- Whether one of the objects has a text.
  ((j, name, value) -> if(startsWith(j, '['), arrayExists(i -> JSONExtract(j, i, name, 'Nullable(String)') = value, range(1, JSONLength(j) + 1)), ifNull(JSONExtract(j, name, 'Nullable(String)') = value, false))) AS says,
  -- A text as it is written in JSON, and a pattern of exactly that text.
  (t -> replaceAll(toJSONString(t), '\\/', '/')) AS written,
  (t -> concat('\\Q', replaceAll(t, '\\E', '\\E\\\\E\\Q'), '\\E')) AS literal,
  entries AS (
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'edge_logs' AS source, event_message, details(metadata) AS json
    FROM edge_logs
    WHERE project = {project:String}
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'edge_logs', 'cloudflare.logs.prod'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'postgres_logs' AS source, event_message, details(metadata) AS json
    FROM postgres_logs
    WHERE project = {project:String}
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'postgres_logs', 'postgres.logs'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'function_edge_logs' AS source, event_message, details(metadata) AS json
    FROM function_edge_logs
    WHERE says(details(metadata), 'project_ref', {project:String})
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'function_edge_logs', 'deno-relay-logs'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'function_logs' AS source, event_message, details(metadata) AS json
    FROM function_logs
    WHERE says(details(metadata), 'project_ref', {project:String})
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'function_logs', 'deno-subhosting-events'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'auth_logs' AS source, event_message, details(metadata) AS json
    FROM auth_logs
    WHERE project = {project:String}
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'auth_logs', 'gotrue.logs.prod'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'realtime_logs' AS source, event_message, details(metadata) AS json
    FROM realtime_logs
    WHERE says(details(metadata), 'project', {project:String})
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'realtime_logs', 'realtime.logs.prod'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'storage_logs' AS source, event_message, details(metadata) AS json
    FROM storage_logs
    WHERE says(details(metadata), 'project', {project:String})
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'storage_logs', 'storage.logs.prod.2'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'postgrest_logs' AS source, event_message, details(metadata) AS json
    FROM postgrest_logs
    WHERE project = {project:String}
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'postgrest_logs', 'postgREST.logs.prod'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
    UNION ALL
    SELECT id AS event_id, toDateTime64(timestamp, 6, 'UTC') AS logged, 'pgbouncer_logs' AS source, event_message, details(metadata) AS json
    FROM pgbouncer_logs
    WHERE project = {project:String}
      AND (ifNull({source:Nullable(String)}, '') IN ('', 'pgbouncer_logs', 'pgbouncer.logs.prod'))
      AND timestamp > {iso_timestamp_start:DateTime64(6, 'UTC')}
      AND timestamp <= {iso_timestamp_end:DateTime64(6, 'UTC')}
      AND timestamp > {now:DateTime64(6, 'UTC')} - toIntervalDay(transform({project_tier:String}, ['PRO', 'PAYG', 'ENTERPRISE'], [7, 90, 90], 1))
  ),
  fielded AS (
    SELECT
      event_id,
      logged,
      source,
      event_message,
      json,
      nullIf(extract(ifNull(coalesce(within(json, 'response', 'status_code'), outside(json, 'status')), ''), '^([1-9][0-9]{2})(?:\\.0+)?$'), '') AS code,
      coalesce(within(json, 'request', 'method'), outside(json, 'method')) AS method,
      coalesce(within(json, 'request', 'path'), within(json, 'request', 'pathname'), outside(json, 'path')) AS path,
      coalesce(outside(json, 'level'), within(json, 'parsed', 'error_severity')) AS level
    FROM entries
    WHERE ifNull({text:Nullable(String)}, '') = '' OR match(ifNull(event_message, ''), concat('(?i)', literal(ifNull({text:Nullable(String)}, ''))))
  ),
  -- Each filter with whether it holds.
  checked AS (
    SELECT
      *,
      arrayMap(f -> (f.1, ifNull(multiIf(
        f.2 = 'source', f.3 = source,
        f.2 = 'status', f.3 IN (code, concat(left(code, 1), 'xx')),
        f.2 = 'method', f.3 = method,
        f.2 = 'path', startsWith(path, f.3),
        f.2 = 'level', lowerUTF8(f.3) = lowerUTF8(level),
        f.2 = 'id', f.3 IN (event_id, concat(source, ':', event_id)),
        f.2 = 'message', match(event_message, concat('(?i)', literal(f.3))),
        -- A member with that name, or any, at any depth. JSON has numbers, booleans and null without quotes.
        match(json, concat(
          if(endsWith(f.2, '.*'), '"', concat('["."]', literal(substring(written(extract(f.2, '\\.(.*)$')), 2)))),
          ':(', literal(written(f.3)), if(match(f.3, '^[-+.0-9A-Za-z]+$'), concat('|', literal(f.3), '[,}]'), ''), ')'))
      ), false)),
      arrayMap(f -> (extract(f, '^[^:]*'), extract(f, '^-*([^:]*)'), extract(f, '(?s)^[^:]*:(.*)$')), {filters:Array(String)})) AS checks
    FROM fielded
    WHERE (ifNull({status:Nullable(String)}, '') = '' OR code = {status:Nullable(String)} OR concat(left(code, 1), 'xx') = {status:Nullable(String)})
      AND (ifNull({method:Nullable(String)}, '') = '' OR method = {method:Nullable(String)})
      AND (ifNull({path_prefix:Nullable(String)}, '') = '' OR startsWith(path, ifNull({path_prefix:Nullable(String)}, '')))
  )
SELECT
  pair.1 AS facet,
  pair.2 AS value,
  count() AS count
FROM checked
ARRAY JOIN [('source', toNullable(source)), ('status', code), ('method', method), ('level', lowerUTF8(level))] AS pair
-- Of the filters of one field, at least one holds; of the exclusions, none.
WHERE NOT arrayExists(c -> if(startsWith(c.1, '-'), c.2, NOT arrayExists(d -> d.1 = c.1 AND d.2, checks)), checks)
  AND pair.2 IS NOT NULL
GROUP BY facet, value
ORDER BY count DESC, facet, value

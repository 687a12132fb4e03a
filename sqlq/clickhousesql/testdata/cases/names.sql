# An alias hides the column of its name everywhere
SELECT toStartOfHour(timestamp) AS timestamp, count() AS n FROM logs WHERE timestamp = '2026-11-20 09:00:00' GROUP BY timestamp ORDER BY timestamp
---
["2026-11-20 09:00:00",24]

SELECT lower(source) AS source, source AS same FROM logs WHERE source = 'edge_logs' LIMIT 1
---
["edge_logs","edge_logs"]

SELECT upper(event_message) AS event_message, length(event_message) AS n FROM logs WHERE event_message LIKE 'GET%' AND id = 'edg000'
---
["GET | 200 | /REST/V1/ITEMS",26]

SELECT 1 AS one, one + 1 AS two, two * 2 AS four
---
[1,2,4]

SELECT id AS a, concat(a, '!') AS b, concat(b, '?') AS c FROM logs WHERE c = 'edg001!?'
---
["edg001","edg001!","edg001!?"]

SELECT count() AS n, n * 2 AS twice, n > 10 AS many FROM logs
---
[112,224,1]

SELECT source AS s, count() AS n FROM logs GROUP BY s HAVING n > 12 ORDER BY n DESC, s
---
["edge_logs",48]
["postgres_logs",18]
["function_edge_logs",14]

SELECT source, count() FROM logs GROUP BY 1 ORDER BY 2 DESC, 1
---
["edge_logs",48]
["postgres_logs",18]
["function_edge_logs",14]
["auth_logs",12]
["function_logs",12]
["realtime_logs",3]
["storage_logs",3]
["pgbouncer_logs",1]
["postgrest_logs",1]

SELECT source, count() AS n FROM logs GROUP BY source ORDER BY n DESC, source LIMIT 3
---
["edge_logs",48]
["postgres_logs",18]
["function_edge_logs",14]

SELECT (length(id) AS l) + 1 AS m, l FROM logs WHERE id = 'edg001'
---
[7,6]

SELECT id FROM logs WHERE (log_attributes['request.method'] AS m) = 'GET' AND m != 'POST' ORDER BY id LIMIT 3
---
["edg000"]
["edg005"]
["edg010"]

SELECT t.id AS id, t.source AS s FROM logs AS t WHERE t.id = 'edg003'
---
["edg003","edge_logs"]

SELECT logs.id FROM logs WHERE logs.id = 'edg003'
---
["edg003"]

SELECT x.n AS n FROM (SELECT count() AS n FROM logs) AS x
---
[112]

SELECT n, source FROM (SELECT source, count() AS n FROM logs GROUP BY source) WHERE n > 12 ORDER BY n, source
---
[14,"function_edge_logs"]
[18,"postgres_logs"]
[48,"edge_logs"]

SELECT log_attributes['request.method'] AS m FROM (SELECT log_attributes FROM logs WHERE id = 'edg003')
---
["OPTIONS"]

SELECT a['request.path'] AS p, length(a) > 3 AS many FROM (SELECT log_attributes AS a, id FROM logs WHERE source = 'edge_logs') WHERE id = 'edg004'
---
["/graphql/v1",1]

WITH e AS (SELECT id, log_attributes AS m FROM logs WHERE source = 'edge_logs') SELECT count() AS n FROM e WHERE m['request.method'] = 'GET'
---
[10]

WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS x FROM a) SELECT x FROM b
---
[2]

WITH 'edge_logs' AS wanted SELECT count() AS n FROM logs WHERE source = wanted
---
[48]

WITH (SELECT max(timestamp) FROM logs WHERE source = 'edge_logs') AS latest SELECT count() AS n FROM logs WHERE timestamp >= latest - INTERVAL 1 HOUR
---
[33]

SELECT count(), sum(1), 1 + 1, concat('a', 'b'), toStartOfHour(toDateTime('2026-01-01 10:20:30')), -1, [1, 2], (1, 2), 1 = 1, NOT 1, 'a' LIKE 'b', 3 IN (1, 2, 3)
---
[1,1,2,"ab","2026-01-01 10:00:00",-1,[1,2],[1,2],1,0,0,1]

SELECT source AS timestamp FROM logs WHERE timestamp = 'auth_logs' LIMIT 1
---
["auth_logs"]

SELECT any(id) != '' AS ok, source FROM logs GROUP BY source ORDER BY source
---
[1,"auth_logs"]
[1,"edge_logs"]
[1,"function_edge_logs"]
[1,"function_logs"]
[1,"pgbouncer_logs"]
[1,"postgres_logs"]
[1,"postgrest_logs"]
[1,"realtime_logs"]
[1,"storage_logs"]

SELECT sum(n) AS n FROM (SELECT count() AS n FROM logs GROUP BY source)
---
[112]

SELECT id, source AS from FROM logs WHERE id = 'edg001'
---
["edg001","edge_logs"]

SELECT id FROM logs ORDER BY id LIMIT 1;
---
["aut000"]

SELECT "id", `source` FROM logs WHERE "id" = 'edg001'
---
["edg001","edge_logs"]

SELECT if(source = 'edge_logs', 'edge', 'other') AS source, count() AS n FROM logs GROUP BY source ORDER BY source
---
["edge",48]
["other",64]

SELECT source = 'edge_logs' ? 'edge' : 'other' AS k, count() AS n FROM logs GROUP BY k ORDER BY k
---
["edge",48]
["other",64]

SELECT toString(source) || '/' || id AS x FROM logs WHERE id = 'edg001'
---
["edge_logs/edg001"]

# Joins, unions and subqueries
SELECT a.source AS s, a.n AS n, b.m AS m FROM (SELECT source, count() AS n FROM logs GROUP BY source) AS a INNER JOIN (SELECT source, count() AS m FROM logs WHERE severity_text = 'ERROR' GROUP BY source) AS b ON a.source = b.source ORDER BY s
---
["auth_logs",12,3]
["function_logs",12,2]
["postgres_logs",18,3]
["storage_logs",3,2]

SELECT a.source AS s, a.n AS n, b.m AS m, b.last AS last, b.x AS x FROM (SELECT source, count() AS n FROM logs GROUP BY source) AS a LEFT JOIN (SELECT source, count() AS m, max(id) AS last, max(toInt32OrNull('7')) AS x FROM logs WHERE severity_text = 'ERROR' GROUP BY source) AS b ON a.source = b.source ORDER BY s
---
["auth_logs",12,3,"aut009",7]
["edge_logs",48,0,"",null]
["function_edge_logs",14,0,"",null]
["function_logs",12,2,"fun007",7]
["pgbouncer_logs",1,0,"",null]
["postgres_logs",18,3,"pos013",7]
["postgrest_logs",1,0,"",null]
["realtime_logs",3,0,"",null]
["storage_logs",3,2,"sto002",7]

SELECT source, n, m FROM (SELECT source, count() AS n FROM logs GROUP BY source) AS a LEFT JOIN (SELECT source, count() AS m FROM logs WHERE severity_text = 'ERROR' GROUP BY source) AS b USING (source) ORDER BY source
---
["auth_logs",12,3]
["edge_logs",48,0]
["function_edge_logs",14,0]
["function_logs",12,2]
["pgbouncer_logs",1,0]
["postgres_logs",18,3]
["postgrest_logs",1,0]
["realtime_logs",3,0]
["storage_logs",3,2]

SELECT b.source AS s, a.n AS n FROM (SELECT source, count() AS n FROM logs WHERE severity_text = 'ERROR' GROUP BY source) AS a RIGHT JOIN (SELECT DISTINCT source FROM logs) AS b ON a.source = b.source ORDER BY s
---
["auth_logs",3]
["edge_logs",0]
["function_edge_logs",0]
["function_logs",2]
["pgbouncer_logs",0]
["postgres_logs",3]
["postgrest_logs",0]
["realtime_logs",0]
["storage_logs",2]

SELECT a.x AS x, b.y AS y FROM (SELECT arrayJoin([1, 2]) AS x) AS a FULL JOIN (SELECT arrayJoin([2, 3]) AS y) AS b ON a.x = b.y ORDER BY x, y
---
[0,3]
[1,0]
[2,2]

SELECT x, y FROM (SELECT arrayJoin([1, 2]) AS x) AS a CROSS JOIN (SELECT arrayJoin(['a', 'b']) AS y) AS b ORDER BY x, y
---
[1,"a"]
[1,"b"]
[2,"a"]
[2,"b"]

SELECT x, y FROM (SELECT arrayJoin([1, 2]) AS x) AS a, (SELECT arrayJoin([5]) AS y) AS b WHERE x < y ORDER BY x
---
[1,5]
[2,5]

SELECT e.id AS id, e.log_attributes['request.method'] AS m, f.log_attributes['function_id'] AS fn FROM logs AS e INNER JOIN logs AS f ON e.log_attributes['request.method'] = f.log_attributes['request.method'] WHERE e.source = 'edge_logs' AND f.source = 'function_edge_logs' AND f.id = 'fun000' ORDER BY id LIMIT 3
---
["edg001","POST","fn-0"]
["edg006","POST","fn-0"]
["edg011","POST","fn-0"]

SELECT 'edge' AS k, count() AS n FROM logs WHERE source = 'edge_logs' UNION ALL SELECT 'auth' AS k, count() AS n FROM logs WHERE source = 'auth_logs'
---
["auth",12]
["edge",48]

SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 2) ORDER BY x
---
[1]
[2]
[2]

SELECT x FROM (SELECT 1 AS x UNION DISTINCT SELECT 1) ORDER BY x
---
[1]

SELECT id FROM ((SELECT id FROM logs WHERE source = 'edge_logs' ORDER BY timestamp DESC LIMIT 2) UNION ALL (SELECT id FROM logs WHERE source = 'auth_logs' ORDER BY timestamp DESC LIMIT 2)) ORDER BY id
---
["aut010"]
["aut011"]
["edg007"]
["edg015"]

SELECT id, m FROM (SELECT id, log_attributes AS m FROM logs WHERE id = 'sto000' UNION ALL SELECT id, log_attributes AS m FROM logs WHERE id = 'sto001') ORDER BY id
---
["sto000",{}]
["sto001",{"level":"ERROR","req.method":"GET"}]

SELECT count() AS n FROM logs WHERE log_attributes['function_id'] IN (SELECT log_attributes['function_id'] FROM logs WHERE source = 'function_logs' AND log_attributes['level'] = 'error')
---
[9]

SELECT count() AS n FROM logs WHERE id NOT IN (SELECT id FROM logs WHERE source = 'edge_logs')
---
[64]

SELECT count() AS n FROM logs WHERE (source, severity_text) IN (SELECT 'storage_logs', 'ERROR')
---
[2]

SELECT count() AS n FROM logs WHERE (source, severity_text) IN (('storage_logs', 'ERROR'), ('auth_logs', 'FATAL'))
---
[5]

SELECT (SELECT count() FROM logs) AS n, (SELECT max(id) FROM logs WHERE source = 'none') AS m, (SELECT id FROM logs WHERE source = 'none') AS none
---
[112,"",null]

SELECT EXISTS (SELECT 1 FROM logs WHERE source = 'none') AS e, EXISTS (SELECT 1 FROM logs) AS f
---
[0,1]

WITH top AS (SELECT log_attributes['request.path'] AS path, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY path ORDER BY n DESC, path LIMIT 2) SELECT log_attributes['request.path'] AS path, log_attributes['request.method'] AS method, count() AS n FROM logs WHERE source = 'edge_logs' AND path IN (SELECT path FROM top) GROUP BY path, method ORDER BY path, method
---
["/auth/v1/token","DELETE",1]
["/auth/v1/token","GET",2]
["/auth/v1/token","OPTIONS",2]
["/auth/v1/token","PATCH",1]
["/auth/v1/token","POST",1]
["/graphql/v1","DELETE",1]
["/graphql/v1","GET",1]
["/graphql/v1","OPTIONS",1]
["/graphql/v1","PATCH",2]
["/graphql/v1","POST",2]

SELECT source, id FROM logs ORDER BY source, timestamp DESC, id LIMIT 2 BY source
---
["auth_logs","aut011"]
["auth_logs","aut010"]
["edge_logs","edg007"]
["edge_logs","edg015"]
["function_edge_logs","fun013"]
["function_edge_logs","fun012"]
["function_logs","fun011"]
["function_logs","fun010"]
["pgbouncer_logs","pgb000"]
["postgres_logs","pos017"]
["postgres_logs","pos014"]
["postgrest_logs","pos000"]
["realtime_logs","rea002"]
["realtime_logs","rea001"]
["storage_logs","sto002"]
["storage_logs","sto001"]

SELECT source, id FROM logs ORDER BY source, timestamp, id LIMIT 1 OFFSET 1 BY source LIMIT 3
---
["auth_logs","aut001"]
["edge_logs","edg044"]
["function_edge_logs","fun001"]

SELECT source, count() AS n FROM logs GROUP BY source ORDER BY n, source LIMIT 1 BY n
---
["pgbouncer_logs",1]
["realtime_logs",3]
["auth_logs",12]
["function_edge_logs",14]
["postgres_logs",18]
["edge_logs",48]

SELECT x FROM (SELECT arrayJoin([3, 1, NULL, 2]) AS x) ORDER BY x
---
[1]
[2]
[3]
[null]

SELECT x FROM (SELECT arrayJoin([3, 1, NULL, 2]) AS x) ORDER BY x DESC
---
[3]
[2]
[1]
[null]

SELECT x FROM (SELECT arrayJoin([3, 1, NULL, 2]) AS x) ORDER BY x NULLS FIRST
---
[null]
[1]
[2]
[3]

SELECT x FROM (SELECT arrayJoin([3, 1, nan, 2]) AS x) ORDER BY x
---
[1]
[2]
[3]
["nan"]

SELECT x FROM (SELECT arrayJoin([3, 1, nan, 2]) AS x) ORDER BY x DESC
---
[3]
[2]
[1]
["nan"]

SELECT x FROM (SELECT arrayJoin([3, 1, nan, 2, NULL]) AS x) ORDER BY x DESC NULLS FIRST
---
[null]
["nan"]
[3]
[2]
[1]

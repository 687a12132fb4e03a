# Shapes of the pages of logs
SELECT id, timestamp, event_message, log_attributes['identifier'] AS identifier, log_attributes['request.method'] AS method, log_attributes['request.path'] AS path, log_attributes['response.status_code'] AS status_code FROM logs WHERE source = 'edge_logs' ORDER BY timestamp DESC LIMIT 10
---
["edg007","2026-11-20 11:49:31.086415","DELETE | 429 | /rest/v1/items","proj1","DELETE","/rest/v1/items","429"]
["edg015","2026-11-20 11:45:15.185175","GET | 429 | /storage/v1/object/a b.png","proj1","GET","/storage/v1/object/a b.png","429"]
["edg023","2026-11-20 11:41:59.283935","OPTIONS | 429 | /rest/v1/Ünïcode","proj1","OPTIONS","/rest/v1/Ünïcode","429"]
["edg031","2026-11-20 11:37:43.382695","POST | 429 | /auth/v1/token","proj1","POST","/auth/v1/token","429"]
["edg039","2026-11-20 11:33:27.481455","PATCH | 429 | /graphql/v1","proj1","PATCH","/graphql/v1",""]
["edg047","2026-11-20 11:29:11.580215","DELETE | 429 | /rest/v1/users","proj1","DELETE","/rest/v1/users","429"]
["edg003","2026-11-20 11:21:39.037035","OPTIONS | 404 | /auth/v1/token","proj1","OPTIONS","/auth/v1/token","404"]
["edg011","2026-11-20 11:17:23.135795","POST | 404 | /graphql/v1","proj1","POST","/graphql/v1","404"]
["edg019","2026-11-20 11:13:07.234555","PATCH | 404 | /rest/v1/users","proj1","PATCH","/rest/v1/users","404"]
["edg027","2026-11-20 11:09:51.333315","DELETE | 404 | /functions/v1/hello","proj1","DELETE","/functions/v1/hello","404"]

-- Logs Preview Query
SELECT id, timestamp, event_message, log_attributes['parsed.error_severity'] AS error_severity, log_attributes['parsed.detail'] AS detail FROM logs WHERE source = 'postgres_logs' AND log_attributes['parsed.error_severity'] IN ('ERROR', 'FATAL', 'PANIC') ORDER BY timestamp DESC LIMIT 100
---
["pos014","2026-11-20 14:00:14","duration: 140.5 ms","FATAL",""]
["pos008","2026-11-20 08:00:08","duration: 80.5 ms","FATAL",""]
["pos002","2026-11-20 02:00:02","duration: 20.5 ms","FATAL",""]
["pos016","2026-11-19 16:00:16","canceling statement due to statement timeout","PANIC",""]
["pos013","2026-11-19 13:00:13","division by zero","ERROR",""]
["pos010","2026-11-19 10:00:10","canceling statement due to statement timeout","PANIC",""]
["pos007","2026-11-19 07:00:07","division by zero","ERROR",""]
["pos004","2026-11-19 04:00:04","canceling statement due to statement timeout","PANIC",""]
["pos001","2026-11-19 01:00:01","division by zero","ERROR",""]

SELECT count() AS count FROM logs WHERE source = 'edge_logs' AND event_message ILIKE '%get%'
---
[10]

SELECT count() AS count FROM logs WHERE source = 'edge_logs' AND toInt32OrZero(log_attributes['response.status_code']) BETWEEN 500 AND 599
---
[10]

SELECT count() AS count FROM logs WHERE source = 'auth_logs' AND (log_attributes['level'] IN ('error', 'fatal') OR toInt32OrZero(log_attributes['status']) >= 500)
---
[9]

SELECT id FROM logs WHERE source = 'auth_logs' AND (NOT (log_attributes['level'] IN ('error', 'fatal') OR toInt32OrZero(log_attributes['status']) >= 500) AND NOT (log_attributes['level'] = 'warning' OR toInt32OrZero(log_attributes['status']) BETWEEN 400 AND 499)) ORDER BY id
---
["aut000"]
["aut004"]
["aut008"]

SELECT id FROM logs WHERE source = 'auth_logs' AND match(log_attributes['path'], '/signup|/invite|/verify') ORDER BY id
---
["aut001"]
["aut006"]
["aut011"]

SELECT id FROM logs WHERE source = 'postgres_logs' AND (log_attributes['parsed.application_name'] = 'pg_cron' OR event_message ILIKE '%cron job%') ORDER BY id
---
["pos002"]
["pos003"]
["pos008"]
["pos009"]
["pos014"]
["pos015"]

SELECT toStartOfMinute(timestamp) AS timestamp, countIf(NOT ((toInt32OrZero(log_attributes['response.status_code']) >= 500) OR (toInt32OrZero(log_attributes['response.status_code']) BETWEEN 400 AND 499))) AS ok_count, countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) AS error_count, countIf(toInt32OrZero(log_attributes['response.status_code']) BETWEEN 400 AND 499) AS warning_count FROM logs WHERE source = 'edge_logs' GROUP BY timestamp ORDER BY timestamp ASC
---
["2026-11-20 08:00:00",1,0,0]
["2026-11-20 08:08:00",0,1,0]
["2026-11-20 08:12:00",0,1,0]
["2026-11-20 08:16:00",0,1,0]
["2026-11-20 08:20:00",1,0,0]
["2026-11-20 08:24:00",0,1,0]
["2026-11-20 08:28:00",0,1,0]
["2026-11-20 08:40:00",1,0,0]
["2026-11-20 08:44:00",1,0,0]
["2026-11-20 08:48:00",1,0,0]
["2026-11-20 08:52:00",1,0,0]
["2026-11-20 08:56:00",1,0,0]
["2026-11-20 09:03:00",1,0,0]
["2026-11-20 09:07:00",1,0,0]
["2026-11-20 09:15:00",0,1,0]
["2026-11-20 09:19:00",0,1,0]
["2026-11-20 09:23:00",0,1,0]
["2026-11-20 09:27:00",0,1,0]
["2026-11-20 09:31:00",1,0,0]
["2026-11-20 09:35:00",0,1,0]
["2026-11-20 09:47:00",1,0,0]
["2026-11-20 09:51:00",1,0,0]
["2026-11-20 09:55:00",1,0,0]
["2026-11-20 09:59:00",1,0,0]
["2026-11-20 10:02:00",1,0,0]
["2026-11-20 10:06:00",1,0,0]
["2026-11-20 10:10:00",1,0,0]
["2026-11-20 10:14:00",1,0,0]
["2026-11-20 10:22:00",1,0,0]
["2026-11-20 10:26:00",1,0,0]
["2026-11-20 10:30:00",1,0,0]
["2026-11-20 10:34:00",1,0,0]
["2026-11-20 10:38:00",1,0,0]
["2026-11-20 10:42:00",1,0,0]
["2026-11-20 10:54:00",1,0,0]
["2026-11-20 10:58:00",1,0,0]
["2026-11-20 11:01:00",0,0,1]
["2026-11-20 11:05:00",0,0,1]
["2026-11-20 11:09:00",0,0,1]
["2026-11-20 11:13:00",0,0,1]
["2026-11-20 11:17:00",0,0,1]
["2026-11-20 11:21:00",0,0,1]
["2026-11-20 11:29:00",0,0,1]
["2026-11-20 11:33:00",1,0,0]
["2026-11-20 11:37:00",0,0,1]
["2026-11-20 11:41:00",0,0,1]
["2026-11-20 11:45:00",0,0,1]
["2026-11-20 11:49:00",0,0,1]

SELECT toStartOfHour(timestamp) AS timestamp, countIf(NOT ((0) OR (0))) AS ok_count, countIf(0) AS error_count, countIf(0) AS warning_count FROM logs WHERE source = 'realtime_logs' GROUP BY timestamp ORDER BY timestamp
---
["2026-11-20 07:00:00",3,0,0]

SELECT toStartOfDay(timestamp) AS timestamp, count() AS count FROM logs WHERE source = 'postgres_logs' GROUP BY timestamp ORDER BY timestamp ASC
---
["2026-11-18 00:00:00",6]
["2026-11-19 00:00:00",6]
["2026-11-20 00:00:00",6]

SELECT id, timestamp, event_message, source, severity_text, log_attributes FROM logs WHERE id = 'edg000' LIMIT 1
---
["edg000","2026-11-20 08:00:00","GET | 200 | /rest/v1/items","edge_logs","INFO",{"identifier":"proj0","request.cf.botManagement.score":"0","request.cf.country":"DE","request.headers.cf_connecting_ip":"10.0.0.0","request.headers.user_agent":"Mozilla/5.0 (X11)","request.headers.x_client_info":"supabase-js/2.0","request.method":"GET","request.path":"/rest/v1/items","request.search":"","request.tags":"first0"}]

SELECT id, timestamp, event_message, source, severity_text, log_attributes FROM logs WHERE id = 'pgb000' LIMIT 1
---
["pgb000","2026-11-20 00:00:00","stats: 5 xacts/s","pgbouncer_logs","INFO",{"big":"12345678901","deep.a.b":"1","n":"-1.5"}]

SELECT arrayJoin(mapKeys(log_attributes)) AS key, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY key ORDER BY n DESC, key LIMIT 500
---
["identifier",48]
["request.cf.botManagement.score",48]
["request.cf.country",48]
["request.headers.user_agent",48]
["request.method",48]
["request.path",48]
["request.search",48]
["request.headers.cf_connecting_ip",47]
["response.headers.cf_cache_status",44]
["response.headers.content_length",44]
["response.status_code",44]
["response.origin_time",43]
["request.headers.x_client_info",7]
["request.tags",5]
["flag",1]

SELECT source, count(*) AS n FROM logs GROUP BY source ORDER BY n DESC, source
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

select source, severity_text, count() n from logs group by source, severity_text order by source, severity_text
---
["auth_logs","ERROR",3]
["auth_logs","FATAL",3]
["auth_logs","INFO",3]
["auth_logs","WARNING",3]
["edge_logs","INFO",48]
["function_edge_logs","INFO",14]
["function_logs","DEBUG",2]
["function_logs","ERROR",2]
["function_logs","INFO",4]
["function_logs","LOG",2]
["function_logs","WARNING",2]
["pgbouncer_logs","INFO",1]
["postgres_logs","ERROR",3]
["postgres_logs","FATAL",3]
["postgres_logs","LOG",3]
["postgres_logs","NOTICE",3]
["postgres_logs","PANIC",3]
["postgres_logs","WARNING",3]
["postgrest_logs","INFO",1]
["realtime_logs","INFO",3]
["storage_logs","ERROR",2]
["storage_logs","INFO",1]

select id, log_attributes['identifier'] as identifier, timestamp, event_message from logs where source = 'edge_logs' and (event_message ilike '%items%' or log_attributes['identifier'] = 'proj1') order by timestamp desc, id limit 5
---
["edg007","proj1","2026-11-20 11:49:31.086415","DELETE | 429 | /rest/v1/items"]
["edg015","proj1","2026-11-20 11:45:15.185175","GET | 429 | /storage/v1/object/a b.png"]
["edg023","proj1","2026-11-20 11:41:59.283935","OPTIONS | 429 | /rest/v1/Ünïcode"]
["edg031","proj1","2026-11-20 11:37:43.382695","POST | 429 | /auth/v1/token"]
["edg039","proj1","2026-11-20 11:33:27.481455","PATCH | 429 | /graphql/v1"]

select timestamp, id, source, severity_text, event_message, log_attributes['request.path'] as path, log_attributes['response.status_code'] as status from logs where (upper(severity_text) in ('ERROR', 'FATAL', 'PANIC') or toInt32OrZero(log_attributes['response.status_code']) >= 400) order by timestamp asc, id asc limit 500
---
["2026-11-19 01:00:01","pos001","postgres_logs","ERROR","division by zero","",""]
["2026-11-19 04:00:04","pos004","postgres_logs","PANIC","canceling statement due to statement timeout","",""]
["2026-11-19 07:00:07","pos007","postgres_logs","ERROR","division by zero","",""]
["2026-11-19 10:00:10","pos010","postgres_logs","PANIC","canceling statement due to statement timeout","",""]
["2026-11-19 13:00:13","pos013","postgres_logs","ERROR","division by zero","",""]
["2026-11-19 16:00:16","pos016","postgres_logs","PANIC","canceling statement due to statement timeout","",""]
["2026-11-20 02:00:02","pos002","postgres_logs","FATAL","duration: 20.5 ms","",""]
["2026-11-20 07:11:00","sto001","storage_logs","ERROR","st 1","",""]
["2026-11-20 07:12:00","sto002","storage_logs","ERROR","st 2","",""]
["2026-11-20 08:00:08","pos008","postgres_logs","FATAL","duration: 80.5 ms","",""]
["2026-11-20 08:08:32.54318","edg044","edge_logs","INFO","PATCH | 500 | /rest/v1/Ünïcode","/rest/v1/Ünïcode","500"]
["2026-11-20 08:12:48.44442","edg036","edge_logs","INFO","POST | 500 | /storage/v1/object/a b.png","/storage/v1/object/a b.png","500"]
["2026-11-20 08:16:04.34566","edg028","edge_logs","INFO","OPTIONS | 500 | /rest/v1/items","/rest/v1/items","500"]
["2026-11-20 08:24:36.14814","edg012","edge_logs","INFO","DELETE | 500 | /rest/v1/users","/rest/v1/users","500"]
["2026-11-20 08:28:52.04938","edg004","edge_logs","INFO","PATCH | 500 | /graphql/v1","/graphql/v1","500"]
["2026-11-20 09:03:00.000001","aut001","auth_logs","ERROR","{\"auth_event\": {\"action\": \"logout\"}, \"msg\": \"m1\"}","",""]
["2026-11-20 09:09:00.000001","aut003","auth_logs","FATAL","{\"auth_event\": {\"action\": \"login\"}, \"msg\": \"m3\"}","",""]
["2026-11-20 09:15:00.000001","aut005","auth_logs","ERROR","{\"auth_event\": {\"action\": \"token_refreshed\"}, \"msg\": \"m5\"}","",""]
["2026-11-20 09:15:45.555525","edg045","edge_logs","INFO","GET | 503 | /auth/v1/token","/auth/v1/token","503"]
["2026-11-20 09:19:01.456765","edg037","edge_logs","INFO","DELETE | 503 | /rest/v1/Ünïcode","/rest/v1/Ünïcode","503"]
["2026-11-20 09:21:00.000001","aut007","auth_logs","FATAL","{\"auth_event\": {\"action\": \"logout\"}, \"msg\": \"m7\"}","",""]
["2026-11-20 09:23:17.358005","edg029","edge_logs","INFO","PATCH | 503 | /storage/v1/object/a b.png","/storage/v1/object/a b.png","503"]
["2026-11-20 09:27:00.000001","aut009","auth_logs","ERROR","{\"auth_event\": {\"action\": \"login\"}, \"msg\": \"m9\"}","",""]
["2026-11-20 09:27:33.259245","edg021","edge_logs","INFO","POST | 503 | /rest/v1/items","/rest/v1/items","503"]
["2026-11-20 09:33:00.000001","aut011","auth_logs","FATAL","{\"auth_event\": {\"action\": \"token_refreshed\"}, \"msg\": \"m11\"}","",""]
["2026-11-20 09:35:05.061725","edg005","edge_logs","INFO","GET | 503 | /rest/v1/users","/rest/v1/users","503"]
["2026-11-20 10:05:30.5","fun001","function_logs","ERROR","plain text {","",""]
["2026-11-20 10:35:30.5","fun007","function_logs","ERROR","plain text {","",""]
["2026-11-20 11:01:19.530835","edg043","edge_logs","INFO","OPTIONS | 404 | /storage/v1/object/a b.png","/storage/v1/object/a b.png","404"]
["2026-11-20 11:05:35.432075","edg035","edge_logs","INFO","GET | 404 | /rest/v1/items","/rest/v1/items","404"]
["2026-11-20 11:08:00","fun002","function_edge_logs","INFO","POST | 500","","500"]
["2026-11-20 11:09:51.333315","edg027","edge_logs","INFO","DELETE | 404 | /functions/v1/hello","/functions/v1/hello","404"]
["2026-11-20 11:12:00","fun003","function_edge_logs","INFO","POST | 404","","404"]
["2026-11-20 11:13:07.234555","edg019","edge_logs","INFO","PATCH | 404 | /rest/v1/users","/rest/v1/users","404"]
["2026-11-20 11:17:23.135795","edg011","edge_logs","INFO","POST | 404 | /graphql/v1","/graphql/v1","404"]
["2026-11-20 11:21:39.037035","edg003","edge_logs","INFO","OPTIONS | 404 | /auth/v1/token","/auth/v1/token","404"]
["2026-11-20 11:24:00","fun006","function_edge_logs","INFO","POST | 500","","500"]
["2026-11-20 11:28:00","fun007","function_edge_logs","INFO","POST | 404","","404"]
["2026-11-20 11:29:11.580215","edg047","edge_logs","INFO","DELETE | 429 | /rest/v1/users","/rest/v1/users","429"]
["2026-11-20 11:37:43.382695","edg031","edge_logs","INFO","POST | 429 | /auth/v1/token","/auth/v1/token","429"]
["2026-11-20 11:40:00","fun010","function_edge_logs","INFO","POST | 500","","500"]
["2026-11-20 11:41:59.283935","edg023","edge_logs","INFO","OPTIONS | 429 | /rest/v1/Ünïcode","/rest/v1/Ünïcode","429"]
["2026-11-20 11:44:00","fun011","function_edge_logs","INFO","POST | 404","","404"]
["2026-11-20 11:45:15.185175","edg015","edge_logs","INFO","GET | 429 | /storage/v1/object/a b.png","/storage/v1/object/a b.png","429"]
["2026-11-20 11:49:31.086415","edg007","edge_logs","INFO","DELETE | 429 | /rest/v1/items","/rest/v1/items","429"]
["2026-11-20 14:00:14","pos014","postgres_logs","FATAL","duration: 140.5 ms","",""]

select id from logs where (timestamp > parseDateTime64BestEffort('2026-11-20T10:30:00.5Z', 6, 'UTC') or (timestamp = parseDateTime64BestEffort('2026-11-20T10:30:00.5', 6, 'UTC') and id > 'a')) order by timestamp, id limit 20
---
["edg030"]
["fun006"]
["edg022"]
["fun007"]
["edg014"]
["fun008"]
["edg006"]
["fun009"]
["fun010"]
["edg042"]
["fun011"]
["edg034"]
["fun000"]
["pos011"]
["edg043"]
["fun001"]
["edg035"]
["fun002"]
["edg027"]
["fun003"]

SELECT id, timestamp FROM logs WHERE source = 'function_edge_logs' AND log_attributes['function_id'] = 'fn-1' ORDER BY timestamp LIMIT 3 OFFSET 1
---
["fun004","2026-11-20 11:16:00"]
["fun007","2026-11-20 11:28:00"]
["fun010","2026-11-20 11:40:00"]

SELECT id, timestamp FROM logs ORDER BY timestamp DESC, id LIMIT 2, 3
---
["fun013","2026-11-20 11:52:00"]
["edg007","2026-11-20 11:49:31.086415"]
["fun012","2026-11-20 11:48:00"]

SELECT * FROM logs WHERE source = 'postgrest_logs'
---
["pos000","2026-11-19 23:59:59.999999","Config reloaded","INFO","postgrest_logs",{"host":"x"}]

SELECT DISTINCT source FROM logs ORDER BY source
---
["auth_logs"]
["edge_logs"]
["function_edge_logs"]
["function_logs"]
["pgbouncer_logs"]
["postgres_logs"]
["postgrest_logs"]
["realtime_logs"]
["storage_logs"]

SELECT DISTINCT log_attributes['request.method'] AS method FROM logs WHERE source = 'edge_logs'
---
["DELETE"]
["GET"]
["OPTIONS"]
["PATCH"]
["POST"]

SELECT count() FROM logs WHERE source IN ('edge_logs', 'postgres_logs') AND timestamp >= '2026-11-20 09:00:00' AND timestamp < toDateTime('2026-11-20 10:00:00')
---
[12]

SELECT count() FROM logs WHERE source != 'edge_logs'
---
[64]

SELECT count() FROM logs WHERE source NOT IN ('edge_logs', 'auth_logs')
---
[52]

SELECT count() FROM logs WHERE source LIKE '%edge%'
---
[62]

SELECT id FROM logs WHERE log_attributes['flag'] = 'true'
---
["edg024"]

SELECT id, log_attributes['request.tags'] AS tag FROM logs WHERE log_attributes['request.tags'] != '' ORDER BY id
---
["edg000","first0"]
["edg011","first11"]
["edg022","first22"]
["edg033","first33"]
["edg044","first44"]

SELECT id, log_attributes['deep.a.b'] AS b, log_attributes['deep.a'] AS a, log_attributes['list'] AS l, log_attributes['n'] AS n, log_attributes['big'] AS big, log_attributes['nope'] AS nope, log_attributes['deep'] AS deep FROM logs WHERE source = 'pgbouncer_logs'
---
["pgb000","1","","","-1.5","12345678901","",""]

SELECT source, mapKeys(log_attributes) AS keys, count() AS n FROM logs WHERE source IN ('auth_logs', 'storage_logs', 'pgbouncer_logs') GROUP BY source, keys ORDER BY source, n
---
["auth_logs",["level","status","path","msg","error","referer","provider"],12]
["pgbouncer_logs",["deep.a.b","n","big"],1]
["storage_logs",[],1]
["storage_logs",["req.method","level"],2]

select source, arrayStringConcat(arraySort(mapKeys(log_attributes)), ', ') as keys, count(*) as n from logs group by source, keys order by n desc, source, keys
---
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.method, request.path, request.search, response.headers.cf_cache_status, response.headers.content_length, response.origin_time, response.status_code",33]
["function_edge_logs","deployment_id, execution_time_ms, function_id, project_ref, request.method, request.pathname, request.url, response.status_code, version",14]
["auth_logs","error, level, msg, path, provider, referer, status",12]
["function_logs","event_type, execution_id, function_id, level, project_ref",12]
["postgres_logs","host, parsed.application_name, parsed.error_severity, parsed.process_id, parsed.query, parsed.sql_state_code, parsed.user_name",9]
["postgres_logs","host, parsed.application_name, parsed.error_severity, parsed.process_id, parsed.sql_state_code, parsed.user_name",9]
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.headers.x_client_info, request.method, request.path, request.search, response.headers.cf_cache_status, response.headers.content_length, response.origin_time, response.status_code",5]
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.method, request.path, request.search",3]
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.method, request.path, request.search, request.tags, response.headers.cf_cache_status, response.headers.content_length, response.origin_time, response.status_code",3]
["realtime_logs","level, project",3]
["storage_logs","level, req.method",2]
["edge_logs","flag, identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.method, request.path, request.search, response.headers.cf_cache_status, response.headers.content_length, response.origin_time, response.status_code",1]
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.headers.x_client_info, request.method, request.path, request.search, request.tags",1]
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.cf_connecting_ip, request.headers.user_agent, request.headers.x_client_info, request.method, request.path, request.search, response.headers.cf_cache_status, response.headers.content_length, response.status_code",1]
["edge_logs","identifier, request.cf.botManagement.score, request.cf.country, request.headers.user_agent, request.method, request.path, request.search, request.tags, response.headers.cf_cache_status, response.headers.content_length, response.origin_time, response.status_code",1]
["pgbouncer_logs","big, deep.a.b, n",1]
["postgrest_logs","host",1]
["storage_logs","",1]

SELECT id, mapKeys(log_attributes) AS k FROM logs ORDER BY source, id LIMIT 1 BY source
---
["aut000",["level","status","path","msg","error","referer","provider"]]
["edg000",["identifier","request.method","request.path","request.search","request.headers.user_agent","request.headers.cf_connecting_ip","request.headers.x_client_info","request.cf.country","request.cf.botManagement.score","request.tags"]]
["fun000",["project_ref","function_id","deployment_id","execution_time_ms","version","request.method","request.pathname","request.url","response.status_code"]]
["fun000",["project_ref","function_id","level","event_type","execution_id"]]
["pgb000",["deep.a.b","n","big"]]
["pos000",["host","parsed.error_severity","parsed.user_name","parsed.sql_state_code","parsed.application_name","parsed.process_id"]]
["pos000",["host"]]
["rea000",["project","level"]]
["sto000",[]]

SELECT id, log_attributes['request.headers.user_agent'] AS ua FROM logs WHERE id = 'edg022'
---
["edg022","quo\"te \\ back"]

SELECT source, min(timestamp) AS first, max(timestamp) AS last FROM logs GROUP BY source ORDER BY source
---
["auth_logs","2026-11-20 09:00:00.000001","2026-11-20 09:33:00.000001"]
["edge_logs","2026-11-20 08:00:00","2026-11-20 11:49:31.086415"]
["function_edge_logs","2026-11-20 11:00:00","2026-11-20 11:52:00"]
["function_logs","2026-11-20 10:00:30.5","2026-11-20 10:55:30.5"]
["pgbouncer_logs","2026-11-20 00:00:00","2026-11-20 00:00:00"]
["postgres_logs","2026-11-18 00:00:00","2026-11-20 17:00:17"]
["postgrest_logs","2026-11-19 23:59:59.999999","2026-11-19 23:59:59.999999"]
["realtime_logs","2026-11-20 07:00:00","2026-11-20 07:02:00"]
["storage_logs","2026-11-20 07:10:00","2026-11-20 07:12:00"]

SELECT id FROM logs WHERE mapContains(log_attributes, 'request.tags') ORDER BY id
---
["edg000"]
["edg011"]
["edg022"]
["edg033"]
["edg044"]

SELECT length(log_attributes) AS n, count() FROM logs GROUP BY n ORDER BY n
---
[0,1]
[1,1]
[2,5]
[3,1]
[5,12]
[6,9]
[7,21]
[8,3]
[9,14]
[10,1]
[12,35]
[13,9]

SELECT id FROM logs WHERE has(mapValues(log_attributes), 'quo"te \\ back')
---
["edg022"]

SELECT count() FROM logs WHERE NOT has(mapKeys(log_attributes), 'response.status_code') AND source = 'edge_logs'
---
[4]

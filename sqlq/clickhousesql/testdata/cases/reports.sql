# Shapes of reports
select toStartOfHour(timestamp) as timestamp, count() as count from logs where source = 'edge_logs' group by timestamp order by timestamp asc
---
["2026-11-20 08:00:00",12]
["2026-11-20 09:00:00",12]
["2026-11-20 10:00:00",12]
["2026-11-20 11:00:00",12]

select toUnixTimestamp(toStartOfHour(timestamp)) * 1000000 as timestamp, count() as count from logs where source = 'edge_logs' group by timestamp order by timestamp asc
---
[1795161600000000,12]
[1795165200000000,12]
[1795168800000000,12]
[1795172400000000,12]

select log_attributes['request.path'] as path, log_attributes['request.method'] as method, log_attributes['request.search'] as search, toInt32OrZero(log_attributes['response.status_code']) as status_code, count() as count from logs where source = 'edge_logs' group by path, method, search, status_code order by count desc, path, method, search, status_code limit 10
---
["/auth/v1/token","DELETE","?limit=170\u0026id=gt.17",201,1]
["/auth/v1/token","GET","",503,1]
["/auth/v1/token","GET","?limit=100\u0026id=gt.10",304,1]
["/auth/v1/token","OPTIONS","",404,1]
["/auth/v1/token","OPTIONS","?limit=380\u0026id=gt.38",200,1]
["/auth/v1/token","PATCH","",200,1]
["/auth/v1/token","POST","?limit=310\u0026id=gt.31",429,1]
["/functions/v1/hello","DELETE","",404,1]
["/functions/v1/hello","GET","?limit=200\u0026id=gt.20",0,1]
["/functions/v1/hello","OPTIONS","?limit=130\u0026id=gt.13",0,1]

select toStartOfHour(timestamp) as timestamp, count() as count from logs where source = 'edge_logs' and toInt64OrZero(log_attributes['response.status_code']) >= 400 group by timestamp order by timestamp
---
["2026-11-20 08:00:00",5]
["2026-11-20 09:00:00",5]
["2026-11-20 11:00:00",11]

select toUnixTimestamp(toStartOfHour(timestamp)) * 1000000 as timestamp, avg(toFloat64OrZero(log_attributes['response.origin_time'])) as avg from logs where source = 'edge_logs' group by timestamp order by timestamp
---
[1795161600000000,"nan"]
[1795165200000000,345.583333333]
[1795168800000000,16.0416666667]
[1795172400000000,366.416666667]

select log_attributes['request.path'] as path, avg(toFloat64OrNull(log_attributes['response.origin_time'])) as avg, count() as n from logs where source = 'edge_logs' group by path order by path
---
["/auth/v1/token",343.821428571,7]
["/functions/v1/hello","nan",6]
["/graphql/v1",69.125,7]
["/rest/v1/items",81.35,7]
["/rest/v1/users",244.75,7]
["/rest/v1/Ünïcode",206.321428571,7]
["/storage/v1/object/a b.png",236.678571429,7]

select log_attributes['request.path'] as path, count() as count from logs where source = 'edge_logs' and log_attributes['request.path'] like '/storage/v1/object%' and log_attributes['request.method'] = 'GET' group by path
---
["/storage/v1/object/a b.png",1]

select toUnixTimestamp(toStartOfHour(timestamp)) * 1000000 as timestamp, countIf(log_attributes['response.headers.cf_cache_status'] in ('HIT', 'STALE', 'REVALIDATED', 'UPDATING')) as hit_count, countIf(log_attributes['response.headers.cf_cache_status'] in ('MISS', 'NONE/UNKNOWN', 'EXPIRED', 'BYPASS', 'DYNAMIC')) as miss_count from logs where source = 'edge_logs' group by timestamp order by timestamp desc
---
[1795172400000000,3,8]
[1795168800000000,4,7]
[1795165200000000,4,7]
[1795161600000000,3,8]

select log_attributes['function_id'] as function_id, count(distinct id) as requests_count, count(distinct case when toInt32OrZero(log_attributes['response.status_code']) >= 500 then id end) as server_err_count from logs where source = 'function_edge_logs' and log_attributes['function_id'] != '' group by function_id order by function_id
---
["fn-0",5,1]
["fn-1",5,1]
["fn-2",4,1]

select countIf(source in ('edge_logs', 'function_edge_logs')) as edge_log_count, countIf(source = 'auth_logs') as auth_log_count, countIf(source in ('edge_logs', 'function_edge_logs') and toInt32OrZero(log_attributes['response.status_code']) between 500 and 599) as server_errors, countIf(source in ('edge_logs', 'function_edge_logs') and toInt32OrZero(log_attributes['response.status_code']) = 429) as rate_limited, countIf(source = 'auth_logs' and (toInt32OrZero(log_attributes['response.status_code']) >= 400 or match(lower(event_message), 'invalid|failed|error|unauthorized'))) as auth_failures, quantileIf(0.95)(toFloat64OrZero(log_attributes['execution_time_ms']), source in ('edge_logs', 'function_edge_logs') and toFloat64OrZero(log_attributes['execution_time_ms']) > 0) as latency_p95_ms, countIf(source in ('edge_logs', 'function_edge_logs') and toFloat64OrZero(log_attributes['execution_time_ms']) > 0) as latency_samples from logs where timestamp >= toDateTime('2026-11-20 12:00:00') - interval 200 minute
---
[55,12,8,5,0,1500,14]

select toStartOfHour(timestamp) as hora, count(*) as peticiones, formatReadableSize(round(avg(toUInt64OrZero(log_attributes['response.headers.content_length'])))) as peso_medio, formatReadableSize(sum(toUInt64OrZero(log_attributes['response.headers.content_length']))) as egress, countIf(toUInt16OrZero(log_attributes['response.status_code']) >= 400) as errores from logs where source = 'edge_logs' and log_attributes['request.path'] like '/rest/v1/%' and position(log_attributes['request.headers.user_agent'], 'Mozilla') > 0 group by hora order by hora desc limit 24
---
["2026-11-20 11:00:00",1,"3.42 KiB","3.42 KiB",1]
["2026-11-20 10:00:00",1,"2.93 KiB","2.93 KiB",0]
["2026-11-20 09:00:00",1,"500.00 B","500.00 B",1]
["2026-11-20 08:00:00",2,"0.00 B","0.00 B",0]

select multiIf(position(log_attributes['request.headers.user_agent'], 'Mozilla') > 0, 'navegador real', position(log_attributes['request.headers.user_agent'], 'node') > 0, 'proceso automatico', 'otro') as origen, count(*) as peticiones, formatReadableSize(sum(toUInt64OrZero(log_attributes['response.headers.content_length']))) as egress from logs where source = 'edge_logs' group by origen order by origen
---
["navegador real",10,"16.11 KiB"]
["otro",28,"45.31 KiB"]
["proceso automatico",10,"15.33 KiB"]

select splitByChar('/', log_attributes['request.pathname'])[4] as route_family, count(*) as requests, countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) as errors_5xx, round(100.0 * countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) / count(*), 2) as error_rate_pct, round(quantile(0.50)(toFloat64OrZero(log_attributes['execution_time_ms'])), 0) as p50_ms, round(quantile(0.95)(toFloat64OrZero(log_attributes['execution_time_ms'])), 0) as p95_ms, round(max(toFloat64OrZero(log_attributes['execution_time_ms'])), 0) as max_ms from logs where source = 'function_edge_logs' group by route_family having requests > 0 order by requests desc, route_family
---
["f0",5,1,20,20,1207,1500]
["f1",5,1,20,20,1207,1500]
["f2",4,1,25,27,1280,1500]

select toStartOfFiveMinutes(timestamp) t, count() n, countIf(toInt32OrZero(log_attributes['response.status_code'])>=500) e5xx, round(quantile(0.95)(toFloat64OrZero(log_attributes['response.origin_time']))) p95_ms from logs where source='edge_logs' and log_attributes['response.origin_time'] != 'nan' group by t order by t
---
["2026-11-20 08:00:00",1,0,0]
["2026-11-20 08:05:00",1,1,38]
["2026-11-20 08:10:00",1,1,12]
["2026-11-20 08:15:00",1,1,8]
["2026-11-20 08:20:00",1,1,12]
["2026-11-20 08:25:00",1,1,8]
["2026-11-20 08:40:00",2,0,36]
["2026-11-20 08:45:00",1,0,12]
["2026-11-20 08:50:00",1,0,8]
["2026-11-20 08:55:00",1,0,38]
["2026-11-20 09:00:00",1,0,1000]
["2026-11-20 09:05:00",1,0,250]
["2026-11-20 09:15:00",2,2,962]
["2026-11-20 09:20:00",1,1,99]
["2026-11-20 09:25:00",1,1,0]
["2026-11-20 09:30:00",1,0,0]
["2026-11-20 09:35:00",1,1,99]
["2026-11-20 09:45:00",1,0,99]
["2026-11-20 09:50:00",1,0,1000]
["2026-11-20 09:55:00",2,0,242]
["2026-11-20 10:00:00",1,0,0]
["2026-11-20 10:05:00",1,0,12]
["2026-11-20 10:10:00",2,0,36]
["2026-11-20 10:20:00",1,0,8]
["2026-11-20 10:25:00",1,0,38]
["2026-11-20 10:30:00",2,0,12]
["2026-11-20 10:35:00",1,0,38]
["2026-11-20 10:40:00",1,0,12]
["2026-11-20 10:50:00",1,0,12]
["2026-11-20 10:55:00",1,0,8]
["2026-11-20 11:00:00",1,0,250]
["2026-11-20 11:05:00",2,0,955]
["2026-11-20 11:10:00",1,0,250]
["2026-11-20 11:15:00",1,0,99]
["2026-11-20 11:20:00",1,0,1000]
["2026-11-20 11:25:00",1,0,99]
["2026-11-20 11:30:00",1,0,0]
["2026-11-20 11:35:00",1,0,250]
["2026-11-20 11:40:00",1,0,99]
["2026-11-20 11:45:00",2,0,962]

select multiIf(log_attributes['request.cf.country']='DE','de',log_attributes['request.headers.user_agent'] ilike '%Mozilla%','browser','other') origen, count() n from logs where source='edge_logs' group by origen order by n desc, origen
---
["other",29]
["de",12]
["browser",7]

select splitByChar('?', log_attributes['request.path'])[1] ruta, log_attributes['response.status_code'] st, count() n from logs where source='edge_logs' and toInt32OrZero(log_attributes['response.status_code'])>=500 group by ruta, st order by n desc, ruta, st limit 15
---
["/auth/v1/token","503",1]
["/graphql/v1","500",1]
["/rest/v1/items","500",1]
["/rest/v1/items","503",1]
["/rest/v1/users","500",1]
["/rest/v1/users","503",1]
["/rest/v1/Ünïcode","500",1]
["/rest/v1/Ünïcode","503",1]
["/storage/v1/object/a b.png","500",1]
["/storage/v1/object/a b.png","503",1]

select toStartOfFiveMinutes(timestamp) t, substring(event_message,1,160) msg, count() n from logs where source='postgres_logs' and (log_attributes['error_severity'] in ('ERROR','FATAL','PANIC') or event_message ilike '%timeout%' or event_message ilike '%terminat%') group by t, msg order by t desc limit 30
---
["2026-11-19 16:00:00","canceling statement due to statement timeout",1]
["2026-11-19 10:00:00","canceling statement due to statement timeout",1]
["2026-11-19 04:00:00","canceling statement due to statement timeout",1]

select log_attributes['request.headers.cf_connecting_ip'] as ip, count(*) as n, min(cast(timestamp as datetime)) as first_ts, max(cast(timestamp as datetime)) as last_ts from logs where source = 'edge_logs' group by ip order by n desc, ip limit 40
---
["10.0.0.0",12,"2026-11-20 08:00:00","2026-11-20 08:56:44"]
["10.0.0.1",12,"2026-11-20 09:03:57","2026-11-20 09:59:41"]
["10.0.0.3",12,"2026-11-20 11:01:19","2026-11-20 11:49:31"]
["10.0.0.2",11,"2026-11-20 10:02:38","2026-11-20 10:58:22"]
["",1,"2026-11-20 10:34:46","2026-11-20 10:34:46"]

select JSONExtractString(event_message, 'event') as event, JSONExtractString(event_message, 'tool') as tool, JSONExtractString(event_message, 'kind') as kind, count() as n from logs where source = 'function_logs' and startsWith(event_message, '{') group by event, tool, kind order by n desc, kind limit 100
---
["","","",2]
["tool","","k0",1]
["tool","","k6",1]

select log_attributes['path'] as path, log_attributes['provider'] as provider, log_attributes['status'] as status, domain(log_attributes['referer']) as from, count() as n from logs where source = 'auth_logs' and log_attributes['path'] != '' and not startsWith(log_attributes['path'], '/admin') group by path, provider, status, from order by path, provider, status limit 100
---
["/logout","email","200","app.example.com",1]
["/logout","google","","app.example.com",1]
["/signup","email","500","app.example.com",1]
["/signup","google","","app.example.com",1]
["/signup","google","429","app.example.com",1]
["/token","email","200","app.example.com",1]
["/token","email","500","app.example.com",1]
["/token","google","429","app.example.com",1]
["/user","email","200","app.example.com",1]
["/user","google","429","app.example.com",1]

select JSONExtractString(event_message, 'auth_event', 'action') as action, count() as n from logs where source = 'auth_logs' group by action order by action
---
["login",4]
["logout",4]
["token_refreshed",4]

select log_attributes['request.path'] as ruta, log_attributes['request.headers.user_agent'] as ua, log_attributes['response.status_code'] as st, count(*) as n, countIf(match(log_attributes['request.search'], 'limit=([5-9][0-9]{2}|[0-9]{4,})') and position(log_attributes['request.search'], 'id=gt') = 0) as pesadas from logs where source='edge_logs' group by ruta, ua, st order by n desc, ruta, ua, st limit 50
---
["/auth/v1/token","","200",1,0]
["/auth/v1/token","","404",1,0]
["/auth/v1/token","Mozilla/5.0 (X11)","304",1,0]
["/auth/v1/token","Mozilla/5.0 (X11)","503",1,0]
["/auth/v1/token","curl/8.0","201",1,0]
["/auth/v1/token","node","429",1,0]
["/auth/v1/token","supabase-js/2.0 (100%_x)","200",1,0]
["/functions/v1/hello","","",1,0]
["/functions/v1/hello","Mozilla/5.0 (X11)","NaN",1,0]
["/functions/v1/hello","curl/8.0","404",1,0]
["/functions/v1/hello","node","200",1,0]
["/functions/v1/hello","node","201",1,0]
["/functions/v1/hello","supabase-js/2.0 (100%_x)","304",1,0]
["/graphql/v1","","304",1,0]
["/graphql/v1","Mozilla/5.0 (X11)","201",1,0]
["/graphql/v1","curl/8.0","200",1,0]
["/graphql/v1","node","200",1,0]
["/graphql/v1","node","404",1,0]
["/graphql/v1","supabase-js/2.0 (100%_x)","",1,0]
["/graphql/v1","supabase-js/2.0 (100%_x)","500",1,0]
["/rest/v1/items","","500",1,0]
["/rest/v1/items","Mozilla/5.0 (X11)","",1,0]
["/rest/v1/items","Mozilla/5.0 (X11)","404",1,0]
["/rest/v1/items","curl/8.0","304",1,0]
["/rest/v1/items","curl/8.0","429",1,0]
["/rest/v1/items","node","503",1,0]
["/rest/v1/items","supabase-js/2.0 (100%_x)","200",1,0]
["/rest/v1/users","","201",1,0]
["/rest/v1/users","Mozilla/5.0 (X11)","200",1,0]
["/rest/v1/users","Mozilla/5.0 (X11)","503",1,0]
["/rest/v1/users","curl/8.0","429",1,0]
["/rest/v1/users","curl/8.0","500",1,0]
["/rest/v1/users","node","",1,0]
["/rest/v1/users","supabase-js/2.0 (100%_x)","404",1,0]
["/rest/v1/Ünïcode","","429",1,0]
["/rest/v1/Ünïcode","Mozilla/5.0 (X11)","200",1,0]
["/rest/v1/Ünïcode","curl/8.0","304",1,0]
["/rest/v1/Ünïcode","curl/8.0","503",1,0]
["/rest/v1/Ünïcode","node","200",1,0]
["/rest/v1/Ünïcode","supabase-js/2.0 (100%_x)","201",1,0]
["/rest/v1/Ünïcode","supabase-js/2.0 (100%_x)","500",1,0]
["/storage/v1/object/a b.png","","200",1,0]
["/storage/v1/object/a b.png","","404",1,0]
["/storage/v1/object/a b.png","Mozilla/5.0 (X11)","429",1,0]
["/storage/v1/object/a b.png","node","201",1,0]
["/storage/v1/object/a b.png","node","500",1,0]
["/storage/v1/object/a b.png","quo\"te \\ back","200",1,0]
["/storage/v1/object/a b.png","supabase-js/2.0 (100%_x)","503",1,0]

select toStartOfInterval(timestamp, interval 1 minute) minute, log_attributes['request.headers.cf_connecting_ip'] ip, count(*) n from logs where source='edge_logs' and log_attributes['request.method']!='OPTIONS' group by minute, ip order by n desc, minute, ip limit 20
---
["2026-11-20 08:00:00","10.0.0.0",1]
["2026-11-20 08:08:00","10.0.0.0",1]
["2026-11-20 08:12:00","10.0.0.0",1]
["2026-11-20 08:20:00","10.0.0.0",1]
["2026-11-20 08:24:00","10.0.0.0",1]
["2026-11-20 08:28:00","10.0.0.0",1]
["2026-11-20 08:40:00","10.0.0.0",1]
["2026-11-20 08:44:00","10.0.0.0",1]
["2026-11-20 08:48:00","10.0.0.0",1]
["2026-11-20 08:52:00","10.0.0.0",1]
["2026-11-20 09:03:00","10.0.0.1",1]
["2026-11-20 09:07:00","10.0.0.1",1]
["2026-11-20 09:15:00","10.0.0.1",1]
["2026-11-20 09:19:00","10.0.0.1",1]
["2026-11-20 09:23:00","10.0.0.1",1]
["2026-11-20 09:27:00","10.0.0.1",1]
["2026-11-20 09:35:00","10.0.0.1",1]
["2026-11-20 09:47:00","10.0.0.1",1]
["2026-11-20 09:55:00","10.0.0.1",1]
["2026-11-20 09:59:00","10.0.0.1",1]

select timestamp, log_attributes['parsed.error_severity'] as severity, log_attributes['parsed.sql_state_code'] as sqlstate, extract(event_message, '(still waiting for|acquired|canceling statement due to|deadlock detected|temporary file:)') as event_kind, extract(event_message, '([0-9.]+) ms') as duration_ms, extract(event_message, 'relation ([0-9]+)') as relation_oid from logs where source='postgres_logs' and match(event_message, 'still waiting for|acquired .* after|canceling statement due to|duration') order by timestamp desc, id limit 500
---
["2026-11-20 14:00:14","FATAL","42P01","","140.5",""]
["2026-11-20 08:00:08","FATAL","00000","","80.5",""]
["2026-11-20 02:00:02","FATAL","42P01","","20.5",""]
["2026-11-19 16:00:16","PANIC","00000","canceling statement due to","",""]
["2026-11-19 10:00:10","PANIC","42P01","canceling statement due to","",""]
["2026-11-19 04:00:04","PANIC","00000","canceling statement due to","",""]

select concat(log_attributes['request.method'], ' ', replaceRegexpAll(log_attributes['request.path'], 'v[0-9]+', ':v')) as endpoint, count() as n, round(quantile(0.95)(toFloat64OrZero(log_attributes['response.origin_time'])), 0) as p95_ms from logs where source = 'edge_logs' group by endpoint having n >= 1 order by p95_ms desc, endpoint limit 3
---
["DELETE /functions/:v/hello",1,1000]
["GET /storage/:v/object/a b.png",1,1000]
["OPTIONS /rest/:v/users",1,1000]

select log_attributes['parsed.sql_state_code'] as sql_state, log_attributes['parsed.error_severity'] as severity, log_attributes['parsed.user_name'] as role, count() as hits from logs where source = 'postgres_logs' and log_attributes['parsed.error_severity'] in ('ERROR', 'FATAL', 'PANIC') group by sql_state, severity, role order by hits desc, sql_state, severity, role limit 100
---
["00000","PANIC","anon",2]
["42501","ERROR","anon",2]
["42P01","FATAL","authenticator",2]
["00000","FATAL","authenticator",1]
["23505","ERROR","anon",1]
["42P01","PANIC","anon",1]

select count() as count, log_attributes['parsed.error_severity'] as error_severity from logs where source = 'postgres_logs' and log_attributes['parsed.error_severity'] in ('ERROR', 'FATAL', 'PANIC') group by log_attributes['parsed.error_severity'] order by count desc, error_severity limit 100
---
[3,"ERROR"]
[3,"FATAL"]
[3,"PANIC"]

select toStartOfHour(timestamp) as hour, log_attributes['request.cf.country'] as country, count() as calls, countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) as calls_5xx, round(countIf(toInt32OrZero(log_attributes['response.status_code']) >= 500) / count(), 2) as ratio_5xx from logs where source = 'edge_logs' group by hour, country having calls > 3 or ratio_5xx > 0.2 order by hour desc, calls desc, country
---
["2026-11-20 11:00:00","",12,0,0]
["2026-11-20 10:00:00","BR",12,0,0]
["2026-11-20 09:00:00","US",12,5,0.42]
["2026-11-20 08:00:00","DE",12,5,0.42]

select quantiles(0.5, 0.9, 0.99)(toFloat64OrZero(log_attributes['execution_time_ms'])) as q from logs where source = 'function_edge_logs'
---
[[20,1500,1500]]

select uniq(log_attributes['request.headers.cf_connecting_ip']) as ips, uniqExact(log_attributes['request.path']) as paths, uniqIf(id, log_attributes['request.method'] = 'GET') as gets from logs where source = 'edge_logs'
---
[5,7,10]

select sumIf(toInt64OrZero(log_attributes['response.headers.content_length']), log_attributes['response.status_code'] = '200') as bytes, avgIf(toFloat64OrZero(log_attributes['response.origin_time']), log_attributes['response.origin_time'] not in ('nan', '')) as avg_ms, minIf(timestamp, source = 'edge_logs') as first from logs where source = 'edge_logs'
---
[15600,212.30952381,"2026-11-20 08:00:00"]

select argMax(log_attributes['request.path'], timestamp) as last_path, argMin(id, timestamp) as first_id from logs where source = 'edge_logs'
---
["/rest/v1/items","edg000"]

select source, argMax(id, (timestamp, id)) as last from logs group by source order by source
---
["auth_logs","aut011"]
["edge_logs","edg007"]
["function_edge_logs","fun013"]
["function_logs","fun011"]
["pgbouncer_logs","pgb000"]
["postgres_logs","pos017"]
["postgrest_logs","pos000"]
["realtime_logs","rea002"]
["storage_logs","sto002"]

select topK(1)(log_attributes['response.status_code']) as top from logs where source = 'edge_logs'
---
[["200"]]

select groupUniqArray(source) as s from logs where source = 'auth_logs'
---
[["auth_logs"]]

select arraySort(groupUniqArray(log_attributes['request.method'])) as m, arraySort(groupArray(2)(log_attributes['identifier'])) != ['x'] as ok from logs where source = 'edge_logs'
---
[["DELETE","GET","OPTIONS","PATCH","POST"],1]

with 500 as least select count() as n from logs where toInt32OrZero(log_attributes['response.status_code']) >= least
---
[13]

with errors as (select toStartOfHour(timestamp) as h, count() as n from logs where severity_text in ('ERROR', 'FATAL', 'PANIC') group by h) select h, n, (select sum(n) from errors) as total, round(n / total, 3) as share from errors order by h
---
["2026-11-19 01:00:00",1,19,0.053]
["2026-11-19 04:00:00",1,19,0.053]
["2026-11-19 07:00:00",1,19,0.053]
["2026-11-19 10:00:00",1,19,0.053]
["2026-11-19 13:00:00",1,19,0.053]
["2026-11-19 16:00:00",1,19,0.053]
["2026-11-20 02:00:00",1,19,0.053]
["2026-11-20 07:00:00",2,19,0.105]
["2026-11-20 08:00:00",1,19,0.053]
["2026-11-20 09:00:00",6,19,0.316]
["2026-11-20 10:00:00",2,19,0.105]
["2026-11-20 14:00:00",1,19,0.053]

select dateDiff('second', min(timestamp), max(timestamp)) as seconds, dateDiff('hour', min(timestamp), max(timestamp)) as hours, dateDiff('day', min(timestamp), max(timestamp)) as days from logs where source = 'postgres_logs'
---
[234017,65,2]

select formatDateTime(toStartOfHour(timestamp), '%Y-%m-%d %H:%i') as h, count() as n from logs group by h order by h
---
["2026-11-18 00:00",1]
["2026-11-18 03:00",1]
["2026-11-18 06:00",1]
["2026-11-18 09:00",1]
["2026-11-18 12:00",1]
["2026-11-18 15:00",1]
["2026-11-19 01:00",1]
["2026-11-19 04:00",1]
["2026-11-19 07:00",1]
["2026-11-19 10:00",1]
["2026-11-19 13:00",1]
["2026-11-19 16:00",1]
["2026-11-19 23:00",1]
["2026-11-20 00:00",1]
["2026-11-20 02:00",1]
["2026-11-20 05:00",1]
["2026-11-20 07:00",6]
["2026-11-20 08:00",13]
["2026-11-20 09:00",24]
["2026-11-20 10:00",24]
["2026-11-20 11:00",27]
["2026-11-20 14:00",1]
["2026-11-20 17:00",1]

select toHour(timestamp) as h, toDayOfWeek(timestamp) as d, toDate(timestamp) as day, count() from logs group by h, d, day order by day, h
---
[0,3,"2026-11-18",1]
[3,3,"2026-11-18",1]
[6,3,"2026-11-18",1]
[9,3,"2026-11-18",1]
[12,3,"2026-11-18",1]
[15,3,"2026-11-18",1]
[1,4,"2026-11-19",1]
[4,4,"2026-11-19",1]
[7,4,"2026-11-19",1]
[10,4,"2026-11-19",1]
[13,4,"2026-11-19",1]
[16,4,"2026-11-19",1]
[23,4,"2026-11-19",1]
[0,5,"2026-11-20",1]
[2,5,"2026-11-20",1]
[5,5,"2026-11-20",1]
[7,5,"2026-11-20",6]
[8,5,"2026-11-20",13]
[9,5,"2026-11-20",24]
[10,5,"2026-11-20",24]
[11,5,"2026-11-20",27]
[14,5,"2026-11-20",1]
[17,5,"2026-11-20",1]

select toStartOfInterval(timestamp, INTERVAL 15 MINUTE) as t, log_attributes['level'] as level, count() as n from logs where source in ('auth_logs', 'function_logs') group by t, level order by t, level
---
["2026-11-20 09:00:00","error",1]
["2026-11-20 09:00:00","fatal",1]
["2026-11-20 09:00:00","info",2]
["2026-11-20 09:00:00","warning",1]
["2026-11-20 09:15:00","error",2]
["2026-11-20 09:15:00","fatal",1]
["2026-11-20 09:15:00","info",1]
["2026-11-20 09:15:00","warning",1]
["2026-11-20 09:30:00","fatal",1]
["2026-11-20 09:30:00","warning",1]
["2026-11-20 10:00:00","error",1]
["2026-11-20 10:00:00","info",1]
["2026-11-20 10:00:00","warning",1]
["2026-11-20 10:15:00","debug",1]
["2026-11-20 10:15:00","log",1]
["2026-11-20 10:15:00","weird",1]
["2026-11-20 10:30:00","error",1]
["2026-11-20 10:30:00","info",1]
["2026-11-20 10:30:00","warning",1]
["2026-11-20 10:45:00","debug",1]
["2026-11-20 10:45:00","log",1]
["2026-11-20 10:45:00","weird",1]

select date_trunc('hour', timestamp) as t, count() from logs group by t order by t
---
["2026-11-18 00:00:00",1]
["2026-11-18 03:00:00",1]
["2026-11-18 06:00:00",1]
["2026-11-18 09:00:00",1]
["2026-11-18 12:00:00",1]
["2026-11-18 15:00:00",1]
["2026-11-19 01:00:00",1]
["2026-11-19 04:00:00",1]
["2026-11-19 07:00:00",1]
["2026-11-19 10:00:00",1]
["2026-11-19 13:00:00",1]
["2026-11-19 16:00:00",1]
["2026-11-19 23:00:00",1]
["2026-11-20 00:00:00",1]
["2026-11-20 02:00:00",1]
["2026-11-20 05:00:00",1]
["2026-11-20 07:00:00",6]
["2026-11-20 08:00:00",13]
["2026-11-20 09:00:00",24]
["2026-11-20 10:00:00",24]
["2026-11-20 11:00:00",27]
["2026-11-20 14:00:00",1]
["2026-11-20 17:00:00",1]

select toStartOfWeek(timestamp) w, toMonday(timestamp) m, toStartOfMonth(timestamp) mo, toStartOfTenMinutes(timestamp) ten, toStartOfFifteenMinutes(timestamp) q, toStartOfInterval(timestamp, interval 1 day) d, toStartOfInterval(timestamp, interval 1 week) wk, toStartOfInterval(timestamp, interval 30 second) s, count() from logs where source = 'postgres_logs' group by all order by w, ten, s
---
["2026-11-15","2026-11-16","2026-11-01","2026-11-18 00:00:00","2026-11-18 00:00:00","2026-11-18 00:00:00","2026-11-16","2026-11-18 00:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-18 03:00:00","2026-11-18 03:00:00","2026-11-18 00:00:00","2026-11-16","2026-11-18 03:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-18 06:00:00","2026-11-18 06:00:00","2026-11-18 00:00:00","2026-11-16","2026-11-18 06:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-18 09:00:00","2026-11-18 09:00:00","2026-11-18 00:00:00","2026-11-16","2026-11-18 09:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-18 12:00:00","2026-11-18 12:00:00","2026-11-18 00:00:00","2026-11-16","2026-11-18 12:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-18 15:00:00","2026-11-18 15:00:00","2026-11-18 00:00:00","2026-11-16","2026-11-18 15:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-19 01:00:00","2026-11-19 01:00:00","2026-11-19 00:00:00","2026-11-16","2026-11-19 01:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-19 04:00:00","2026-11-19 04:00:00","2026-11-19 00:00:00","2026-11-16","2026-11-19 04:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-19 07:00:00","2026-11-19 07:00:00","2026-11-19 00:00:00","2026-11-16","2026-11-19 07:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-19 10:00:00","2026-11-19 10:00:00","2026-11-19 00:00:00","2026-11-16","2026-11-19 10:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-19 13:00:00","2026-11-19 13:00:00","2026-11-19 00:00:00","2026-11-16","2026-11-19 13:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-19 16:00:00","2026-11-19 16:00:00","2026-11-19 00:00:00","2026-11-16","2026-11-19 16:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-20 02:00:00","2026-11-20 02:00:00","2026-11-20 00:00:00","2026-11-16","2026-11-20 02:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-20 05:00:00","2026-11-20 05:00:00","2026-11-20 00:00:00","2026-11-16","2026-11-20 05:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-20 08:00:00","2026-11-20 08:00:00","2026-11-20 00:00:00","2026-11-16","2026-11-20 08:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-20 11:00:00","2026-11-20 11:00:00","2026-11-20 00:00:00","2026-11-16","2026-11-20 11:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-20 14:00:00","2026-11-20 14:00:00","2026-11-20 00:00:00","2026-11-16","2026-11-20 14:00:00",1]
["2026-11-15","2026-11-16","2026-11-01","2026-11-20 17:00:00","2026-11-20 17:00:00","2026-11-20 00:00:00","2026-11-16","2026-11-20 17:00:00",1]

select extractURLParameter(log_attributes['request.url'], 'x') as x, path(log_attributes['request.url']) as p, cutQueryString(log_attributes['request.url']) as c, domain(log_attributes['request.url']) as d, protocol(log_attributes['request.url']) as pr from logs where source = 'function_edge_logs' order by timestamp limit 3
---
["0","/functions/v1/f0","https://x.supabase.co/functions/v1/f0#frag","x.supabase.co","https"]
["1","/functions/v1/f1","https://x.supabase.co/functions/v1/f1#frag","x.supabase.co","https"]
["2","/functions/v1/f2","https://x.supabase.co/functions/v1/f2#frag","x.supabase.co","https"]

select count() from logs where timestamp between '2026-11-19 00:00:00' and '2026-11-20 00:00:00'
---
[8]

select max(timestamp) as last_seen, any(source) as s from logs where source = 'storage_logs'
---
["2026-11-20 07:12:00","storage_logs"]

select count() as n from logs where source = 'none'
---
[0]

select sum(toInt32OrZero(log_attributes['x'])) as s, avg(toInt32OrZero(log_attributes['x'])) as a, min(id) as i, max(timestamp) as t, quantile(0.9)(toFloat64OrZero(log_attributes['x'])) as q, uniq(id) as u, groupArray(id) as g, any(id) as y, argMax(id, timestamp) as am from logs where source = 'none'
---
[0,"nan","","1970-01-01 00:00:00","nan",0,[],"",""]

select source, sum(toInt32OrZero(log_attributes['x'])) from logs where source = 'none' group by source
---

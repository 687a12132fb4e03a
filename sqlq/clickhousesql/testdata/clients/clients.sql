# What clients of ClickHouse ask a server while they connect and list its tables
# clickhouse-go
SELECT displayName(), version(), revision(), timezone()
---
["savedq","26.5.0.0",54460,"UTC"]

# clickhouse-java
SELECT currentUser() AS user, timezone() AS timezone, version() AS version LIMIT 1
---
["default","UTC","26.5.0.0"]

# Any client
SELECT 1
---
[1]

# Grafana
SELECT version()
---
["26.5.0.0"]

SHOW DATABASES
---
["default"]

SHOW TABLES FROM "default"
---
["logs"]

SHOW TABLES
---
["logs"]

# Any client
show full tables in default like 'l%';
---
["logs"]

SHOW TABLES ILIKE 'X'
---

SHOW TABLES FROM system
---

SHOW DATABASES LIKE 'def%'
---
["default"]

# Grafana
SELECT name FROM system.databases ORDER BY name
---
["default"]

SELECT name FROM system.tables WHERE database = 'default' ORDER BY name
---
["logs"]

SELECT name, type, table FROM system.columns WHERE database IN ('default') AND table = 'logs' LIMIT 1
---
["id","String","logs"]

SELECT name, is_aggregate, case_insensitive, alias_to, origin, syntax FROM system.functions WHERE name = 'quantile' LIMIT 10000
---
["quantile",1,0,"","System","quantile(level)(Number)"]

# Metabase
SELECT value='1' FROM system.settings WHERE name='cloud_mode'
---

SELECT count(*) > 0 FROM system.databases WHERE name = 'default'
---
[1]

WITH s AS (SELECT version() AS ver, splitByChar('.', ver) AS verSplit) SELECT s.ver, toInt32(verSplit[1]), toInt32(verSplit[2]) FROM s
---
["26.5.0.0",26,5]

SELECT `default`.`logs`.`id` AS `id` FROM `default`.`logs` ORDER BY `default`.`logs`.`id` LIMIT 1
---
["aut000"]

# clickhouse-java
SELECT name AS TABLE_SCHEM, '' AS TABLE_CATALOG FROM system.databases ORDER BY name
---
["default",""]

SELECT '' AS TABLE_CAT, t.database AS TABLE_SCHEM, t.name AS TABLE_NAME, if(t.is_temporary = 1, concat('Temporary', t.engine), t.engine) AS TABLE_TYPE, t.comment AS REMARKS, CAST(null as Nullable(String)) AS TYPE_CAT, d.engine AS TYPE_SCHEM FROM system.tables t JOIN system.databases d ON system.tables.database = system.databases.name WHERE t.database LIKE '%' AND t.name LIKE 'logs' AND (t.is_temporary = 0)
---
["","default","logs","View","The events of all log sources.",null,"Atomic"]

SELECT database AS TABLE_SCHEM, table AS TABLE_NAME, name AS COLUMN_NAME, type AS TYPE_NAME, toInt32(IF (numeric_scale == 0, NULL, numeric_scale)) as DECIMAL_DIGITS, toInt32(numeric_precision_radix) AS NUM_PREC_RADIX, toInt32(position(type, 'Nullable(') >= 1 ?1 : 0) as NULLABLE, system.columns.comment AS REMARKS, system.columns.default_expression AS COLUMN_DEF, character_octet_length::Nullable(Int32) AS CHAR_OCTET_LENGTH, toInt32(system.columns.position) AS ORDINAL_POSITION, position(upper(type), 'NULLABLE') >= 1 ? 'YES' : 'NO' AS IS_NULLABLE FROM system.columns WHERE database LIKE '%' AND table LIKE 'logs' AND name LIKE 'source' ORDER BY TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION
---
["default","logs","source","String",null,null,0,"name of the log source, such as `edge_logs`","",null,5,"NO"]

# DBeaver
SELECT count() FROM (SELECT name as TABLE_NAME, engine as TABLE_TYPE, database as TABLE_SCHEM, comment as REMARKS, * FROM system.tables WHERE database = 'default' and name='logs')
---
[1]

# Any client
WITH logs AS (SELECT 1 AS x) SELECT x FROM logs
---
[1]

WITH logs AS (SELECT 1 AS x) SELECT count() > 1 FROM default.logs
---
[1]

DESC TABLE "default"."logs"
---
["event_message","String","","","message of the event","",""]
["id","String","","","id of the event","",""]
["log_attributes","Map(String, String)","","","`metadata`: paths such as `request.headers.user_agent` to the texts of their values","",""]
["severity_text","String","","","`level`, or else `parsed.error_severity`, in capitals; `INFO` if it is none of TRACE, DEBUG, INFO, NOTICE, WARN, WARNING, ERROR, FATAL, CRITICAL, EMERGENCY, ALERT, LOG, PANIC","",""]
["source","String","","","name of the log source, such as `edge_logs`","",""]
["timestamp","DateTime64(6)","","","time of the event, in UTC","",""]

# DBeaver
SELECT count() FROM (SELECT name as TABLE_NAME, engine as TABLE_TYPE, database as TABLE_SCHEM, comment as REMARKS, * FROM system.tables WHERE database = 'default' and name='logs')
---
[1]

# Metabase
SELECT count(`default`.`logs`.`id`) > 1 FROM `default`.`logs` WHERE `default`.`logs`.`source` = 'edge_logs'
---
[1]

# Grafana's macros
SELECT toStartOfInterval(toDateTime(timestamp), INTERVAL 3600 second) as time, count() > 0 as some FROM "default"."logs" WHERE ( timestamp >= toDateTime(1763600000) AND timestamp <= toDateTime(1800000000) ) GROUP BY time ORDER BY time ASC LIMIT 1
---
["2026-11-18 00:00:00",1]

SELECT count() > 5 FROM "default"."logs" WHERE ( timestamp >= fromUnixTimestamp64Milli(1763600000000) AND timestamp <= fromUnixTimestamp64Milli(1800000000000) ) AND (timestamp >= toDate('2025-11-20') AND timestamp <= toDate('2026-12-30'))
---
[1]

SELECT max(toStartOfInterval(toDateTime64(timestamp, 3), INTERVAL 500 millisecond)) > toDateTime(0) FROM logs
---
[1]

SELECT timestamp as "timestamp", event_message as "body", severity_text as "level", log_attributes as "labels" FROM "default"."logs" WHERE ( level IN ('NOSUCH') ) ORDER BY timestamp DESC LIMIT 1000
---

# What is refused
SELECT * FROM system.users
---
refused: there is no table system.users; there are system.databases, system.tables, 

SELECT * FROM system.query_log
---
refused: there is no table system.query_log

SELECT * FROM other.logs
---
refused: there is no table other.logs; the only table is logs

SELECT * FROM default.edge_logs
---
refused: its rows are in logs: FROM logs WHERE source = 'edge_logs'

SELECT * FROM system.numbers(10)
---
refused: the table function system.numbers is not allowed

DESCRIBE TABLE system.tables
---
refused: there is no description of system.tables; the table is logs

DESC (SELECT 1)
---
refused: expected a table or a subquery, found (

SHOW GRANTS
---
refused: only SELECT is supported, not SHOW

SHOW TABLES LIKE x
---
refused: expected a pattern such as 'l%', found x

SHOW TABLES; SELECT 1
---
refused: expected the end of the text, found SELECT

SELECT version(1)
---
refused: version is not allowed

SELECT getSetting('x')
---
refused: getSetting is not allowed

SELECT default.logs.nosuch FROM logs
---
refused: there is no column default.logs.nosuch

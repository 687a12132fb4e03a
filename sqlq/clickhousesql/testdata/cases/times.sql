# Times
SELECT toDateTime('2026-01-02 03:04:05') AS a, toDate('2026-01-02') AS b, toDateTime64('2026-01-02 03:04:05.678', 3) AS c, toDateTime(1767322800) AS d, toDate(20455) AS e, toDateTime('2026-01-02') AS f, toDateTime('2026-01-02T03:04:05') AS g, toDateTime64('2026-01-02 03:04:05.123456789', 6) AS h, DATE '2026-01-02' AS i, TIMESTAMP '2026-01-02 03:04:05' AS j
---
["2026-01-02 03:04:05","2026-01-02","2026-01-02 03:04:05.678","2026-01-02 03:00:00","2026-01-02","2026-01-02 00:00:00","2026-01-02 03:04:05","2026-01-02 03:04:05.123456","2026-01-02","2026-01-02 03:04:05"]

SELECT parseDateTimeBestEffort('2026-01-02T03:04:05Z') AS a, parseDateTimeBestEffort('2026-01-02T03:04:05+02:00') AS b, parseDateTimeBestEffort('1767322800') AS c, parseDateTime64BestEffort('2026-01-02T03:04:05.123456Z', 6) AS d, parseDateTimeBestEffortOrNull('x') AS e, parseDateTimeBestEffortOrZero('x') AS f, parseDateTimeBestEffort('2026-01-02 03:04') AS g, parseDateTimeBestEffort('2 Jan 2026 03:04:05') AS h, parseDateTimeBestEffort('2026-01-02') AS i
---
["2026-01-02 03:04:05","2026-01-02 01:04:05","2026-01-02 03:00:00","2026-01-02 03:04:05.123456",null,"1970-01-01 00:00:00","2026-01-02 03:04:00","2026-01-02 03:04:05","2026-01-02 00:00:00"]

WITH toDateTime64('2026-03-05 13:47:59.987654', 6) AS t SELECT toStartOfSecond(t) AS a, toStartOfMinute(t) AS b, toStartOfFiveMinutes(t) AS c, toStartOfTenMinutes(t) AS d, toStartOfFifteenMinutes(t) AS e, toStartOfHour(t) AS f, toStartOfDay(t) AS g, toStartOfWeek(t) AS h, toStartOfWeek(t, 1) AS i, toMonday(t) AS j, toStartOfMonth(t) AS k, toStartOfQuarter(t) AS l, toStartOfYear(t) AS m, timeSlot(t) AS n
---
["2026-03-05 13:47:59","2026-03-05 13:47:00","2026-03-05 13:45:00","2026-03-05 13:40:00","2026-03-05 13:45:00","2026-03-05 13:00:00","2026-03-05 00:00:00","2026-03-01","2026-03-02","2026-03-02","2026-03-01","2026-01-01","2026-01-01","2026-03-05 13:30:00"]

WITH toDateTime64('2026-03-05 13:47:59.987654', 6) AS t SELECT toStartOfInterval(t, INTERVAL 10 second) AS a, toStartOfInterval(t, INTERVAL 7 minute) AS b, toStartOfInterval(t, INTERVAL 6 hour) AS c, toStartOfInterval(t, INTERVAL 2 day) AS d, toStartOfInterval(t, INTERVAL 2 week) AS e, toStartOfInterval(t, INTERVAL 3 month) AS f, toStartOfInterval(t, INTERVAL 1 year) AS g, toStartOfInterval(t, toIntervalMinute(5)) AS h, toStartOfInterval(t, INTERVAL 1 quarter) AS i, toStartOfInterval(t, INTERVAL 5 hour) AS j, toStartOfInterval(t, INTERVAL 11 minute) AS k, toStartOfInterval(t, INTERVAL 25 hour) AS l, toStartOfInterval(t, INTERVAL 7 month) AS m, toStartOfInterval(t, INTERVAL 3 year) AS n, toStartOfInterval(t, INTERVAL 1000 minute) AS o, toStartOfInterval(toDate('2026-01-30'), INTERVAL 1 week) AS p
---
["2026-03-05 13:47:50","2026-03-05 13:46:00","2026-03-05 12:00:00","2026-03-04 00:00:00","2026-03-02","2026-01-01","2026-01-01","2026-03-05 13:45:00","2026-01-01","2026-03-05 10:00:00","2026-03-05 13:47:00","2026-03-05 00:00:00","2026-01-01","2025-01-01","2026-03-05 08:40:00","2026-01-26"]

WITH toDateTime64('2026-03-05 13:47:59.987654', 6) AS t SELECT toYear(t) AS a, toMonth(t) AS b, toDayOfMonth(t) AS c, toHour(t) AS d, toMinute(t) AS e, toSecond(t) AS f, toDayOfWeek(t) AS g, toDayOfYear(t) AS h, toQuarter(t) AS i, toYYYYMM(t) AS j, toYYYYMMDD(t) AS k, toISOWeek(t) AS l, toUnixTimestamp(t) AS m, toDate(t) AS n, toDateTime(t) AS o, toMillisecond(t) AS p, toYYYYMMDDhhmmss(t) AS q, EXTRACT(HOUR FROM t) AS r
---
[2026,3,5,13,47,59,4,64,1,202603,20260305,10,1772718479,"2026-03-05","2026-03-05 13:47:59",987,20260305134759,13]

WITH toDateTime64('2026-03-05 13:47:59.987654', 6) AS t SELECT toUnixTimestamp64Milli(t) AS a, toUnixTimestamp64Micro(t) AS b, fromUnixTimestamp(1767322800) AS c, fromUnixTimestamp64Milli(1767322800123) AS d, toUnixTimestamp(toDate('2026-01-01')) AS e, fromUnixTimestamp64Micro(1767322800123456) AS f
---
[1772718479987,1772718479987654,"2026-01-02 03:00:00","2026-01-02 03:00:00.123",1767225600,"2026-01-02 03:00:00.123456"]

WITH toDateTime('2026-01-31 23:00:00') AS t SELECT t + INTERVAL 1 HOUR AS a, t - INTERVAL 1 DAY AS b, t + INTERVAL 1 MONTH AS c, addDays(t, 1) AS d, subtractHours(t, 2) AS e, t + 60 AS f, t - 60 AS g, toDate(t) + 1 AS h, toDate(t) + INTERVAL 1 HOUR AS i, t + INTERVAL '2' WEEK AS j, t + INTERVAL '3 minutes' AS k, addMonths(t, 1) AS l, t - toDateTime('2026-01-31 22:00:00') AS m, t + INTERVAL 1 YEAR AS n, INTERVAL 1 SECOND + t AS o
---
["2026-02-01 00:00:00","2026-01-30 23:00:00","2026-02-28 23:00:00","2026-02-01 23:00:00","2026-01-31 21:00:00","2026-01-31 23:01:00","2026-01-31 22:59:00","2026-02-01","2026-01-31 01:00:00","2026-02-14 23:00:00","2026-01-31 23:03:00","2026-02-28 23:00:00",3600,"2027-01-31 23:00:00","2026-01-31 23:00:01"]

SELECT dateDiff('second', toDateTime('2026-01-01 00:00:59'), toDateTime('2026-01-01 00:01:00')) AS a, dateDiff('minute', toDateTime('2026-01-01 00:00:59'), toDateTime('2026-01-01 00:01:00')) AS b, dateDiff('hour', toDateTime('2026-01-01 00:00:00'), toDateTime('2025-12-31 00:00:00')) AS c, dateDiff('day', toDate('2026-01-01'), toDate('2026-03-01')) AS d, dateDiff('month', toDate('2026-01-31'), toDate('2026-02-01')) AS e, dateDiff('week', toDate('2026-01-04'), toDate('2026-01-05')) AS f, dateDiff('year', toDate('2025-12-31'), toDate('2026-01-01')) AS g, date_diff('ms', toDateTime64('2026-01-01 00:00:00.1', 3), toDateTime64('2026-01-01 00:00:00.2', 3)) AS h
---
[1,1,-24,59,1,1,1,100]

SELECT formatDateTime(toDateTime('2026-03-05 13:07:09'), '%Y-%m-%d %H:%i:%S') AS a, formatDateTime(toDateTime('2026-03-05 13:07:09'), '%F %T') AS b, formatDateTime(toDateTime('2026-03-05 13:07:09'), '%d/%m/%y %I %p %j %%') AS c, formatDateTime(toDateTime('2026-03-05 13:07:09'), '%b %a %M %W') AS d, formatDateTime(toDateTime64('2026-03-05 13:07:09.123456', 6), '%R %f') AS e
---
["2026-03-05 13:07:09","2026-03-05 13:07:09","05/03/26 01 PM 064 %","Mar Thu March Thursday","13:07 123456"]

SELECT dateTrunc('hour', toDateTime('2026-03-05 13:07:09')) AS a, date_trunc('day', toDateTime('2026-03-05 13:07:09')) AS b, date_trunc('week', toDateTime('2026-03-05 13:07:09')) AS c, date_trunc('month', toDateTime('2026-03-05 13:07:09')) AS d, date_trunc('minute', toDateTime64('2026-03-05 13:07:09.5', 3)) AS e
---
["2026-03-05 13:00:00","2026-03-05 00:00:00","2026-03-02","2026-03-01","2026-03-05 13:07:00"]

SELECT toDateTime('2026-01-01 00:00:00') = toDateTime64('2026-01-01 00:00:00', 3) AS a, toDate('2026-01-01') < toDateTime('2026-01-01 00:00:01') AS b, toDateTime('2026-01-01 00:00:00') > '2025-12-31 23:59:59' AS c, toDate('2026-01-01') = '2026-01-01' AS d, toDateTime('2026-01-01 00:00:00') IN ('2026-01-01 00:00:00') AS e, toDate('2026-01-02') BETWEEN '2026-01-01' AND '2026-01-03' AS f
---
[1,1,1,1,1,1]

SELECT count() FROM logs WHERE timestamp > '2026-11-20 10:00:00' AND timestamp <= '2026-11-20 11:00:00.5'
---
[25]

SELECT count() FROM logs WHERE toDate(timestamp) = '2026-11-19'
---
[7]

SELECT count() FROM logs WHERE timestamp >= toDateTime('2026-11-20 11:00:00') - INTERVAL 1 HOUR AND timestamp < toDateTime64('2026-11-20 11:00:00', 6)
---
[24]

SELECT id, timestamp FROM logs WHERE timestamp = toDateTime64('2026-11-19 23:59:59.999999', 6)
---
["pos000","2026-11-19 23:59:59.999999"]

SELECT now() > toDateTime('2020-01-01 00:00:00') AS a, today() > toDate('2020-01-01') AS b, now64() > toDateTime64('2020-01-01 00:00:00', 3) AS c, now() - INTERVAL 1 DAY < now() AS d, toStartOfHour(now()) <= now() AS e, yesterday() = today() - 1 AS f, toUnixTimestamp(now()) > 0 AS g
---
[1,1,1,1,1,1,1]

SELECT if(source = 'edge_logs', timestamp, toDateTime64('2000-01-01 00:00:00', 6)) AS t FROM logs WHERE id = 'edg001'
---
["2026-11-20 09:07:13.012345"]

SELECT groupArray(t) AS a FROM (SELECT toStartOfDay(timestamp) AS t FROM logs WHERE source = 'realtime_logs' ORDER BY id)
---
[["2026-11-20 00:00:00","2026-11-20 00:00:00","2026-11-20 00:00:00"]]

SELECT toTimeZone(timestamp, 'UTC') AS t FROM logs WHERE id = 'edg001'
---
["2026-11-20 09:07:13.012345"]

SELECT toDateTimeOrNull('x') AS a, toDateTimeOrZero('2026-01-01 00:00:00') AS b, toDateOrNull('2026-01-01') AS c, toDateTimeOrNull(log_attributes['nope']) AS d FROM logs WHERE id = 'edg001'
---
[null,"2026-01-01 00:00:00","2026-01-01",null]

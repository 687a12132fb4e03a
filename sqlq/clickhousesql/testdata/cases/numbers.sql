# Numbers and conversions
SELECT toInt32OrZero('12') AS a, toInt32OrZero(' 12') AS b, toInt32OrZero('12 ') AS c, toInt32OrZero('+5') AS d, toInt32OrZero('1.5') AS e, toInt32OrZero('99999999999') AS f, toInt32OrZero('') AS g, toUInt8OrZero('300') AS h, toUInt8OrZero('-1') AS i, toInt64OrZero('-9223372036854775808') AS j, toInt32OrZero('0x10') AS k, toInt32OrZero('1e3') AS l, toInt32OrZero('1_0') AS m, toInt32OrZero('007') AS n
---
[12,0,0,5,0,0,0,0,0,-9223372036854775808,0,0,0,7]

SELECT toInt32OrNull('x') AS a, toInt32OrNull('5') AS b, toFloat64OrNull('') AS c, toInt32OrDefault('x', toInt32(7)) AS d, toUInt16OrZero('404') AS e, toInt32OrDefault('x') AS f
---
[null,5,null,7,404,0]

SELECT toFloat64OrZero('1.5') AS a, toFloat64OrZero('1e3') AS b, toFloat64OrZero('x') AS c, toFloat64OrZero(' 1') AS d, toFloat64OrZero('.5') AS e, toFloat64OrZero('5.') AS f, toFloat64OrZero('-1') AS g, toFloat64OrZero('nan') AS h, toFloat64OrZero('inf') AS i, toFloat64OrZero('-inf') AS j, toFloat64OrZero('1e') AS k
---
[1.5,1000,0,0,0.5,5,-1,"nan","inf","-inf",0]

SELECT toInt32('12') AS a, toInt8(300) AS b, toUInt8(-1) AS c, toInt32(1.9) AS d, toInt32(-1.9) AS e, toUInt8(256) AS f, toInt64(true) AS g, toFloat64('1.5') AS h, toUInt32(toDateTime('2026-01-01 00:00:00')) AS i, toInt16(70000) AS j, toFloat32(0.5) AS k
---
[12,44,255,1,-1,0,1,1.5,1767225600,4464,0.5]

SELECT 1 + 1 AS a, 200 + 100 AS b, 3 - 5 AS c, 255 * 255 AS d, 1 / 2 AS e, 1 / 0 AS f, -1 / 0 AS g, 0 / 0 AS h, intDiv(7, 2) AS i, intDiv(-7, 2) AS j, 7 % 3 AS k, -7 % 3 AS l, 7.5 % 2 AS m, -5 AS n, 2 * -3 AS o, intDivOrZero(1, 0) AS p
---
[2,300,-2,65025,0.5,"inf","-inf","nan",3,-3,1,-1,1.5,-5,-6,0]

SELECT toUInt64(1) - toUInt64(2) AS a, toInt64(9223372036854775807) + 1 AS b, toInt64(9223372036854775807) * 2 AS c, 4294967296 * 4294967296 AS d
---
[-1,-9223372036854775808,-2,0]

SELECT round(2.5) AS a, round(3.5) AS b, round(-2.5) AS c, round(1.25, 1) AS d, round(7) AS e, floor(1.7) AS f, ceil(1.2) AS g, floor(-1.5) AS h, trunc(-1.7) AS i, round(123.456, 2) AS j, floor(1.789, 2) AS k, ceil(1.781, 2) AS l, round(1234.5, -2) AS m
---
[2,4,-2,1.2,7,1,2,-2,-1,123.46,1.78,1.79,1200]

SELECT abs(-5) AS a, abs(-1.5) AS b, sign(-3) AS c, sqrt(16) AS d, exp(0) AS e, log(1) AS f, log2(8) AS g, log10(1000) AS h, pow(2, 10) AS i, sqrt(-1) AS j, log(0) AS k, greatest(1, 5, 3) AS l, least('b', 'a') AS m, greatest(1, 2.5) AS n
---
[5,1.5,-1,4,1,0,3,3,1024,"nan","-inf",5,"a",2.5]

SELECT nan = nan AS a, nan < 1 AS b, nan > 1 AS c, nan != nan AS d, 1 < nan AS e, isNaN(nan) AS f, isFinite(1) AS g, isInfinite(1 / 0) AS h, nan >= 1 AS i, nan IN (1, nan) AS j
---
[0,0,0,1,0,1,1,1,0,1]

SELECT max(x) AS a, min(x) AS b, avg(x) AS c, sum(x) AS d, quantile(0.5)(x) AS e, count() AS f, uniq(x) AS g FROM (SELECT arrayJoin([nan, 1., 2.]) AS x)
---
[2,1,"nan","nan",1.5,3,3]

SELECT x, count() FROM (SELECT arrayJoin([nan, 1., nan, -0., 0.]) AS x) WHERE isNaN(x) OR x > 0 GROUP BY x ORDER BY x
---
[1,1]
["nan",2]

SELECT sum(x) AS a, avg(x) AS b, min(x) AS c, max(x) AS d, count(x) AS e, count() AS f, any(x) AS g, groupArray(x) AS h, sumIf(x, x > 1) AS i, quantile(0.5)(x) AS j FROM (SELECT arrayJoin([1, 2, NULL, 4]) AS x)
---
[7,2.33333333333,1,4,3,4,1,[1,2,4],6,2]

SELECT sum(x) AS a, avg(x) AS b, min(x) AS c, max(x) AS d, count(x) AS e FROM (SELECT CAST(NULL AS Nullable(Int32)) AS x)
---
[null,null,null,null,0]

SELECT sumOrNull(x) AS a, avgOrNull(x) AS b, countIf(x > 1) AS c, minOrNull(x) AS d FROM (SELECT 1 AS x WHERE 0)
---
[null,null,0,null]

SELECT quantile(0.25)(x) AS a, median(x) AS b, quantiles(0.1, 0.9)(x) AS c, quantileExact(0.5)(x) AS d, stddevPop(x) AS e, stddevSamp(x) AS f, varPop(x) AS g, varSamp(x) AS h, corr(x, x * 2) AS i FROM (SELECT arrayJoin([1, 2, 3, 4, 10]) AS x)
---
[2,3,[1.4,7.6],3,3.16227766017,3.53553390593,10,12.5,1]

SELECT NULL = 1 AS a, NULL IS NULL AS b, 1 IS NOT NULL AS c, coalesce(NULL, 2) AS d, ifNull(NULL, 'x') AS e, nullIf(1, 1) AS f, nullIf('a', 'b') AS g, 1 IN (NULL) AS h, NULL + 1 AS i, if(NULL, 1, 2) AS j, assumeNotNull(toInt32OrNull('x')) AS k, NOT NULL AS l, NULL OR 1 AS m, NULL AND 0 AS n, isNull(NULL) AS o
---
[null,1,1,2,"x",null,"a",0,null,2,0,null,1,0,1]

SELECT nullIf(log_attributes['request.search'], '') AS s, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY s ORDER BY s NULLS FIRST LIMIT 3
---
[null,16]
["?limit=10\u0026id=gt.1",1]
["?limit=100\u0026id=gt.10",1]

SELECT if(1 > 0, 'a', 'b') AS a, multiIf(0, 'a', 1, 'b', 'c') AS b, CASE WHEN 1 = 2 THEN 'x' ELSE 'y' END AS c, CASE 3 WHEN 1 THEN 'one' WHEN 3 THEN 'three' END AS d, CASE WHEN 0 THEN 1 END AS e, if(0, 1, 2.5) AS f, if(1, 1, NULL) AS g, if(2, 'yes', 'no') AS h
---
["a","b","y","three",null,2.5,1,"yes"]

SELECT 1 BETWEEN 0 AND 2 AS a, 5 NOT BETWEEN 0 AND 2 AS b, 1 IN (1, 2) AS c, 'a' NOT IN ('b') AS d, 1 = 1.0 AS e, '5' = toString(5) AS f, toInt32(5) = '5' AS g, true = 1 AS h, 1 == 1 AS i, 1 <> 2 AS j
---
[1,1,1,1,1,1,1,1,1,1]

SELECT CAST('5' AS Int32) AS a, CAST(1.9 AS UInt8) AS b, '2026-01-01 10:00:00'::DateTime AS c, CAST('x' AS Nullable(String)) AS d, 5::String AS e, CAST('2026-01-02', 'Date') AS f, cast(1 as bool) AS g, cast(5 as float) AS h, CAST([1, 2] AS Array(String)) AS i, CAST(1 AS Bool) AS j
---
[5,1,"2026-01-01 10:00:00","x","5","2026-01-02",true,5,["1","2"],true]

SELECT true AS a, false AS b, true AND false AS c, true OR 0 AS d, NOT true AS e, toBool(1) AS f, 1 AND 1 AS g
---
[true,false,false,true,false,true,1]

SELECT 0x1F AS a, 1e3 AS b, .5 AS c, 1_000 AS d, 18446744073709551615 > 0 AS e, inf AS f, 007 AS g
---
[31,1000,0.5,1000,1,"inf",7]

SELECT toInt32OrZero(log_attributes['response.status_code']) AS s, count() AS n, bar FROM (SELECT log_attributes, 1 AS bar FROM logs WHERE source = 'edge_logs') GROUP BY s, bar ORDER BY s
---
[0,5,1]
[200,11,1]
[201,6,1]
[304,5,1]
[404,6,1]
[429,5,1]
[500,5,1]
[503,5,1]

SELECT toFloat64OrZero(log_attributes['response.origin_time']) > 100 AS slow, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY slow ORDER BY slow
---
[0,35]
[1,13]

SELECT id FROM logs WHERE toFloat64OrZero(log_attributes['response.origin_time']) >= 1000 ORDER BY id
---
["edg003"]
["edg009"]
["edg015"]
["edg027"]
["edg033"]
["edg045"]

SELECT max(toFloat64OrZero(log_attributes['response.origin_time'])) AS m, min(toFloat64OrZero(log_attributes['response.origin_time'])) AS i FROM logs WHERE source = 'edge_logs'
---
[1000,0]

SELECT toFloat64OrNull(log_attributes['response.origin_time']) AS o, count() AS n FROM logs WHERE source = 'edge_logs' GROUP BY o ORDER BY o DESC
---
[1000,6]
[250,7]
[99.25,8]
[37.5,6]
[12,7]
[8,8]
["nan",1]
[null,5]

SELECT count(toFloat64OrNull(log_attributes['response.headers.content_length'])) AS known, count() AS n FROM logs WHERE source = 'edge_logs'
---
[33,48]

SELECT count(DISTINCT log_attributes['request.path']) AS a, countDistinct(id) AS b, uniq(source, severity_text) AS c FROM logs
---
[8,99,22]

SELECT toTypeName(count()) AS a, toTypeName(1 + 1) AS b, toTypeName(toStartOfHour(toDateTime64('2026-01-01 00:00:00', 6))) AS c, toTypeName(toInt32OrNull('1')) AS d, toTypeName([1]) AS e
---
["UInt64","UInt16","DateTime","Nullable(Int32)","Array(UInt8)"]

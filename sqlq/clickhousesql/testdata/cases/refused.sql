# What is refused, and what the message says
SELECT * FROM system.tables
---
refused: there is no table system.tables; the only table is logs

SELECT * FROM edge_logs
---
refused: its rows are in logs: FROM logs WHERE source = 'edge_logs'

SELECT * FROM users
---
refused: there is no table users; the only table is logs

SELECT * FROM all_logs
---
refused: there is no table all_logs; the only table is logs

SELECT * FROM url('http://x/', CSV)
---
refused: the table function url is not allowed

SELECT * FROM remote('x:9000', system.one)
---
refused: the table function remote is not allowed

SELECT * FROM file('/etc/passwd')
---
refused: the table function file is not allowed

SELECT * FROM executable('x', CSV)
---
refused: the table function executable is not allowed

SELECT * FROM s3('x')
---
refused: the table function s3 is not allowed

SELECT * FROM numbers(10)
---
refused: the table function numbers is not allowed

SELECT * FROM read_csv('x')
---
refused: the table function read_csv is not allowed

SELECT * FROM `main.all_logs`
---
refused: there is no table main.all_logs

SELECT dictGet('d', 'x', 1)
---
refused: dictGet is not allowed

SELECT file('/etc/passwd')
---
refused: file is not allowed

SELECT sleep(3)
---
refused: sleep is not allowed

SELECT getSetting('x')
---
refused: getSetting is not allowed

SELECT rand()
---
refused: rand is not allowed; results must be the same each time

SELECT 1 SETTINGS max_threads = 1
---
refused: SETTINGS are not supported

SELECT id FROM logs FORMAT JSON
---
refused: FORMAT is not supported

SELECT id FROM logs INTO OUTFILE 'x'
---
refused: INTO OUTFILE is not supported

INSERT INTO logs VALUES (1)
---
refused: only SELECT is supported, not INSERT

DROP TABLE logs
---
refused: only SELECT is supported, not DROP

SHOW TABLES
---
refused: only SELECT is supported, not SHOW

SELECT 1; SELECT 2
---
refused: expected the end of the text, found SELECT

SELECT row_number() FROM logs
---
refused: row_number needs a window: row_number(…) OVER (PARTITION BY … ORDER BY …)

SELECT 1 OVER () FROM logs
---
refused: OVER is right behind the arguments of a window function

SELECT status FROM logs
---
refused: there is no column status; the columns of logs are

SELECT event_mesage FROM logs
---
refused: did you mean event_message?

SELECT log_attributes.request.method FROM logs
---
refused: write log_attributes['request.method']

SELECT log_attributes['response.status_code'] >= 400 FROM logs
---
refused: convert the text with toInt64OrZero

SELECT sum(log_attributes['x']) FROM logs
---
refused: convert it with toInt64OrZero

SELECT toint32orzer('1')
---
refused: did you mean toInt32OrZero?

SELECT toInt32OrZero(1)
---
refused: not a String; convert it with toString

SELECT max(timestamp) AS timestamp FROM logs WHERE timestamp > '2026-01-01'
---
refused: an aggregate function cannot be in WHERE; an alias of the SELECT hides the column

SELECT source, count() FROM logs
---
refused: source is neither in GROUP BY nor in an aggregate function

SELECT sum(count()) FROM logs
---
refused: an aggregate function cannot be in another one

SELECT a AS b, b AS a
---
refused: stands for an expression that reads itself

SELECT a AS a
---
refused: the name a stands for an expression that reads itself

SELECT quantile(2)(1)
---
refused: a level is a constant from 0 to 1

SELECT match('a', '(')
---
refused: the regular expression is not valid

SELECT timestamp > 'yesterday' FROM logs
---
refused: is no time; write one such as

SELECT toDateTime('2026-01-01 00:00:00', 'Europe/Berlin')
---
refused: the time zone Europe/Berlin is not supported

SELECT CAST(1 AS Decimal(10, 2))
---
refused: the type Decimal(10, 2) is not supported

SELECT {x}
---
refused: a parameter is written {name:Type}

SELECT arrayMap(lower, ['a'])
---
refused: is a lambda, such as x -> lower(x)

SELECT id FROM logs LIMIT id
---
refused: a number of rows is a whole number or a parameter

SELECT id FROM logs ORDER BY 2
---
refused: is no place of a column

SELECT id FROM logs GROUP BY source WITH TOTALS
---
refused: WITH TOTALS is not supported

SELECT id FROM logs FINAL
---
refused: FINAL is not supported

SELECT DISTINCT ON (source) id FROM logs
---
refused: DISTINCT ON is not supported

SELECT 1 UNION SELECT 2
---
refused: write UNION ALL or UNION DISTINCT

SELECT 1 AS a UNION ALL SELECT 'x' AS a
---
refused: is a String here and a UInt8 in the first SELECT

SELECT 1 INTERSECT SELECT 1
---
refused: INTERSECT is not supported; use IN

WITH RECURSIVE a AS (SELECT 1) SELECT * FROM a
---
refused: WITH RECURSIVE is not supported

SELECT l.id FROM logs AS l ASOF JOIN logs AS m ON l.id = m.id
---
refused: ASOF JOIN is not supported

SELECT l.id AS id FROM logs AS l LEFT JOIN logs AS m ON l.id > m.id
---
refused: a LEFT JOIN needs an = between columns

SELECT id FROM logs WHERE source = 5
---
refused: a String cannot be compared with a UInt8

SELECT id FROM logs WHERE source IN (5)
---
refused: write the number in quotes

SELECT [1, 'a']
---
refused: the elements of an array have one type

SELECT if(1, 2, 'x')
---
refused: convert one with toString

SELECT 'abc
---
refused: the string has no end

SELECT /* x
---
refused: the comment has no end

SELECT (1
---
refused: expected ), found the end of the text

SELECT 1 +
---
refused: expected an expression, found the end of the text

SELECT id FROM logs WHERE event_message
---
refused: a condition is a number or a Bool

SELECT intDiv(1, 0)
---
refused: division by zero

SELECT toInt32('x')
---
refused: a text is no Int32; use toInt32OrZero

SELECT range(100000)
---
refused: range makes at most 10000 elements

SELECT arrayJoin(log_attributes) FROM logs
---
refused: use mapKeys

SELECT (SELECT id FROM logs WHERE id = outer.id) FROM logs AS outer
---
refused: there is no column outer.id

SELECT formatDateTime(now(), '%Q')
---
refused: is not supported

SELECT count(*) FROM logs WITH FILL
---
refused: expected the end of the text

SELECT id FROM logs WHERE row_number() OVER (ORDER BY id) = 1
---
refused: a window function cannot be in WHERE; compute it in a subquery

SELECT row_number() OVER (ORDER BY id) AS n FROM logs WHERE n = 1
---
refused: a window function cannot be in WHERE; compute it in a subquery

SELECT count() AS n FROM logs GROUP BY row_number() OVER ()
---
refused: a window function cannot be in GROUP BY; compute it in a subquery

SELECT count() AS n FROM logs GROUP BY source HAVING row_number() OVER () = 1
---
refused: a window function cannot be in HAVING; compute it in a subquery

SELECT sum(row_number() OVER ()) AS n FROM logs
---
refused: a window function cannot be in the aggregate function sum; compute it in a subquery

SELECT sum(row_number() OVER ()) OVER () AS n FROM logs
---
refused: a window function cannot be in another one; compute it in a subquery

SELECT groupArray(id) OVER () AS n FROM logs
---
refused: groupArray cannot be a window function here

SELECT lower(id) OVER () AS n FROM logs
---
refused: lower cannot be a window function here

SELECT count() OVER (ORDER BY timestamp RANGE BETWEEN 10 PRECEDING AND CURRENT ROW) AS n FROM logs
---
refused: a number in a RANGE is not supported; use ROWS

SELECT count() OVER (ORDER BY timestamp ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) AS n FROM logs
---
refused: the start of the frame is behind its end

SELECT lag(id) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS n FROM logs
---
refused: lag takes no frame; use lagInFrame

SELECT lagInFrame(id, -1) OVER (ORDER BY id) AS n FROM logs
---
refused: the second argument of lagInFrame is a number

SELECT lagInFrame(id, 1, 5) OVER (ORDER BY id) AS n FROM logs
---
refused: the third argument of lagInFrame is a UInt8, and its first a String

SELECT count() OVER w AS n FROM logs
---
refused: there is no window w

SELECT id, row_number() OVER (ORDER BY id) AS n, arrayJoin([1, 2]) AS x FROM logs
---
refused: a window function beside arrayJoin is not supported

SELECT id, row_number() OVER (ORDER BY id) AS n FROM logs ORDER BY n LIMIT 1 BY source
---
refused: a window function cannot be in ORDER BY with LIMIT BY

SELECT arrayMap(x -> row_number() OVER (), [1]) AS n FROM logs
---
refused: a window function cannot be in a lambda; compute it in a subquery

SELECT row_number() OVER (ORDER BY id) AS n, sum(n) AS s FROM logs
---
refused: a window function cannot be in the aggregate function sum; compute it in a subquery

SELECT a.id, row_number() OVER (ORDER BY a.id) AS n FROM logs AS a JOIN logs AS b ON a.id = b.id AND n = 1
---
refused: a window function cannot be in ON; compute it in a subquery

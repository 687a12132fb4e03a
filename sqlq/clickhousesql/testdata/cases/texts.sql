# Texts
SELECT lower('ÄBc') AS a, upper('äbc') AS b, lowerUTF8('ÄB') AS c, upperUTF8('äb') AS d, reverse('abc') AS e
---
["Äbc","äBC","äb","ÄB","cba"]

SELECT concat('a', 1, 2.5, toDate('2026-01-02')) AS a, 'x' || 'y' AS b, concatWithSeparator('-', 'a', 'b', 'c') AS c
---
["a12.52026-01-02","xy","a-b-c"]

SELECT substring('hello', 2, 3) AS a, substring('hello', 2) AS b, substring('hello', -3) AS c, substring('hello', -3, 2) AS d, substring('hello', 9) AS e, substring('héllo', 1, 3) AS f, substringUTF8('héllo', 2, 2) AS g, left('hello', 2) AS h, right('hello', 2) AS i, substring('hello', 1, 100) AS j, left('hello', -1) AS k, right('hello', -1) AS l, left('hi', 5) AS m
---
["ell","ello","llo","ll","","hé","él","he","lo","hello","hell","ello","hi"]

SELECT position('hello', 'l') AS a, position('hello', 'z') AS b, position('hé!', '!') AS c, positionCaseInsensitive('HELLO', 'll') AS d, positionUTF8('hé!', '!') AS e, startsWith('hello', 'he') AS f, endsWith('hello', 'lo') AS g, position('abc', '') AS h
---
[3,0,4,3,3,1,1,1]

SELECT match('abc', 'b') AS a, match('a\nb', 'a.b') AS b, match('ABC', '(?i)abc') AS c, match('abc', '^b') AS d, 'abc' REGEXP '^a' AS e
---
[1,1,1,0,1]

SELECT extract('foo=12;bar=3', 'foo=(\\d+)') AS a, extract('abc', '[bc]+') AS b, extract('abc', 'x') AS c, extractAll('a1b22', '\\d+') AS d, extractAll('a=1,b=2', '(\\w)=') AS e
---
["12","bc","",["1","22"],["a","b"]]

SELECT replaceAll('aXbX', 'X', '-') AS a, replace('aXbX', 'X', '') AS b, replaceOne('aXbX', 'X', '-') AS c, replaceRegexpAll('a1b22', '\\d+', '#') AS d, replaceRegexpOne('a1b22', '(\\d+)', '<\\1>') AS e, replaceRegexpAll('ab', '(a)(b)', '\\2\\1\\0') AS f
---
["a-b-","ab","a-bX","a#b#","a\u003c1\u003eb22","baab"]

SELECT splitByChar(',', 'a,b,,c') AS a, splitByString('--', 'a--b') AS b, splitByRegexp('\\s+', 'a  b c') AS c, splitByWhitespace('  a  b ') AS d, splitByChar('/', '') AS e, splitByString(', ', 'a, b') AS f
---
[["a","b","","c"],["a","b"],["a","b","c"],["a","b"],[""],["a","b"]]

SELECT trim('  a ') AS a, trimLeft('  a ') AS b, trimRight('  a ') AS c, repeat('ab', 3) AS d, leftPad('7', 3, '0') AS e, rightPad('7', 3, '0') AS f, repeat('x', 0) AS g
---
["a","a ","  a","ababab","007","700",""]

SELECT 'a%b' LIKE 'a\\%b' AS a, 'axb' LIKE 'a\\%b' AS b, 'axb' LIKE 'a_b' AS c, 'Äb' ILIKE 'äB' AS d, 'abc' NOT LIKE 'a%' AS e, 'abc' NOT ILIKE '%X%' AS f, 'a\nb' LIKE 'a%b' AS g, '' LIKE '%' AS h
---
[1,0,1,1,0,1,1,1]

SELECT 'it''s' AS a, 'tab\tq' AS b, 'back\\slash' AS c, '\x41' AS d, 'q\'uote' AS e, '\d' AS f, '%\_' AS g
---
["it's","tab\tq","back\\slash","A","q'uote","\\d","%\\_"]

SELECT multiSearchAny('hello world', ['foo', 'wor']) AS a, multiSearchAnyCaseInsensitive('HELLO', ['ell']) AS b, countSubstrings('aXaXa', 'X') AS c, hasToken('error in log', 'error') AS d, hasToken('errors', 'error') AS e
---
[1,1,2,1,0]

SELECT domain('https://u@a.example.com:80/p/q?x=1#f') AS a, path('https://a.example.com/p/q?x=1#f') AS b, cutQueryString('https://a.com/p?x=1#f') AS c, queryString('https://a.com/p?x=1#f') AS d, extractURLParameter('https://a.com/p?x=1&y=2', 'y') AS e, protocol('https://a.com') AS f, domain('a.com/b') AS g, decodeURLComponent('a%20b') AS h, domain('') AS i, path('/a/b?c') AS j
---
["a.example.com","/p/q","https://a.com/p#f","x=1","2","https","a.com","a b","","/a/b"]

SELECT formatReadableSize(0) AS a, formatReadableSize(1536) AS b, formatReadableSize(1073741824) AS c, formatReadableQuantity(1234567) AS d, formatReadableSize(1023) AS e, formatReadableDecimalSize(1536) AS f
---
["0.00 B","1.50 KiB","1.00 GiB","1.23 million","1023.00 B","1.54 KB"]

SELECT base64Encode('hello') AS a, empty('x') AS b, notEmpty('x') AS c, length('') AS d, toValidUTF8('x') AS e
---
["aGVsbG8=",0,1,0,"x"]

SELECT substring(event_message, 1, 5) AS s, length(event_message) AS n FROM logs WHERE source = 'function_logs' ORDER BY id
---
["{\"eve",75]
["plain",12]
["{\"lev",25]
["héll",15]
["",0]
["",0]
["{\"eve",75]
["plain",12]
["{\"lev",25]
["héll",15]
["",0]
["",0]

SELECT id, position(event_message, 'wörld') AS p, upper(event_message) AS u, substring(event_message, 4, 4) AS s FROM logs WHERE event_message LIKE '%llo%' ORDER BY id
---
["edg006",0,"POST | 200 | /FUNCTIONS/V1/HELLO","T | "]
["edg013",0,"OPTIONS | 503 | /FUNCTIONS/V1/HELLO","IONS"]
["edg020",0,"GET | 500 | /FUNCTIONS/V1/HELLO"," | 5"]
["edg027",0,"DELETE | 404 | /FUNCTIONS/V1/HELLO","ETE "]
["edg034",0,"PATCH | 304 | /FUNCTIONS/V1/HELLO","CH |"]
["edg041",0,"POST | 201 | /FUNCTIONS/V1/HELLO","T | "]
["fun003",8,"HéLLO WöRLD 3","llo "]
["fun009",8,"HéLLO WöRLD 9","llo "]

SELECT event_message = '' AS e, count() AS n FROM logs WHERE source = 'function_logs' GROUP BY e ORDER BY e
---
[0,8]
[1,4]

SELECT toString(1) AS a, toString(1.5) AS b, toString(1e20) AS c, toString(1e21) AS d, toString(0.1) AS e, toString(1e-7) AS f, toString(toDateTime('2026-01-01 00:00:00')) AS g, toString(toDate('2026-01-01')) AS h, toString(true) AS i, toString([1, 2]) AS j, toString(['a', 'b\'c']) AS k, toString(toDateTime64('2026-01-01 00:00:00.5', 3)) AS l, toString(map('a', 'b')) AS m, toString(nan) AS n, toString(-inf) AS o, toString((1, 'x')) AS p, toString(1234567.891) AS q, toString(1e15) AS r, toString(0.00001) AS s
---
["1","1.5","100000000000000000000","1e21","0.1","1e-7","2026-01-01 00:00:00","2026-01-01","true","[1,2]","['a','b\\'c']","2026-01-01 00:00:00.5","{'a':'b'}","nan","-inf","(1,'x')","1234567.891","1000000000000000","0.00001"]

SELECT JSONExtractString(event_message, 'kind') AS k, JSONExtractInt(event_message, 'n') AS n, JSONExtractBool(event_message, 'ok') AS ok, JSONHas(event_message, 'o') AS h, JSONHas(event_message, 'o', 'p') AS op, JSONExtractFloat(event_message, 'o', 'p') AS f, JSONExtractString(event_message, 'list', 1) AS l1, JSONExtractString(event_message, 'list', -1) AS l2, JSONExtractRaw(event_message, 'o') AS r, JSONLength(event_message, 'list') AS len, JSONExtractString(event_message, 'list') AS ls FROM logs WHERE source = 'function_logs' ORDER BY id
---
["k0",0,1,1,1,1.5,"x","y","{\"p\":1.5}",2,"[\"x\",\"y\"]"]
["",0,0,0,0,0,"","","",0,""]
["",7,0,0,0,0,"","","",0,""]
["",0,0,0,0,0,"","","",0,""]
["",0,0,0,0,0,"","","",0,""]
["",0,0,0,0,0,"","","",0,""]
["k6",6,1,1,1,1.5,"x","y","{\"p\":1.5}",2,"[\"x\",\"y\"]"]
["",0,0,0,0,0,"","","",0,""]
["",7,0,0,0,0,"","","",0,""]
["",0,0,0,0,0,"","","",0,""]
["",0,0,0,0,0,"","","",0,""]
["",0,0,0,0,0,"","","",0,""]

SELECT JSONExtractString('{"a":null}', 'a') AS a, JSONHas('{"a":null}', 'a') AS b, JSONExtractInt('{"a":1.7}', 'a') AS c, JSONExtractInt('{"a":"x"}', 'a') AS d, JSONExtractKeys('{"a":1,"b":2}') AS e, JSONExtractArrayRaw('[1,"x",{"y":2}]') AS f, isValidJSON('{"a"') AS g, JSONExtractUInt('{"a":7}', 'a') AS h, JSONExtractString('{"a":{"b":"ü"}}', 'a', 'b') AS i, JSONLength('[1,2]') AS j, JSONLength('{"a":1}') AS k, JSONExtractInt('{"a":-9007199254740993}', 'a') AS l, JSONExtractString('not json') AS m, JSONExtractBool('{"a":1}', 'a') AS n
---
["",1,1,0,["a","b"],["1","\"x\"","{\"y\":2}"],0,7,"ü",2,1,-9007199254740993,"",1]

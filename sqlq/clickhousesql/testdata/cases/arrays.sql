# Arrays, maps and lambdas
SELECT id, t FROM logs ARRAY JOIN splitByChar('/', log_attributes['request.path']) AS t WHERE id = 'edg001' ORDER BY t
---
["edg001",""]
["edg001","a b.png"]
["edg001","object"]
["edg001","storage"]
["edg001","v1"]

SELECT id, k, v FROM logs ARRAY JOIN mapKeys(log_attributes) AS k, mapValues(log_attributes) AS v WHERE id = 'sto001' ORDER BY k
---
["sto001","level","ERROR"]
["sto001","req.method","GET"]

SELECT id, x FROM (SELECT id, if(id = 'sto001', [], [1, 2]) AS a FROM logs WHERE source = 'storage_logs') LEFT ARRAY JOIN a AS x ORDER BY id, x
---
["sto000",1]
["sto000",2]
["sto001",0]
["sto002",1]
["sto002",2]

SELECT id, a FROM (SELECT id, if(id = 'sto001', [], [1, 2]) AS a FROM logs WHERE source = 'storage_logs') ARRAY JOIN a ORDER BY id, a
---
["sto000",1]
["sto000",2]
["sto002",1]
["sto002",2]

SELECT arrayJoin([1, 2, 3]) AS x, x * 10 AS y ORDER BY x
---
[1,10]
[2,20]
[3,30]

SELECT arrayJoin(splitByChar(',', 'a,b,,c')) AS x, count() AS n GROUP BY x ORDER BY x
---
["",1]
["a",1]
["b",1]
["c",1]

SELECT arrayMap(x -> x * 2, [1, 2, 3]) AS a, arrayFilter(x -> x > 1, [1, 2, 3]) AS b, arrayExists(x -> x = 2, [1, 2]) AS c, arrayAll(x -> x > 1, [1, 2]) AS d, arrayCount(x -> x > 1, [1, 2, 3]) AS e, arrayFirst(x -> x > 1, [1, 2, 3]) AS f, arrayFirst(x -> x > 9, [1, 2, 3]) AS g
---
[[2,4,6],[2,3],1,0,2,2,0]

SELECT arrayMap((x, y) -> concat(x, y), ['a', 'b'], ['c', 'd']) AS a, arrayMap(x -> arrayMap(y -> x + y, [1, 2]), [10, 20]) AS b
---
[["ac","bd"],[[11,12],[21,22]]]

SELECT id, arrayFilter(k -> startsWith(k, 'request.'), mapKeys(log_attributes)) AS keys FROM logs WHERE id = 'edg001'
---
["edg001",["request.method","request.path","request.search","request.headers.user_agent","request.headers.cf_connecting_ip","request.cf.country","request.cf.botManagement.score"]]

SELECT mapFilter((k, v) -> v = 'GET', log_attributes) AS m FROM logs WHERE id = 'edg000'
---
[{"request.method":"GET"}]

SELECT has([1, 2], 1) AS a, has(['x'], 'y') AS b, hasAny([1, 2], [2, 3]) AS c, hasAll([1, 2], [2, 3]) AS d, indexOf(['a', 'b'], 'b') AS e, indexOf(['a'], 'z') AS f, countEqual([1, 1, 2], 1) AS g
---
[1,0,1,0,2,0,2]

SELECT length([1, 2]) AS a, empty([1]) AS b, notEmpty('') AS c, empty('') AS d, length('héllo') AS e, lengthUTF8('héllo') AS f
---
[2,0,0,1,6,5]

SELECT arraySum([1, 2, 3]) AS a, arraySum([1.5, 2]) AS b, arrayAvg([1, 2]) AS c, arrayMin([3, 1]) AS d, arrayMax([3, 1]) AS e, arrayUniq([1, 1, 2]) AS f, arrayDistinct([3, 1, 3]) AS g, arraySort([3, 1]) AS h, arrayReverseSort([1, 3]) AS i, arrayReverse([1, 2]) AS j, arrayEnumerate(['a', 'b']) AS k
---
[6,3.5,1.5,1,3,2,[3,1],[1,3],[3,1],[2,1],[1,2]]

SELECT arrayConcat([1], [2, 3]) AS a, arrayPushBack([1], 2) AS b, arrayPushFront([1], 2) AS c, arraySlice([1, 2, 3, 4], 2, 2) AS d, arraySlice([1, 2, 3, 4], -2) AS e, arraySlice([1, 2, 3], 2, -1) AS f, range(3) AS g, range(1, 7, 2) AS h, range(0) AS i
---
[[1,2,3],[1,2],[2,1],[2,3],[3,4],[2],[0,1,2],[1,3,5],[]]

SELECT splitByChar('/', '/a/b')[2] AS a, splitByChar('/', '/a/b')[-1] AS b, [1, 2][5] AS c, splitByChar('/', '')[1] AS d, ['a'][1] AS e
---
["a","b",0,"","a"]

SELECT arrayStringConcat(['a', 'b'], '-') AS a, arrayStringConcat([1, 2]) AS b, arrayStringConcat(splitByChar('/', '/a/b/c'), '.') AS c, arrayStringConcat(arraySlice(splitByChar('/', '/a/b/c'), 1, 3), '/') AS d
---
["a-b","12",".a.b.c","/a/b"]

SELECT map('a', 1, 'b', 2) AS m, m['a'] AS a, m['z'] AS z, mapKeys(m) AS k, mapValues(m) AS v, mapContains(m, 'b') AS c
---
[{"a":1,"b":2},1,0,["a","b"],[1,2],1]

SELECT (1, 'a').1 AS a, (1, 'a').2 AS b, tuple(1, 'x') AS c, [(1, 'a'), (2, 'b')] AS d, tupleElement((5, 6), 2) AS e
---
[1,"a",[1,"x"],[[1,"a"],[2,"b"]],6]

SELECT groupArray((source, n)) AS g FROM (SELECT source, count() AS n FROM logs WHERE source = 'auth_logs' GROUP BY source)
---
[[["auth_logs",12]]]

SELECT arrayJoin(topK(1)(source)) AS s FROM logs
---
["edge_logs"]

SELECT arrayJoin([1, 2]) + arrayJoin([1, 2]) AS s ORDER BY s
---
[2]
[4]

SELECT [] AS a, length([]) AS b, [NULL, 1] AS c, [1, 2.5] AS d, [-1, 300] AS e
---
[[],0,[null,1],[1,2.5],[-1,300]]

SELECT sum(arraySum(arrayMap(x -> toInt32OrZero(x), splitByChar('.', log_attributes['request.headers.cf_connecting_ip'])))) AS s FROM logs WHERE source = 'edge_logs'
---
[540]

SELECT mapKeys(log_attributes)[1] AS k, count() AS n FROM logs GROUP BY k ORDER BY k
---
["",1]
["deep.a.b",1]
["host",19]
["identifier",48]
["level",12]
["project",3]
["project_ref",26]
["req.method",2]

SELECT toTypeName(range(3)) AS a, toTypeName(range(1, 300)) AS b, range(-2, 2) AS c, toTypeName(arrayJoin(range(3))) AS d
---
["Array(UInt8)","Array(UInt16)",[-2,-1,0,1],"UInt8"]
["Array(UInt8)","Array(UInt16)",[-2,-1,0,1],"UInt8"]
["Array(UInt8)","Array(UInt16)",[-2,-1,0,1],"UInt8"]

package graphqlhttp

import (
	"strconv"
	"time"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// appendFreshness appends the extension of the same name for one field: the cache status and age
// of its rows, whether they are truncated (D24), and how much of them the engine has read and
// earlier runs have given (D31).
func appendFreshness(dst []byte, responseKey string, response *runner.Response) []byte {
	dst = appendBeforeStatus(dst, responseKey)
	dst = append(dst, response.Cache...)
	dst = append(dst, `","ageSeconds":`...)
	dst = strconv.AppendInt(dst, int64(response.Age/time.Second), 10)
	return appendAfterAge(dst, response.Entry)
}

func appendBeforeStatus(dst []byte, responseKey string) []byte {
	return append(sqlq.AppendValue(dst, sqlq.String, responseKey), `:{"cache":"`...)
}

func appendAfterAge(dst []byte, entry *cache.Entry) []byte {
	dst = append(dst, `,"asOf":"`...)
	dst = graph.AppendTime(dst, entry.AsOf)
	dst = append(dst, `","truncated":`...)
	dst = strconv.AppendBool(dst, entry.Result.Truncated)
	for _, count := range [...]struct {
		name  string
		value int64
	}{
		{"rowsRead", int64(entry.Result.RowsRead())},
		{"rowsReused", int64(entry.Result.ReusedRows)},
		{"bytesProcessed", entry.Result.BytesProcessed},
		{"bytesReused", entry.Result.ReusedBytes},
	} {
		dst = append(append(append(dst, `,"`...), count.name...), `":`...)
		dst = strconv.AppendInt(dst, count.value, 10)
	}
	return append(dst, '}')
}

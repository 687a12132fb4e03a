package graphqlhttp

import (
	"strconv"
	"time"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// freshness writes the extension of the same name for one field: the cache status and age
// of its rows, whether they are truncated (D24), and how much of them the engine has read and
// earlier runs have given (D31).
type freshness struct {
	// before is the JSON before the status, and after the JSON after the age. Both are
	// the same for all callers.
	before, after string
}

func freshnessOf(responseKey string, entry *cache.Entry) freshness {
	before := sqlq.AppendValue(nil, sqlq.String, responseKey)
	before = append(before, `:{"cache":"`...)
	after := append([]byte(nil), `,"asOf":"`...)
	after = graph.AppendTime(after, entry.AsOf)
	after = append(after, `","truncated":`...)
	after = strconv.AppendBool(after, entry.Result.Truncated)
	for _, count := range []struct {
		name  string
		value int64
	}{
		{"rowsRead", int64(entry.Result.RowsRead())},
		{"rowsReused", int64(entry.Result.ReusedRows)},
		{"bytesProcessed", entry.Result.BytesProcessed},
		{"bytesReused", entry.Result.ReusedBytes},
	} {
		after = append(append(append(after, `,"`...), count.name...), `":`...)
		after = strconv.AppendInt(after, count.value, 10)
	}
	after = append(after, '}')
	return freshness{before: string(before), after: string(after)}
}

// appendTo appends the field's freshness for one caller.
func (f freshness) appendTo(dst []byte, response *runner.Response) []byte {
	dst = append(dst, f.before...)
	dst = append(dst, response.Cache...)
	dst = append(dst, `","ageSeconds":`...)
	dst = strconv.AppendInt(dst, int64(response.Age/time.Second), 10)
	return append(dst, f.after...)
}

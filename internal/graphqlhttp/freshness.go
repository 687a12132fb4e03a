package graphqlhttp

import (
	"strconv"
	"time"

	"savedq/graph"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// freshness writes the extension of the same name for one field: how its rows were
// come by, how old they are, and whether all are there (D24).
type freshness struct {
	// before stands before the status, and after after the age. Both are the same
	// for all who get the response.
	before, after string
}

func freshnessOf(responseKey string, answer *cache.Entry) freshness {
	before := sqlq.AppendValue(nil, sqlq.String, responseKey)
	before = append(before, `:{"cache":"`...)
	after := append([]byte(nil), `,"asOf":"`...)
	after = graph.AppendTime(after, answer.AsOf)
	after = append(after, `","truncated":`...)
	after = strconv.AppendBool(after, answer.Result.Truncated)
	after = append(after, `,"bytesProcessed":`...)
	after = strconv.AppendInt(after, answer.Result.BytesProcessed, 10)
	after = append(after, '}')
	return freshness{before: string(before), after: string(after)}
}

// appendTo appends what the extension tells one caller about the field.
func (f freshness) appendTo(dst []byte, response *runner.Response) []byte {
	dst = append(dst, f.before...)
	dst = append(dst, response.Cache...)
	dst = append(dst, `","ageSeconds":`...)
	dst = strconv.AppendInt(dst, int64(response.Age/time.Second), 10)
	return append(dst, f.after...)
}

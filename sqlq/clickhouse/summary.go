package clickhouse

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
)

// reads is what a query has read of tables, as ClickHouse says with the response.
type reads struct{ rows, bytes int64 }

// readsKey is the key of a *reads in a context.
type readsKey struct{}

// withReads returns a context whose query fills the reads. The client has no other way to them over HTTP.
func withReads(ctx context.Context) (context.Context, *reads) {
	counted := new(reads)
	return context.WithValue(ctx, readsKey{}, counted), counted
}

// countReads is a transport that fills the reads of the context of a request.
func countReads(transport *http.Transport) (http.RoundTripper, error) {
	return readCounter{transport}, nil
}

type readCounter struct{ *http.Transport }

// RoundTrip implements [http.RoundTripper].
func (c readCounter) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.Transport.RoundTrip(request)
	if counted, ok := request.Context().Value(readsKey{}).(*reads); ok && err == nil {
		*counted = readsIn(response.Header.Get("X-ClickHouse-Summary"))
	}
	return response, err
}

// readsIn reads a summary such as {"read_rows":"3","read_bytes":"24",…}. It has no reads if the server sends none.
func readsIn(summary string) reads {
	var found struct {
		Rows  string `json:"read_rows"`
		Bytes string `json:"read_bytes"`
	}
	if err := json.Unmarshal([]byte(summary), &found); err != nil {
		return reads{}
	}
	number := func(text string) int64 {
		value, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0
		}
		return value
	}
	return reads{rows: number(found.Rows), bytes: number(found.Bytes)}
}

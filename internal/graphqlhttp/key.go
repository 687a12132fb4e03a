package graphqlhttp

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// key returns the cache key of the request's response in a media type, from a version of the
// schema. It holds everything
// that the response depends on except the rows of saved queries. Each part is prefixed
// with its length, so that different requests never share a key. The document is
// compared byte for byte, and variables by value.
func (q *graphqlRequest) key(version, mediaType string) string {
	variables := q.canonical
	if variables == "" {
		variables = canonical(q.Variables)
	}
	parts := [...]string{version, mediaType, q.OperationName, variables, q.Document}
	const prefix, lengths = "graphql ", 32
	key := make([]byte, 0, len(prefix)+lengths+len(version)+len(mediaType)+len(q.OperationName)+len(variables)+len(q.Document))
	key = append(key, prefix...)
	for _, part := range parts {
		key = strconv.AppendInt(key, int64(len(part)), 10)
		key = append(key, ':')
		key = append(key, part...)
	}
	return string(key)
}

// canonical returns the text of variables, with sorted keys.
func canonical(variables map[string]any) string {
	if len(variables) == 0 {
		return "{}"
	}
	text, err := json.Marshal(variables)
	if err != nil { // cannot happen: they were read from JSON
		panic(fmt.Sprintf("graphqlhttp: encode variables: %v", err))
	}
	return string(text)
}

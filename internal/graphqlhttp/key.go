package graphqlhttp

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// key returns the key of the request's response in a media type: all that the
// response depends on beside the answers of saved queries. Each part has its length
// before it, so that no two requests have one key. The document counts as it was
// sent, and variables by their values.
func (q *request) key(mediaType string) string {
	variables := "{}"
	if len(q.Variables) > 0 {
		canonical, err := json.Marshal(q.Variables) // which sorts keys
		if err != nil {                             // cannot happen: they were read from JSON
			panic(fmt.Sprintf("graphqlhttp: encode variables: %v", err))
		}
		variables = string(canonical)
	}
	parts := [...]string{mediaType, q.OperationName, variables, q.Document}
	const prefix, lengths = "graphql ", 32
	key := make([]byte, 0, len(prefix)+lengths+len(mediaType)+len(q.OperationName)+len(variables)+len(q.Document))
	key = append(key, prefix...)
	for _, part := range parts {
		key = strconv.AppendInt(key, int64(len(part)), 10)
		key = append(key, ':')
		key = append(key, part...)
	}
	return string(key)
}

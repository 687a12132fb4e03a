package graphqlhttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/resolvers"
	"savedq/sqlq/runner"
)

// responseBody is the body of a response in two parts. The head is the same for all
// clients. The tail holds the freshness, which changes while the body is cached.
type responseBody struct {
	head []byte
	// fields write the freshness of the fields that ran a saved query, in the order
	// of their response keys.
	fields []freshness
	// failed reports whether there are errors.
	failed bool

	tagging sync.Once
	tag     string

	encoding sync.Mutex
	encoded  map[contentcoding.Coding]encodedBody
}

// encodedBody is a whole body, with its tail, in a content coding.
type encodedBody struct {
	tail, body []byte
}

// newResponseBody returns the body for the result of an operation and the responses to
// its fields. It also returns the responses that the body contains.
func newResponseBody(result *graphql.Response, gathered *resolvers.Responses) (*responseBody, []*runner.Response) {
	body := &responseBody{failed: len(result.Errors) > 0, head: []byte{'{'}}
	if body.failed {
		body.head = appendErrors(body.head, result)
	}
	if len(result.Data) == 0 { // nothing was run; this is not the same as null data
		return body, nil
	}
	if body.failed {
		body.head = append(body.head, ',')
	}
	body.head = append(body.head, `"data":`...)
	body.head = append(body.head, result.Data...)
	if bytes.Equal(result.Data, []byte("null")) { // no rows, so no freshness
		return body, nil
	}
	keys, responses := gathered.Sorted()
	body.fields = make([]freshness, len(keys))
	for i, key := range keys {
		body.fields[i] = freshnessOf(key, responses[i].Entry)
	}
	return body, responses
}

// appendErrors appends the errors of a result with their key.
func appendErrors(dst []byte, result *graphql.Response) []byte {
	buffer := bytes.NewBuffer(append(dst, `"errors":`...))
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(result.Errors); err != nil { // cannot happen: they hold strings and numbers
		panic(fmt.Sprintf("graphqlhttp: encode errors: %v", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// tail returns the end of the body, with the freshness for one caller.
func (b *responseBody) tail(responses []*runner.Response) []byte {
	if len(b.fields) == 0 {
		return []byte{'}'}
	}
	const perField = 160 // bytes; append grows the slice for longer names
	tail := make([]byte, 0, perField*(1+len(b.fields)))
	tail = append(tail, `,"extensions":{"freshness":{`...)
	for i, field := range b.fields {
		if i > 0 {
			tail = append(tail, ',')
		}
		tail = field.appendTo(tail, responses[i])
	}
	return append(tail, "}}}"...)
}

// etag returns a weak entity tag. The body contains the age of the rows, so its bytes
// change every second. The tag covers the data and the freshness without the age.
func (b *responseBody) etag() string {
	b.tagging.Do(func() {
		meaning := []byte(httpcache.ETag(b.head))
		for _, field := range b.fields {
			meaning = append(meaning, field.before...)
			meaning = append(meaning, field.after...)
		}
		b.tag = "W/" + httpcache.ETag(meaning)
	})
	return b.tag
}

// encode returns the whole body in a content coding, including identity: one write costs
// less than two. It caches the last body of each coding, because the tail changes at most
// once a second and is the same for all clients.
func (b *responseBody) encode(coding contentcoding.Coding, tail []byte) []byte {
	b.encoding.Lock()
	defer b.encoding.Unlock()
	if last, ok := b.encoded[coding]; ok && bytes.Equal(last.tail, tail) {
		return last.body
	}
	if b.encoded == nil {
		b.encoded = make(map[contentcoding.Coding]encodedBody)
	}
	body := coding.Encode(append(b.head[:len(b.head):len(b.head)], tail...))
	b.encoded[coding] = encodedBody{tail: tail, body: body}
	return body
}

// size returns how many bytes the body counts for in the cache: the head, the whole body,
// and its content codings, each a fifth of that or less.
func (b *responseBody) size() int { return 5 * len(b.head) / 2 }

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

// responseBody is the body of a response in two parts. The head is the same for all who
// get it. The tail says how fresh it is, and changes while the body is kept.
type responseBody struct {
	head []byte
	// fields write the freshness of the fields that ran a saved query, in the order
	// of their response keys.
	fields []freshness
	// failed says that there are errors.
	failed bool

	tagging sync.Once
	tag     string

	encoding sync.Mutex
	encoded  map[contentcoding.Coding]encodedBody
}

// encodedBody is a whole body in a content coding, as it is with a tail.
type encodedBody struct {
	tail, body []byte
}

// newResponseBody takes what the operation gave, and the responses to its fields. It returns
// the responses that belong to the body.
func newResponseBody(given *graphql.Response, gathered *resolvers.Responses) (*responseBody, []*runner.Response) {
	made := &responseBody{failed: len(given.Errors) > 0, head: []byte{'{'}}
	if made.failed {
		made.head = appendErrors(made.head, given)
	}
	if len(given.Data) == 0 { // nothing was run, which differs from data that is null
		return made, nil
	}
	if made.failed {
		made.head = append(made.head, ',')
	}
	made.head = append(made.head, `"data":`...)
	made.head = append(made.head, given.Data...)
	if bytes.Equal(given.Data, []byte("null")) { // there is nothing to be fresh
		return made, nil
	}
	keys, responses := gathered.Sorted()
	made.fields = make([]freshness, len(keys))
	for i, key := range keys {
		made.fields[i] = freshnessOf(key, responses[i].Entry)
	}
	return made, responses
}

// appendErrors appends the errors of a response, with their key.
func appendErrors(dst []byte, given *graphql.Response) []byte {
	buffer := bytes.NewBuffer(append(dst, `"errors":`...))
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(given.Errors); err != nil { // cannot happen: they hold texts and numbers
		panic(fmt.Sprintf("graphqlhttp: encode errors: %v", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// tail ends a body that started with head, and tells one caller how fresh it is.
func (b *responseBody) tail(responses []*runner.Response) []byte {
	if len(b.fields) == 0 {
		return []byte{'}'}
	}
	const perField = 160 // bytes; one with long names needs more, and makes room for it
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

// etag returns a weak entity tag: how old the rows are stands in the body, which
// so differs from one second to the next, but means the same as long as the data,
// and all that is said about them beside their age, are the same.
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

// encode returns the whole body in a content coding, identity too: one write costs
// less than two. The last one of each coding is kept: the tail changes once a second
// at most, and is then the same for all.
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

// size is how many bytes the body is counted as while it is kept: the head, the
// whole of it, and its content codings, of which each takes a fifth of it or less.
func (b *responseBody) size() int { return 5 * len(b.head) / 2 }

package graphqlhttp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"savedq/internal/contentcoding"
	"savedq/internal/httpcache"
	"savedq/resolvers"
	"savedq/sqlq"
)

// response is the body of an answer in two parts. The head is the same for all who
// get it. The tail says how fresh it is, and changes while the response is kept.
type response struct {
	head []byte
	// fields write the freshness of the fields that ran a saved query, in the order
	// of their response keys.
	fields []freshness
	// failed says that the response has errors.
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

// newResponse takes what the operation gave, and the replies to its fields. It returns the replies that belong to the response.
func newResponse(given *graphql.Response, gathered *resolvers.Replies) (*response, []*sqlq.Reply) {
	made := &response{failed: len(given.Errors) > 0, head: []byte{'{'}}
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
	keys, replies := gathered.Sorted()
	made.fields = make([]freshness, len(keys))
	for i, key := range keys {
		made.fields[i] = freshnessOf(key, replies[i].Answer)
	}
	return made, replies
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
func (r *response) tail(replies []*sqlq.Reply) []byte {
	if len(r.fields) == 0 {
		return []byte{'}'}
	}
	const perField = 160 // bytes; one with long names needs more, and makes room for it
	tail := make([]byte, 0, perField*(1+len(r.fields)))
	tail = append(tail, `,"extensions":{"freshness":{`...)
	for i, field := range r.fields {
		if i > 0 {
			tail = append(tail, ',')
		}
		tail = field.appendTo(tail, replies[i])
	}
	return append(tail, "}}}"...)
}

// etag returns a weak entity tag: how old a response is stands in its body, which
// so differs from one second to the next, but means the same as long as its data,
// and all that is said about them beside their age, are the same.
func (r *response) etag() string {
	r.tagging.Do(func() {
		meaning := []byte(httpcache.ETag(r.head))
		for _, field := range r.fields {
			meaning = append(meaning, field.before...)
			meaning = append(meaning, field.after...)
		}
		r.tag = "W/" + httpcache.ETag(meaning)
	})
	return r.tag
}

// encode returns the whole body in a content coding, identity too: one write costs
// less than two. The last one of each coding is kept: the tail changes once a second
// at most, and is then the same for all.
func (r *response) encode(coding contentcoding.Coding, tail []byte) []byte {
	r.encoding.Lock()
	defer r.encoding.Unlock()
	if last, ok := r.encoded[coding]; ok && bytes.Equal(last.tail, tail) {
		return last.body
	}
	if r.encoded == nil {
		r.encoded = make(map[contentcoding.Coding]encodedBody)
	}
	body := coding.Encode(append(r.head[:len(r.head):len(r.head)], tail...))
	r.encoded[coding] = encodedBody{tail: tail, body: body}
	return body
}

// isKept says whether a response with these replies is to be kept. One with errors
// is not, nor one in which the rows of a field are not kept or should be newer.
// One without rows costs little.
func (r *response) isKept(replies []*sqlq.Reply) bool {
	if r.failed || len(replies) == 0 {
		return false
	}
	for _, reply := range replies {
		if reply.Cache == sqlq.Off || reply.Cache == sqlq.Stale {
			return false
		}
	}
	return true
}

// size is how many bytes the response is counted as while it is kept: the head, the
// whole body, and its content codings, of which each takes a fifth of it or less.
func (r *response) size() int { return 5 * len(r.head) / 2 }

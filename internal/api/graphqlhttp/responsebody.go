package graphqlhttp

import (
	"bytes"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/internal/http/httperror"
	"savedq/resolvers"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// The texts of encodings.
const (
	// fieldsText are the response keys of the fields that ran a saved query, sorted.
	fieldsText = "fields"
	etagText   = "etag"
	tailText   = "tail"
)

// A body has two parts. The head is the same for all clients. The tail holds the freshness,
// which changes while the head is cached.

// newHead returns the head of the body for the result of an operation and the responses to its
// fields. It also returns the responses that the body contains.
func newHead(result *graphql.Response, gathered *resolvers.Responses) (*cache.Encoded, []*runner.Response) {
	const around = 16 // bytes
	body := append(make([]byte, 0, len(result.Data)+around), '{')
	if len(result.Errors) > 0 {
		body = appendErrors(body, result)
	}
	if len(result.Data) == 0 { // nothing was run; this is not the same as null data
		return &cache.Encoded{Body: body}, nil
	}
	if len(result.Errors) > 0 {
		body = append(body, ',')
	}
	body = append(body, `"data":`...)
	head := &cache.Encoded{Body: append(body, result.Data...)}
	if bytes.Equal(result.Data, []byte("null")) { // no rows, so no freshness
		return head, nil
	}
	keys, responses := gathered.Sorted()
	head.Texts = map[string][]string{fieldsText: keys}
	return head, responses
}

// appendErrors appends the errors of a result with their key.
func appendErrors(dst []byte, result *graphql.Response) []byte {
	return append(append(dst, `"errors":`...), httperror.Encode(result.Errors)...)
}

// etag returns a weak entity tag. The body contains the age of the rows, so its bytes
// change every second. The tag covers the data and the freshness without the age. It is cached
// apart from the head, because a POST needs none.
func (r httpResponse) etag() string {
	encode := func() *cache.Encoded {
		meaning := []byte(httpcache.ETag(r.head.Body))
		for i, key := range r.head.Texts[fieldsText] {
			meaning = appendBeforeStatus(meaning, key)
			meaning = appendAfterAge(meaning, r.responses[i].Entry)
		}
		return &cache.Encoded{Texts: map[string][]string{etagText: {"W/" + httpcache.ETag(meaning)}}}
	}
	return r.encoded("etag", nil, encode).Texts[etagText][0]
}

// encoded returns what is encoded from the head. If the head is cached, this is too, under a name.
func (r httpResponse) encoded(name string, fits func(*cache.Encoded) bool, encode func() *cache.Encoded) *cache.Encoded {
	if r.head.Key == "" {
		return encode()
	}
	return runner.Encode(r.head.Key+" "+name, r.responses, fits, encode)
}

// tail returns the end of the body, with the freshness for one caller.
func (r httpResponse) tail() []byte {
	if len(r.responses) == 0 {
		return []byte{'}'}
	}
	const perField = 160 // bytes; append grows the slice for longer names
	tail := make([]byte, 0, perField*(1+len(r.responses)))
	tail = append(tail, `,"extensions":{"freshness":{`...)
	for i, response := range r.responses {
		if i > 0 {
			tail = append(tail, ',')
		}
		tail = appendFreshness(tail, r.head.Texts[fieldsText][i], response)
	}
	return append(appendNext(append(tail, '}'), r.head.Texts[fieldsText], r.responses), "}}"...)
}

// appendNext appends the cursors of the fields that can have a next page, by response key.
func appendNext(dst []byte, keys []string, responses []*runner.Response) []byte {
	opening := `,"next":{`
	for i, response := range responses {
		if next := response.Result.Next; next != "" {
			dst = append(sqlq.AppendValue(append(dst, opening...), sqlq.String, keys[i]), ':')
			dst = sqlq.AppendValue(dst, sqlq.String, next)
			opening = ","
		}
	}
	if opening == "," {
		dst = append(dst, '}')
	}
	return dst
}

// body returns the whole body in a content coding, including identity: one write costs less
// than two. If the head is cached, the last body of each coding is too, because the tail changes
// at most once a second and is the same for all clients.
func (r httpResponse) body(accept []string) ([]byte, contentcoding.Coding) {
	tail := r.tail()
	coding := contentcoding.Choose(accept, len(r.head.Body)+len(tail))
	encode := func() *cache.Encoded {
		return &cache.Encoded{Body: coding.Encode(slices.Concat(r.head.Body, tail)), Texts: map[string][]string{tailText: {string(tail)}}}
	}
	hasTail := func(last *cache.Encoded) bool { return last.Texts[tailText][0] == string(tail) }
	return r.encoded(string(coding), hasTail, encode).Body, coding
}

package rest

import (
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/contentcoding"
	"savedq/internal/httpcache"
	"savedq/sqlq"
)

// contentType is that of every body, errors included.
const contentType = "application/json; charset=utf-8"

// body is the rows of an answer in a content coding, with the headers that are the
// same for all who get it. They are shared, and not to be changed.
type body struct {
	bytes []byte
	// header goes with the body, and validator with the status 304 in its place.
	header, validator http.Header
}

// identityBody returns the rows in the envelope of D12.
func identityBody(reply *sqlq.Reply) *body {
	return derive(reply, "rest", func(result *sqlq.Result) *body {
		rows := append(result.AppendJSON([]byte(`{"result":`)), '}')
		return newBody(rows, httpcache.ETag(rows))
	})
}

// codedBody returns the same in a content coding. Other bytes have another tag.
func codedBody(reply *sqlq.Reply, coding contentcoding.Coding) *body {
	plain := identityBody(reply)
	return derive(reply, "rest "+string(coding), func(*sqlq.Result) *body {
		coded := newBody(coding.Encode(plain.bytes), strings.TrimSuffix(plain.etag(), `"`)+"-"+string(coding)+`"`)
		coded.header.Set("Content-Encoding", string(coding))
		return coded
	})
}

// derive makes a body once for all who are given the answer.
func derive(reply *sqlq.Reply, name string, encode func(*sqlq.Result) *body) *body {
	return reply.Derived(name, func(result *sqlq.Result) (any, int) {
		made := encode(result)
		return made, cap(made.bytes) + headerBytes
	}).(*body) // names are of no one else
}

// headerBytes is about how much memory the headers of a body take.
const headerBytes = 1 << 10

func newBody(bytes []byte, etag string) *body {
	made := &body{bytes: bytes, header: http.Header{}, validator: http.Header{}}
	for _, header := range []http.Header{made.header, made.validator} {
		header.Set("ETag", etag)
		header.Set("Vary", "Accept-Encoding")
	}
	made.header.Set("Content-Type", contentType)
	made.header.Set("Content-Length", strconv.Itoa(len(bytes)))
	return made
}

func (b *body) etag() string { return b.header.Get("ETag") }

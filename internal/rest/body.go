package rest

import (
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// contentType is that of every body, errors included.
const contentType = "application/json; charset=utf-8"

// body is the rows of an answer in a content coding, with the values of the headers
// that go with it. All who get it share them.
type body struct {
	bytes                              []byte
	etag, contentType, length, encoded []string
}

// identityBody returns the rows in the envelope of D12.
func identityBody(response *runner.Response) *body {
	return derive(response, "rest", func(result *sqlq.Result) *body {
		rows := append(result.AppendJSON([]byte(`{"result":`)), '}')
		return newBody(rows, httpcache.ETag(rows))
	})
}

// codedBody returns the same in a content coding. Other bytes have another tag.
func codedBody(response *runner.Response, coding contentcoding.Coding) *body {
	plain := identityBody(response)
	return derive(response, "rest "+string(coding), func(*sqlq.Result) *body {
		coded := newBody(coding.Encode(plain.bytes), strings.TrimSuffix(plain.etag[0], `"`)+"-"+string(coding)+`"`)
		coded.encoded = []string{string(coding)}
		return coded
	})
}

// derive makes a body once for all who are given the answer.
func derive(response *runner.Response, name string, encode func(*sqlq.Result) *body) *body {
	return response.Derived(name, func(result *sqlq.Result) (any, int) {
		made := encode(result)
		return made, cap(made.bytes) + headerBytes
	}).(*body) // names are of no one else
}

// headerBytes is about how much memory the values of headers take.
const headerBytes = 512

func newBody(bytes []byte, etag string) *body {
	return &body{
		bytes: bytes, etag: []string{etag},
		contentType: []string{contentType}, length: []string{strconv.Itoa(len(bytes))},
	}
}

// setValidator sets what an answer without the body has, too.
func (b *body) setValidator(header http.Header) {
	header["Etag"] = b.etag
	httpcache.AddVary(header, "Accept-Encoding, "+httpcache.Credentials)
}

// setHeader sets what tells of the body.
func (b *body) setHeader(header http.Header) {
	b.setValidator(header)
	header["Content-Type"], header["Content-Length"] = b.contentType, b.length
	if b.encoded != nil {
		header["Content-Encoding"] = b.encoded
	}
}

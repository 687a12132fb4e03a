package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/format"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/sqlq"
	"savedq/sqlq/runner"
)

// body is the encoded rows of a response in one format and content coding, with the values
// of its headers. It is shared by all requests that receive it and must not be changed.
type body struct {
	bytes                              []byte
	etag, contentType, length, encoded []string
	// rows and read are what the engine has read, and what earlier runs have given.
	rows, read []string
}

// identityBody returns the rows in a format.
func identityBody(response *runner.Response, output format.Format) *body {
	return derive(response, output.MediaType, func(result *sqlq.Result) *body {
		rows := output.Encode(result)
		return newBody(result, rows, output.ContentType(), httpcache.ETag(rows))
	})
}

// codedBody returns the rows in a format and a content coding. Each coding has its own
// ETag, because a strong tag identifies exact bytes.
func codedBody(response *runner.Response, output format.Format, coding contentcoding.Coding) *body {
	plain := identityBody(response, output)
	return derive(response, output.MediaType+" "+string(coding), func(result *sqlq.Result) *body {
		tag := strings.TrimSuffix(plain.etag[0], `"`) + "-" + string(coding) + `"`
		coded := newBody(result, coding.Encode(plain.bytes), output.ContentType(), tag)
		coded.encoded = []string{string(coding)}
		return coded
	})
}

// derive encodes a body once and caches it with the entry.
func derive(response *runner.Response, name string, encode func(*sqlq.Result) *body) *body {
	return response.Derived(name, func(result *sqlq.Result) (any, int) {
		encoded := encode(result)
		return encoded, cap(encoded.bytes) + headerBytes
	}).(*body) // only this package uses these names
}

// headerBytes estimates the memory that the header values take.
const headerBytes = 512

func newBody(result *sqlq.Result, bytes []byte, contentType, etag string) *body {
	encoded := &body{
		bytes: bytes, etag: []string{etag},
		contentType: []string{contentType}, length: []string{strconv.Itoa(len(bytes))},
		rows: []string{fmt.Sprintf("read=%d, reused=%d", result.RowsRead(), result.ReusedRows)},
	}
	if result.BytesProcessed > 0 || result.ReusedBytes > 0 {
		encoded.read = []string{fmt.Sprintf("read=%d, reused=%d", result.BytesProcessed, result.ReusedBytes)}
	}
	return encoded
}

// setValidator sets the headers that a 304 response also carries.
func (b *body) setValidator(header http.Header) {
	header["Etag"] = b.etag
	httpcache.AddVary(header, "Accept, Accept-Encoding, "+httpcache.Credentials)
}

// setHeader sets the headers that describe the body.
func (b *body) setHeader(header http.Header) {
	b.setValidator(header)
	b.setContent(header)
}

// setContent sets the headers without which the body cannot be read.
func (b *body) setContent(header http.Header) {
	header["Content-Type"], header["Content-Length"] = b.contentType, b.length
	header[RowsHeader] = b.rows
	if b.read != nil {
		header[BytesHeader] = b.read
	}
	if b.encoded != nil {
		header["Content-Encoding"] = b.encoded
	}
}

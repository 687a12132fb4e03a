package rest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"savedq/internal/api/format"
	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
	"savedq/sqlq"
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// etagHeader is the name of the header as net/http spells it.
const etagHeader = "Etag"

// identityBody returns the rows in a format, with the headers that describe them. The error is an
// [*sqlq.Error]: the format cannot hold a value.
func identityBody(response *runner.Response, output format.Format) (*cache.Encoded, error) {
	return encode(response, output.Name, func() (*cache.Encoded, error) {
		rows, err := output.Encode(response.Query.Name, response.Result)
		if err != nil {
			return nil, err
		}
		return newBody(response.Result, rows, output.ContentType(), httpcache.ETag(rows)), nil
	})
}

// codedBody returns the rows in a format and a content coding. Each coding has its own
// ETag, because a strong tag identifies exact bytes.
func codedBody(response *runner.Response, output format.Format, coding contentcoding.Coding) (*cache.Encoded, error) {
	return encode(response, output.Name+" "+string(coding), func() (*cache.Encoded, error) {
		plain, err := identityBody(response, output)
		if err != nil {
			return nil, err
		}
		tag := strings.TrimSuffix(plain.Texts[etagHeader][0], `"`) + "-" + string(coding) + `"`
		coded := newBody(response.Result, coding.Encode(plain.Body), output.ContentType(), tag)
		coded.Texts["Content-Encoding"] = []string{string(coding)}
		return coded, nil
	})
}

// encode encodes a body once and caches it with the entry, unless there is an error.
func encode(response *runner.Response, name string, encode func() (*cache.Encoded, error)) (encoded *cache.Encoded, err error) {
	encoded = runner.Encode(response.Key+" "+name, []*runner.Response{response}, nil, func() (body *cache.Encoded) {
		body, err = encode()
		return body
	})
	return encoded, err
}

func newBody(result *sqlq.Result, body []byte, contentType, etag string) *cache.Encoded {
	header := map[string][]string{
		etagHeader:       {etag},
		"Content-Type":   {contentType},
		"Content-Length": {strconv.Itoa(len(body))},
		RowsHeader:       {fmt.Sprintf("read=%d, reused=%d", result.RowsRead(), result.ReusedRows)},
	}
	if result.BytesProcessed > 0 || result.ReusedBytes > 0 {
		header[BytesHeader] = []string{fmt.Sprintf("read=%d, reused=%d", result.BytesProcessed, result.ReusedBytes)}
	}
	return &cache.Encoded{Body: body, Texts: header}
}

// setValidator sets the headers that a 304 response also carries.
func setValidator(header http.Header, body *cache.Encoded) {
	header[etagHeader] = body.Texts[etagHeader]
	httpcache.AddVary(header, "Accept, Accept-Encoding, "+httpcache.Credentials)
}

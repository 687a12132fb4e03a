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
	"savedq/sqlq/cache"
	"savedq/sqlq/runner"
)

// etagHeader is the name of the header as net/http spells it.
const etagHeader = "Etag"

// identityBody returns the rows in a format, with the headers that describe them.
func identityBody(response *runner.Response, output format.Format) *cache.Encoded {
	return encode(response, output.MediaType, func() *cache.Encoded {
		rows := output.Encode(response.Result)
		return newBody(response.Result, rows, output.ContentType(), httpcache.ETag(rows))
	})
}

// codedBody returns the rows in a format and a content coding. Each coding has its own
// ETag, because a strong tag identifies exact bytes.
func codedBody(response *runner.Response, output format.Format, coding contentcoding.Coding) *cache.Encoded {
	return encode(response, output.MediaType+" "+string(coding), func() *cache.Encoded {
		plain := identityBody(response, output)
		tag := strings.TrimSuffix(plain.Texts[etagHeader][0], `"`) + "-" + string(coding) + `"`
		coded := newBody(response.Result, coding.Encode(plain.Body), output.ContentType(), tag)
		coded.Texts["Content-Encoding"] = []string{string(coding)}
		return coded
	})
}

// encode encodes a body once and caches it with the entry.
func encode(response *runner.Response, name string, encode func() *cache.Encoded) *cache.Encoded {
	return runner.Encode(response.Key+" "+name, []*runner.Response{response}, nil, encode)
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

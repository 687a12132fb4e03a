package web

import (
	"math"
	"net/http"
	"path"
	"strconv"
	"sync"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpcache"
)

// file is one file that is served, in several content codings.
type file struct {
	mediaType, caching, policy string
	// bodies are the file in each coding. The file is encoded on first use, so that it does
	// not delay the start.
	bodies map[contentcoding.Coding]func() encodedBody
}

// encodedBody is a body in a content coding, with its entity tag.
type encodedBody struct {
	bytes []byte
	etag  string
}

// newFile returns a file.
func newFile(name string, plain []byte, caching, policy string) *file {
	made := &file{
		mediaType: mediaTypeOf(name), caching: caching, policy: policy,
		bodies: make(map[contentcoding.Coding]func() encodedBody),
	}
	for _, coding := range []contentcoding.Coding{contentcoding.Identity, contentcoding.Gzip, contentcoding.Zstd} {
		made.bodies[coding] = sync.OnceValue(func() encodedBody {
			encoded := coding.EncodeSmall(plain)
			return encodedBody{bytes: encoded, etag: httpcache.ETag(encoded)}
		})
	}
	return made
}

// serve responds to GET or HEAD with the file and a status, or with 304 if the status is 200 and the
// caller has the file.
func (f *file) serve(status int, w http.ResponseWriter, r *http.Request) {
	// Files are encoded once, so even small ones are worth it.
	coding := contentcoding.Choose(r.Header["Accept-Encoding"], math.MaxInt)
	body := f.bodies[coding]()
	header := w.Header()
	header.Set("Cache-Control", f.caching)
	header.Set("Content-Security-Policy", f.policy)
	header.Add("Vary", "Accept-Encoding")
	if status == http.StatusOK {
		header.Set("ETag", body.etag)
		if httpcache.NotModified(r, body.etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	header.Set("Content-Type", f.mediaType)
	if coding != contentcoding.Identity {
		header.Set("Content-Encoding", string(coding))
	}
	header.Set("Content-Length", strconv.Itoa(len(body.bytes)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(body.bytes) // The client has gone.
	}
}

// mediaTypeOf returns the media type of a file by its extension. It does not use the
// machine's table, so that it is the same everywhere.
func mediaTypeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".ttf":
		return "font/ttf"
	case ".md":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}

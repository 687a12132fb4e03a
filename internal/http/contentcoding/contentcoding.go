// Package contentcoding encodes response bodies and decodes request bodies (RFC 9110,
// section 8.4). Responses have gzip and zstd; requests also have deflate and snappy, which log shippers use.
package contentcoding

import (
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"savedq/internal/http/accept"
)

// Coding is a content coding in the spelling of headers. The empty one is identity.
type Coding string

// The supported codings.
const (
	Identity Coding = ""
	Gzip     Coding = "gzip"
	Zstd     Coding = "zstd"
	// Deflate is the format of zlib or, as some clients have it, its data alone. It is only for requests.
	Deflate Coding = "deflate"
	// Snappy is the block format of Snappy, as clients of Prometheus and Loki send it. It is only for requests.
	Snappy Coding = "snappy"
)

// minBytes is the size from which a body is encoded. A smaller one fits in one packet
// anyway.
const minBytes = 1024

// Choose returns the coding with the highest quality in the Accept-Encoding headers, for
// a body of a size in bytes. At equal quality the first named is preferred, since there are
// clients that append zstd without being able to decode it (@whatwg-node/fetch before Node
// 22.15). Identity comes last. An item with a malformed quality is ignored.
func Choose(headers []string, size int) Coding {
	if size < minBytes || len(headers) == 0 {
		return Identity
	}
	const absent = -1
	gzipQuality, zstdQuality, identity, others := float64(absent), float64(absent), 0.0, 0.0
	zstdFirst := false
	for item := range accept.Items(headers) {
		if item.Malformed {
			continue
		}
		switch item.Value {
		case "gzip", "x-gzip": // RFC 9110, section 8.4.1.3
			gzipQuality = item.Quality
		case "zstd":
			zstdQuality, zstdFirst = item.Quality, gzipQuality == absent
		case "identity":
			identity = item.Quality
		case "*":
			others = item.Quality
		}
	}
	if gzipQuality == absent {
		gzipQuality = others
	}
	if zstdQuality == absent {
		zstdQuality = others
	}
	switch {
	case zstdQuality > 0 && zstdQuality >= identity && (zstdQuality > gzipQuality || zstdFirst && zstdQuality == gzipQuality):
		return Zstd
	case gzipQuality > 0 && gzipQuality >= identity:
		return Gzip
	}
	return Identity
}

// Encode returns a body in the coding, with moderate compression. An encoded body is
// cached for many callers.
func (c Coding) Encode(body []byte) []byte {
	return c.encode(body, gzip.DefaultCompression, zstd.SpeedFastest)
}

// EncodeSmall compresses more than [Coding.Encode], but more slowly. It is for files,
// which are encoded once per process.
func (c Coding) EncodeSmall(body []byte) []byte {
	return c.encode(body, gzip.BestCompression, zstd.SpeedBetterCompression)
}

func (c Coding) encode(body []byte, gzipLevel int, zstdLevel zstd.EncoderLevel) []byte {
	switch c {
	case Identity:
		return body
	case Gzip:
		var encoded bytes.Buffer
		writer, err := gzip.NewWriterLevel(&encoded, gzipLevel)
		if err == nil {
			_, err = writer.Write(body)
		}
		if err == nil {
			err = writer.Close()
		}
		return mustEncode(encoded.Bytes(), err)
	case Zstd:
		writer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstdLevel), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return mustEncode(nil, err)
		}
		return writer.EncodeAll(body, nil)
	case Deflate, Snappy: // only of requests
	}
	panic(fmt.Sprintf("contentcoding: there is no coding %q", string(c)))
}

// mustEncode panics on errors, which writing to memory does not return.
func mustEncode(encoded []byte, err error) []byte {
	if err != nil {
		panic(fmt.Sprintf("contentcoding: %v", err))
	}
	return encoded
}

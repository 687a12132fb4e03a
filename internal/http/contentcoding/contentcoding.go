// Package contentcoding chooses and makes the content codings of response bodies, and
// decodes request bodies (RFC 9110, section 8.4): gzip and zstd.
package contentcoding

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Coding is a content coding, as headers spell it. The empty one is identity.
type Coding string

// The codings that bodies are made in.
const (
	Identity Coding = ""
	Gzip     Coding = "gzip"
	Zstd     Coding = "zstd"
)

// minBytes is the size from which on a body is worth a coding: a smaller one fits
// one packet either way.
const minBytes = 1024

// Choose returns the coding that the Accept-Encoding headers give the highest
// weight for a body of a size in bytes. Of equals zstd comes before gzip, and gzip
// before identity.
func Choose(accept []string, size int) Coding {
	if size < minBytes || len(accept) == 0 {
		return Identity
	}
	weights := weightsOf(accept)
	best, bestWeight := Identity, 0.0
	if weight, named := weights["identity"]; named {
		bestWeight = weight
	}
	for _, coding := range []Coding{Gzip, Zstd} {
		weight, named := weights[string(coding)]
		if !named {
			weight = weights["*"]
		}
		if weight > 0 && weight >= bestWeight {
			best, bestWeight = coding, weight
		}
	}
	return best
}

// weightsOf returns the weights that Accept-Encoding headers give codings. An entry
// that cannot be read counts as absent.
func weightsOf(accept []string) map[string]float64 {
	weights := make(map[string]float64)
	for _, header := range accept {
		for entry := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(entry, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "x-gzip" { // RFC 9110, section 8.4.1.3
				name = string(Gzip)
			}
			weight := 1.0
			if quality, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q="); given {
				var err error
				if weight, err = strconv.ParseFloat(quality, 64); err != nil || weight < 0 || weight > 1 {
					continue
				}
			}
			weights[name] = weight
		}
	}
	return weights
}

// Encode returns a body in the coding. It is done once for many callers, so that
// the usual levels will do.
func (c Coding) Encode(body []byte) []byte {
	return c.encode(body, gzip.DefaultCompression, zstd.SpeedFastest)
}

// EncodeSmall returns a body in the coding, smaller than [Coding.Encode] does and more
// slowly. It is for files, which are encoded once while the program runs.
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
	}
	panic(fmt.Sprintf("contentcoding: there is no coding %q", string(c)))
}

// mustEncode is for errors that writing to memory does not give.
func mustEncode(encoded []byte, err error) []byte {
	if err != nil {
		panic(fmt.Sprintf("contentcoding: %v", err))
	}
	return encoded
}

package contentcoding

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"

	"savedq/internal/http/httpstatus"
	"savedq/sqlq"
)

// Supported lists the codings that [Decoder] decodes, in the syntax of a header.
const Supported = "gzip, zstd, deflate, snappy"

// DecodeSlack is the capacity that [Decoder.DecodeInto] needs beyond the decoded body: that of
// a block of zstd.
const DecodeSlack = 128<<10 + 1

// gzipTrailerBytes is the length of the checksum and the size at the end of gzip data.
const gzipTrailerBytes = 8

// maxAnnounced limits the memory for a body that is announced but has not arrived.
const maxAnnounced = 4 << 10

// ErrTooLarge is the error for a body that is larger than the limit once decoded.
var ErrTooLarge = errors.New("contentcoding: the decoded body is too large")

// errTrailing is the error for bytes after the end of encoded data.
var errTrailing = errors.New("contentcoding: the encoded data ends before the body")

// Sent returns the coding that the Content-Encoding headers of a request name, and reports
// whether it is supported. More than one coding is not.
func Sent(contentEncoding []string) (coding Coding, supported bool) {
	for _, header := range contentEncoding {
		for name := range strings.SplitSeq(header, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			switch {
			case name == "" || name == "identity":
			case coding != Identity:
				return "", false
			case name == "gzip" || name == "x-gzip": // RFC 9110, section 8.4.1.3
				coding = Gzip
			case name == string(Zstd), name == string(Deflate), name == string(Snappy):
				coding = Coding(name)
			default:
				return "", false
			}
		}
	}
	return coding, true
}

// Decoder decodes request bodies up to a limit. It is safe for concurrent use.
type Decoder struct {
	limit int64
	zstd  *zstd.Decoder
}

// NewDecoder returns a decoder for bodies of at most limit bytes once decoded; the limit
// is at least 1.
func NewDecoder(limit int64) *Decoder {
	decoder, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
	if err != nil { // cannot happen: the option is valid
		panic(fmt.Sprintf("contentcoding: %v", err))
	}
	return &Decoder{limit: limit, zstd: decoder}
}

// Read reads and decodes the body of a request, and the status of an error. The error is an INVALID_ARGUMENT for the
// caller.
func (d *Decoder) Read(w http.ResponseWriter, r *http.Request) (body []byte, status int, err error) {
	coding, supported := Sent(r.Header["Content-Encoding"])
	if !supported {
		w.Header().Set("Accept-Encoding", Supported)
		return nil, http.StatusUnsupportedMediaType, sqlq.Errorf(sqlq.InvalidArgument,
			"the request body has a Content-Encoding that is not supported; use one of %s, or none", Supported)
	}
	var sent bytes.Buffer
	if r.ContentLength > 0 {
		sent.Grow(int(min(r.ContentLength, maxAnnounced)) + bytes.MinRead) // one allocation for most bodies
	}
	reason := "could not be read to its end"
	if _, err = sent.ReadFrom(http.MaxBytesReader(w, r.Body, d.limit)); err == nil {
		reason = fmt.Sprintf("is not valid %s, although its Content-Encoding is %[1]s", coding)
		body, err = d.Decode(coding, sent.Bytes())
	}
	switch tooLarge := new(http.MaxBytesError); {
	case err == nil:
		return body, 0, nil
	case errors.Is(err, httpstatus.ErrSlowBody):
		return nil, http.StatusRequestTimeout, httpstatus.ErrSlowBody
	case errors.As(err, &tooLarge) || errors.Is(err, ErrTooLarge):
		return nil, http.StatusRequestEntityTooLarge, sqlq.Errorf(sqlq.InvalidArgument, "the request body is larger than %d bytes", d.limit)
	}
	return nil, http.StatusBadRequest, sqlq.Errorf(sqlq.InvalidArgument, "the request body %s", reason)
}

// Decode decodes a body. It returns ErrTooLarge as soon as the result exceeds the limit,
// because a few bytes can decode to gigabytes.
func (d *Decoder) Decode(coding Coding, body []byte) ([]byte, error) {
	switch coding {
	case Identity:
		return body, nil
	case Gzip, Zstd, Deflate, Snappy:
		return d.DecodeInto(coding, body, make([]byte, 0, d.limit+DecodeSlack))
	}
	panic(fmt.Sprintf("contentcoding: there is no coding %q", string(coding)))
}

// DecodeInto decodes an encoded body into memory of the caller, which can thereby account for
// it. It returns ErrTooLarge if the result does not fit into the capacity of dst less
// [DecodeSlack], or exceeds the limit.
func (d *Decoder) DecodeInto(coding Coding, body, dst []byte) ([]byte, error) {
	room := min(int64(cap(dst)-DecodeSlack), d.limit)
	switch coding {
	case Zstd:
		decoded, err := d.zstd.DecodeAll(body, dst[:0])
		if int64(len(decoded)) > room || errors.Is(err, zstd.ErrDecoderSizeExceeded) || errors.Is(err, zstd.ErrWindowSizeExceeded) {
			return nil, ErrTooLarge
		}
		return decoded, err
	case Snappy:
		length, err := snappy.DecodedLen(body)
		if err != nil || int64(length) > room {
			return nil, cmp.Or(err, ErrTooLarge)
		}
		return snappy.Decode(dst[:length], body)
	case Identity, Gzip, Deflate:
	}
	sent := bytes.NewReader(body)
	reader, err := inflating(coding, sent)
	if err != nil {
		return nil, err
	}
	for decoded := dst[:0]; ; {
		length, err := reader.Read(decoded[len(decoded):cap(decoded)])
		decoded = decoded[:len(decoded)+length]
		switch {
		case int64(len(decoded)) > room:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF) && sent.Len() > 0:
			return nil, errTrailing
		case errors.Is(err, io.EOF):
			return decoded, nil
		case err != nil:
			return nil, err
		}
	}
}

// inflating returns a reader of a body in gzip or deflate.
func inflating(coding Coding, sent *bytes.Reader) (io.Reader, error) {
	if coding == Gzip {
		return gzip.NewReader(sent)
	}
	var header [2]byte
	_, _ = sent.ReadAt(header[:], 0)                    // a shorter body is neither
	const method, methodMask, checkFactor = 8, 0x0f, 31 // RFC 1950, section 2.2
	if header[0]&methodMask == method && binary.BigEndian.Uint16(header[:])%checkFactor == 0 {
		return zlib.NewReader(sent)
	}
	return flate.NewReader(sent), nil
}

// SizeHint returns the decoded size that an encoded body declares, or 0 if it declares none.
// It may be wrong.
func SizeHint(coding Coding, body []byte) int64 {
	switch {
	case coding == Zstd:
		var header zstd.Header
		if header.Decode(body) == nil && header.HasFCS && header.FrameContentSize <= math.MaxInt64 {
			return int64(header.FrameContentSize)
		}
	case coding == Snappy:
		length, _ := snappy.DecodedLen(body) // 0 if the header is broken
		return int64(length)
	case coding == Gzip && len(body) > gzipTrailerBytes:
		return int64(binary.LittleEndian.Uint32(body[len(body)-4:]))
	}
	return 0
}

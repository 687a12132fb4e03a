package contentcoding_test

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/contentcoding"
	"savedq/internal/http/httpstatus"
)

// RFC 9110, section 8.4.
func TestSent(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		headers   []string
		want      contentcoding.Coding
		supported bool
	}{
		"no header":       {nil, contentcoding.Identity, true},
		"an empty header": {[]string{""}, contentcoding.Identity, true},
		"identity":        {[]string{"identity"}, contentcoding.Identity, true},
		"gzip":            {[]string{"gzip"}, contentcoding.Gzip, true},
		"its other name":  {[]string{"X-GZIP"}, contentcoding.Gzip, true},
		"zstd":            {[]string{" Zstd , identity"}, contentcoding.Zstd, true},
		"twice":           {[]string{"gzip, gzip"}, "", false},
		"in two headers":  {[]string{"gzip", "zstd"}, "", false},
		"deflate":         {[]string{"Deflate"}, contentcoding.Deflate, true},
		"snappy":          {[]string{"snappy"}, contentcoding.Snappy, true},
		"snappy, gzip":    {[]string{"snappy, gzip"}, "", false},
		"compress":        {[]string{"compress"}, "", false},
		"br":              {[]string{"br"}, "", false},
		"any":             {[]string{"*"}, "", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			coding, supported := contentcoding.Sent(test.headers)
			assert.Equal(t, test.want, coding)
			assert.Equal(t, test.supported, supported)
		})
	}
}

// A body is decoded up to the limit, and one that would be larger is not decoded to its end.
func TestDecode(t *testing.T) {
	t.Parallel()
	const limit = 64 << 10
	decoder := contentcoding.NewDecoder(limit)
	codings := []contentcoding.Coding{contentcoding.Identity, contentcoding.Gzip, contentcoding.Zstd, contentcoding.Deflate, contentcoding.Snappy}
	for _, coding := range codings {
		for _, size := range []int{0, 1, 1000, limit} {
			body := []byte(strings.Repeat("x", size))
			decoded, err := decoder.Decode(coding, encode(t, coding, body))
			require.NoError(t, err, "%s %d", coding, size)
			assert.Len(t, decoded, size)
		}
	}
	for _, coding := range codings[1:] {
		for _, size := range []int{limit + 1, 4 << 20} {
			_, err := decoder.Decode(coding, encode(t, coding, make([]byte, size)))
			require.ErrorIs(t, err, contentcoding.ErrTooLarge, "%s %d", coding, size)
		}
		valid := encode(t, coding, []byte(strings.Repeat("body", 100)))
		for name, body := range map[string][]byte{
			"nonsense": []byte(`{"query":"{ __typename }"}`), "cut off": valid[:len(valid)-1], "more than it": append(bytes.Clone(valid), "x"...),
		} {
			_, err := decoder.Decode(coding, body)
			require.Error(t, err, "%s %s", coding, name)
			require.NotErrorIs(t, err, contentcoding.ErrTooLarge)
		}
	}
	assert.Panics(t, func() { _, _ = decoder.Decode("br", nil) })
}

// encode encodes a body in a coding, also in those that are only for requests.
func encode(tb testing.TB, coding contentcoding.Coding, body []byte) []byte {
	tb.Helper()
	if coding == contentcoding.Snappy {
		return snappy.Encode(nil, body)
	}
	if coding != contentcoding.Deflate {
		return coding.Encode(body)
	}
	var encoded bytes.Buffer
	writer := zlib.NewWriter(&encoded)
	_, err := writer.Write(body)
	require.NoError(tb, err)
	require.NoError(tb, writer.Close())
	return encoded.Bytes()
}

// Some clients send deflate without the header and checksum of zlib.
func TestRawDeflate(t *testing.T) {
	t.Parallel()
	var encoded bytes.Buffer
	writer, err := flate.NewWriter(&encoded, flate.BestCompression)
	require.NoError(t, err)
	_, err = writer.Write([]byte(strings.Repeat("body", 100)))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	decoded, err := contentcoding.NewDecoder(400).Decode(contentcoding.Deflate, encoded.Bytes())
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat("body", 100), string(decoded))
	_, err = contentcoding.NewDecoder(399).Decode(contentcoding.Deflate, encoded.Bytes())
	require.ErrorIs(t, err, contentcoding.ErrTooLarge)
}

// A body of Snappy that announces more than the limit takes no memory for it.
func TestAnnouncedSnappy(t *testing.T) {
	t.Parallel()
	announced := binary.AppendUvarint(nil, 1<<32-1)
	_, err := contentcoding.NewDecoder(1000).Decode(contentcoding.Snappy, announced)
	require.ErrorIs(t, err, contentcoding.ErrTooLarge)
	assert.Equal(t, int64(1<<32-1), contentcoding.SizeHint(contentcoding.Snappy, announced))
	assert.Zero(t, contentcoding.SizeHint(contentcoding.Snappy, nil))
}

// A streaming client does not state the size of the body, and uses the default window of
// megabytes.
func TestDecodeOfAStream(t *testing.T) {
	t.Parallel()
	decoder := contentcoding.NewDecoder(64 << 10)
	for _, size := range []int{10_000, 70_000} {
		var coded bytes.Buffer
		writer, err := zstd.NewWriter(&coded, zstd.WithWindowSize(8<<20))
		require.NoError(t, err)
		for range size / 1000 {
			_, err = writer.Write(make([]byte, 1000))
			require.NoError(t, err)
			require.NoError(t, writer.Flush())
		}
		require.NoError(t, writer.Close())
		decoded, err := decoder.Decode(contentcoding.Zstd, coded.Bytes())
		if size > 64<<10 {
			require.ErrorIs(t, err, contentcoding.ErrTooLarge)
			continue
		}
		require.NoError(t, err)
		assert.Len(t, decoded, size)
	}
}

// FuzzDecode checks that Decode never panics and never returns more than the limit.
func FuzzDecode(f *testing.F) {
	const limit = 4 << 10
	codings := []contentcoding.Coding{contentcoding.Gzip, contentcoding.Zstd, contentcoding.Deflate, contentcoding.Snappy}
	for _, size := range []int{0, 100, limit, limit + 1, 1 << 20} {
		for number, coding := range codings {
			f.Add(byte(number), encode(f, coding, make([]byte, size)))
		}
	}
	decoder := contentcoding.NewDecoder(limit)
	f.Fuzz(func(t *testing.T, number byte, body []byte) {
		coding := codings[int(number)%len(codings)]
		if decoded, err := decoder.Decode(coding, body); err == nil {
			assert.LessOrEqual(t, len(decoded), limit)
		}
	})
}

// announced is a body that announces more than arrives. Its reader must not have room for what is announced.
type announced struct {
	t    *testing.T
	left int
}

// Read implements [io.Reader].
func (a *announced) Read(into []byte) (int, error) {
	if a.left == 0 {
		return 0, httpstatus.ErrSlowBody
	}
	assert.LessOrEqual(a.t, len(into), 8<<10)
	a.left--
	into[0] = 'x'
	return 1, nil
}

// A body takes memory when it arrives, and one that arrives too slowly is refused with its own status.
func TestReadSlowBody(t *testing.T) {
	t.Parallel()
	for _, length := range []int64{-1, 10, 64 << 10, 1 << 20, 1 << 40} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", &announced{t, 5})
		request.ContentLength = length
		_, status, err := contentcoding.NewDecoder(1<<20).Read(httptest.NewRecorder(), request)
		assert.Equal(t, http.StatusRequestTimeout, status)
		require.ErrorIs(t, err, httpstatus.ErrSlowBody)
	}
}

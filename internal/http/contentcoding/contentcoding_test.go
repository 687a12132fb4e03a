package contentcoding_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/contentcoding"
)

// RFC 9110, section 12.5.3.
func TestChoose(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		accept []string
		want   contentcoding.Coding
	}{
		"no header":             {nil, contentcoding.Identity},
		"an empty header":       {[]string{""}, contentcoding.Identity},
		"gzip":                  {[]string{"gzip"}, contentcoding.Gzip},
		"its other name":        {[]string{"X-GZIP"}, contentcoding.Gzip},
		"a browser's":           {[]string{"gzip, deflate, br, zstd"}, contentcoding.Gzip},
		"zstd first":            {[]string{"zstd, br, gzip"}, contentcoding.Zstd},
		"two headers":           {[]string{"zstd", "gzip"}, contentcoding.Zstd},
		"zstd is preferred":     {[]string{"gzip;q=0.9, zstd"}, contentcoding.Zstd},
		"zstd and any":          {[]string{"zstd, *"}, contentcoding.Zstd},
		"the heavier":           {[]string{"gzip;q=0.9, zstd;q=0.8"}, contentcoding.Gzip},
		"declined":              {[]string{"gzip;q=0"}, contentcoding.Identity},
		"any":                   {[]string{"*"}, contentcoding.Gzip},
		"any but gzip":          {[]string{"*, gzip;q=0"}, contentcoding.Zstd},
		"any but one":           {[]string{"*, zstd;q=0"}, contentcoding.Gzip},
		"identity is preferred": {[]string{"gzip;q=0.5, identity"}, contentcoding.Identity},
		"identity is as good":   {[]string{"gzip, identity"}, contentcoding.Gzip},
		"unknown":               {[]string{"br"}, contentcoding.Identity},
		"no weight":             {[]string{"gzip;q=much"}, contentcoding.Identity},
		"too heavy":             {[]string{"gzip;q=2"}, contentcoding.Identity},
		"spaces":                {[]string{" gzip ; q=0.1 "}, contentcoding.Gzip},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, contentcoding.Choose(test.accept, 1024))
			assert.Equal(t, contentcoding.Identity, contentcoding.Choose(test.accept, 1023), "too small to be worth it")
		})
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	body := []byte(strings.Repeat(`{"count":0}`, 1000))
	for name, encode := range map[string]func(contentcoding.Coding, []byte) []byte{
		"as usual": contentcoding.Coding.Encode, "small": contentcoding.Coding.EncodeSmall,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, body, encode(contentcoding.Identity, body))

			reader, err := gzip.NewReader(bytes.NewReader(encode(contentcoding.Gzip, body)))
			require.NoError(t, err)
			decoded, err := io.ReadAll(reader)
			require.NoError(t, err)
			assert.Equal(t, body, decoded)

			decoder, err := zstd.NewReader(nil)
			require.NoError(t, err)
			defer decoder.Close()
			decoded, err = decoder.DecodeAll(encode(contentcoding.Zstd, body), nil)
			require.NoError(t, err)
			assert.Equal(t, body, decoded)

			assert.Panics(t, func() { encode("br", body) })
		})
	}
}

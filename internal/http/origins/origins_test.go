package origins_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/http/origins"
)

func TestAllows(t *testing.T) {
	t.Parallel()
	set, err := origins.Parse("https://app.example.com", "http://localhost:5173", "https://*.example.org", "https://x.example.net:443", "http://*.example.net:8080", "HTTP://[::1]:80")
	require.NoError(t, err)
	for origin, want := range map[string]bool{
		"https://app.example.com":            true,
		"https://app.example.com:443":        true,
		"https://APP.example.com":            true,
		"http://app.example.com":             false,
		"https://app.example.com:8443":       false,
		"https://example.com":                false,
		"https://x.app.example.com":          false,
		"https://app.example.com.evil.org":   false,
		"http://localhost:5173":              true,
		"http://localhost":                   false,
		"https://a.example.org":              true,
		"https://a.example.org:443":          true,
		"http://a.example.org":               false,
		"https://a.b.example.org":            false,
		"https://example.org":                false,
		"https://.example.org":               false,
		"https://aexample.org":               false,
		"https://x.example.net":              true,
		"http://a.example.net:8080":          true,
		"http://a.example.net":               false,
		"http://[::1]":                       true,
		"null":                               false,
		"":                                   false,
		"*":                                  false,
		"https://app.example.com/":           false,
		"https://user@app.example.com":       false,
		"https://app.example.com, https://a": false,
	} {
		assert.Equal(t, want, set.Allows(origin), origin)
	}
	assert.False(t, origins.Set(nil).Allows("https://app.example.com"))
}

func TestParseRejects(t *testing.T) {
	t.Parallel()
	const (
		label  = "* can only be the whole first label, as in https://*.example.com"
		domain = "* must be below a domain of at least two labels, as in https://*.example.com"
		ends   = "it must end after the host or the port"
		host   = "its host is not written as browsers send it"
		begins = "it must begin with https:// or http://"
	)
	for text, want := range map[string]string{
		"*":                         label,
		"https://*":                 label,
		"https://*.com":             domain,
		"https://*.":                "it has no host",
		"https://*.127.0.0.1":       domain,
		"https://a.*":               label,
		"https://a*.example.com":    label,
		"https://*.*.example.com":   label,
		"https://*example.com":      label,
		"https://example.com:*":     label,
		"https://app.example.com/":  ends,
		"https://app.example.com/x": ends,
		"https://app.example.com?x": ends,
		"https://app.example.com?":  ends,
		"https://app.example.com#x": ends,
		"https://user@example.com":  ends,
		"https://example.com:":      "it has no port after the colon",
		"https://example.com:0":     "the port must be 1 to 65535",
		"https://example.com:99999": "the port must be 1 to 65535",
		"https://*.com.":            host,
		"https://*..com":            host,
		"https://.example.com":      host,
		"https://a,b.example.com":   host,
		"https://exämple.com":       host,
		"https://[0:0:0:0:0:0:0:1]": host,
		"https://example.com:0443":  "the port must be 1 to 65535",
		"https://app.example.com#":  ends,
		"https://example.com:x":     "it is not a URL",
		"https://[::1":              "it is not a URL",
		"https://":                  "it has no host",
		"app.example.com":           begins,
		"//app.example.com":         begins,
		"ftp://example.com":         begins,
		"null":                      begins,
		"":                          "it is not a URL",
	} {
		_, err := origins.Parse("https://app.example.com", text)
		require.EqualError(t, err, `"`+text+`" is not an origin such as https://app.example.com: `+want)
	}
}

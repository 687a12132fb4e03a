package accept_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/internal/http/accept"
)

// RFC 9110, sections 5.6.1, 12.4.2 and 12.5.
func TestItems(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		headers []string
		want    []accept.Item
	}{
		"no header":             {nil, nil},
		"an empty header":       {[]string{""}, nil},
		"empty items":           {[]string{" , ;q=1,"}, nil},
		"one item":              {[]string{"gzip"}, []accept.Item{{Value: "gzip", Quality: 1}}},
		"upper case":            {[]string{"Text/HTML;Q=0.5"}, []accept.Item{{Value: "text/html", Quality: 0.5}}},
		"spaces":                {[]string{" gzip ; q = 0.1 "}, []accept.Item{{Value: "gzip", Quality: 0.1}}},
		"two headers":           {[]string{"gzip", "zstd;q=0"}, []accept.Item{{Value: "gzip", Quality: 1}, {Value: "zstd"}}},
		"other parameters":      {[]string{"text/html;level=1;q=0.4;a=b"}, []accept.Item{{Value: "text/html", Quality: 0.4}}},
		"a value with a space":  {[]string{"text html, */*"}, []accept.Item{{Value: "*/*", Quality: 1}}},
		"not a token":           {[]string{"appl:ication/json, a=b/c, \"x\""}, nil},
		"a quality of letters":  {[]string{"gzip;q=much"}, []accept.Item{{Value: "gzip", Quality: 1, Malformed: true}}},
		"a quality of NaN":      {[]string{"gzip;q=NaN"}, []accept.Item{{Value: "gzip", Quality: 1, Malformed: true}}},
		"a quality above one":   {[]string{"gzip;q=2"}, []accept.Item{{Value: "gzip", Quality: 1, Malformed: true}}},
		"a quality below zero":  {[]string{"gzip;q=-1"}, []accept.Item{{Value: "gzip", Quality: 1, Malformed: true}}},
		"a quality of no value": {[]string{"gzip;q"}, []accept.Item{{Value: "gzip", Quality: 1, Malformed: true}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, slices.Collect(accept.Items(test.headers)))
		})
	}
}

// Every response chooses a coding.
func TestItemsAllocatesNothing(t *testing.T) {
	headers := []string{"gzip, deflate, br;q=0.5, zstd"}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for item := range accept.Items(headers) {
			if item.Malformed {
				t.Error(item.Value)
			}
		}
	}))
}

package graph_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/graph"
)

func marshal(value graphql.Marshaler) string {
	var text bytes.Buffer
	value.MarshalGQL(&text)
	return text.String()
}

func TestAppendTime(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("east", 2*60*60)
	for name, test := range map[string]struct {
		time time.Time
		want string
	}{
		"a whole second has no fraction":  {time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC), "2026-11-20T10:00:00Z"},
		"no trailing zeros in a fraction": {time.Date(2026, 11, 20, 10, 0, 0, 250_000_000, time.UTC), "2026-11-20T10:00:00.25Z"},
		"microseconds are preserved":      {time.Date(2026, 11, 20, 10, 0, 0, 1_000, time.UTC), "2026-11-20T10:00:00.000001Z"},
		"nanoseconds are truncated":       {time.Date(2026, 11, 20, 10, 0, 0, 1_999, time.UTC), "2026-11-20T10:00:00.000001Z"},
		"another zone becomes UTC":        {time.Date(2026, 11, 20, 1, 30, 0, 0, east), "2026-11-19T23:30:00Z"},
		"a leap day":                      {time.Date(2028, 2, 29, 0, 0, 0, 0, time.UTC), "2028-02-29T00:00:00Z"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, string(graph.AppendTime(nil, test.time)))
		})
	}
}

func TestStringAcceptsStringsOnly(t *testing.T) {
	t.Parallel()
	text, err := graph.UnmarshalString("a \"b\"")
	require.NoError(t, err)
	assert.Equal(t, `"a \"b\""`, marshal(graph.MarshalString(text)))
	for name, value := range map[string]any{"a number": 5, "a boolean": true, "null": nil} {
		_, err := graph.UnmarshalString(value)
		require.EqualError(t, err, "a String must be a string", name)
	}
}

package functions

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAttributes(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{
		`[{"request":[{"method":"GET","headers":[{"user_agent":"curl"}]}]}]`: `{"request.method":"GET","request.headers.user_agent":"curl"}`,
		`[{"a":{"b":1.50,"c":true,"d":null,"e":"ü\n\"x\""}}]`:                `{"a.b":"1.50","a.c":"true","a.e":"ü\n\"x\""}`,
		// a list counts by its first element, unless it is a list
		`[{"a":[1,2],"b":[],"c":[[3]],"d":[{"e":4},{"e":5,"f":6}]},{"z":1}]`: `{"a":"1","d.e":"4"}`,
		// the first of a name counts
		`[{"a":1,"a":2,"b":{"c":3},"b.c":4}]`: `{"a":"1","b.c":"3"}`,
		`[{" ":{"":1}}]`:                      `{" .":"1"}`,
		`[]`:                                  `{}`,
		`[ ]`:                                 `{}`,
		`[{}]`:                                `{}`,
		`[null]`:                              `{}`,
		`[7]`:                                 `{}`,
		`{"a":1}`:                             `{}`,
		`null`:                                `{}`,
		`""`:                                  `{}`,
	} {
		got, err := attributes(metadata)
		require.NoError(t, err, metadata)
		assert.Equal(t, want, got, metadata)
	}
	for _, broken := range []string{`[`, `[{`, `[{"a"`, `[{"a":1`, `[{"a":1}`, `[{"a":}]`, `[{"a":1}] x`, `[1,`} {
		_, err := attributes(broken)
		assert.ErrorIs(t, err, errNoJSON, broken)
	}
}

// Each value repeats the names around it, so a small metadata can have large attributes.
func TestAttributesAreBounded(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 100_000)
	members := strings.Repeat(`"a":1,`, 10) + `"b":2`
	got, err := attributes(`[{"` + name + `":{` + members + `}}]`)
	require.NoError(t, err)
	assert.Len(t, got, 2*(len(name)+len(`".a":"1"`))+len(`{,}`))
	var many strings.Builder
	for i := range 100 {
		many.WriteString(`"` + strings.Repeat("m", i+1) + `":1,`)
	}
	_, err = attributes(`[{"` + name + `":{` + many.String() + `"b":2}}]`)
	require.ErrorIs(t, err, errTooManyAttributes)
	_, err = attributes(`[` + strings.Repeat(`{"a":`, 100_000) + `1` + strings.Repeat(`}`, 100_000) + `]`)
	require.NoError(t, err, "depth does not end the process")
}

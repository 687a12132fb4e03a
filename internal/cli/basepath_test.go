package cli

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A base path is one that needs no escaping and that no client changes.
func TestBasePath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/savedq": "/savedq", "/savedq/": "/savedq", "/a/b-c_d.e~1": "/a/b-c_d.e~1", "/": "",
	} {
		var path basePath
		require.NoError(t, path.UnmarshalText([]byte(text)), text)
		assert.Equal(t, want, string(path))
	}
	for _, text := range []string{
		"savedq", "a/b", "//", "//savedq", "/a//b", "/savedq//", "/a/../b", "/..", "/.", "/a/./b", "/a?b", "/a#b", "/a b", "/a%20b", "/ä", "/a\n", "http://x/savedq", `/a"`, "/<base>",
	} {
		var path basePath
		assert.ErrorContains(t, path.UnmarshalText([]byte(text)), "is not a path such as /savedq: it must begin with a slash", text)
	}
}

package deploy_test

import (
	"debug/elf"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "savedq/internal/cli" // so that what the program is linked with, this test is linked with
)

// The base image has the C and C++ libraries that the program needs, and no others
// are needed.
func TestImageHasTheLibraries(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	require.NoError(t, err)
	program, err := elf.Open(path)
	if err != nil {
		t.Skipf("libraries are checked only in programs for Linux: %s", err)
	}
	t.Cleanup(func() { assert.NoError(t, program.Close()) })
	libraries, err := program.ImportedLibraries()
	require.NoError(t, err)
	assert.Contains(t, libraries, "libstdc++.so.6", "DuckDB is linked in, so that the base image has to be cc, not static")
	for _, library := range libraries {
		assert.Regexp(t, `^(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|libresolv|librt|ld-linux-.*)\.so\.\d$`, library)
	}
}

// The image is built and run on the same release of Debian, with the Go of go.mod.
func TestImageReleases(t *testing.T) {
	t.Parallel()
	dockerfile, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	module, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	find := func(expression string, text []byte) string {
		found := regexp.MustCompile(expression).FindSubmatch(text)
		require.NotNil(t, found, expression)
		return string(found[1])
	}
	assert.Equal(t, find(`(?m)^go (\d+\.\d+)`, module), find(`golang:([\d.]+)-`, dockerfile))
	codenames := map[string]string{"12": "bookworm", "13": "trixie"}
	assert.Equal(t, codenames[find(`-debian(\d+):`, dockerfile)], find(`golang:[\d.]+-(\w+)`, dockerfile))
}

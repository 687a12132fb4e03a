package engines

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The server and the process for SQL of callers have DuckDB's memory together, and each what DuckDB needs.
func TestDivided(t *testing.T) {
	t.Parallel()
	const mib = int64(1 << 20)
	for bytes, want := range map[int64][2]int64{64: {64, 64}, 100: {64, 64}, 141: {77, 64}, 256: {192, 64}, 400: {300, 100}, 4096: {3072, 1024}} {
		server, callers := divided(bytes * mib)
		assert.Equal(t, want, [2]int64{server / mib, callers / mib}, bytes)
	}
}

// Wrong settings, as of a call by hand, leave nothing in the working directory.
func TestWrongCallersSettings(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "missing")
	for settings, want := range map[string]string{
		``:                                "read the settings of the process for SQL of callers",
		`[]`:                              "read the settings of the process for SQL of callers",
		`{}`:                              "lack a directory",
		`{"data": "` + t.TempDir() + `"}`: "lack a directory",
		`{"data": "` + missing + `", "spill": "` + filepath.Join(missing, callersSpill) + `"}`:         "create a directory for temporary files",
		`{"data": "` + t.TempDir() + `", "spill": "` + filepath.Join(t.TempDir(), callersSpill) + `"}`: "there is no store in",
	} {
		require.ErrorContains(t, WorkForCallers(t.Context(), nil, settings, time.Now), want, settings)
	}
	assert.NoDirExists(t, missing)
	assert.NoDirExists(t, callersSpill)
}

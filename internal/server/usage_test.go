package server

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A server cannot make a backup write elsewhere.
func TestUsageFilesOfBackups(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"usage/2026-11-22.ndjson": true, "usage/2026-11-22.ndjson.part": false, "usage/lock": false, "2026-11-22.ndjson": false,
		"usage/../2026-11-22.ndjson": false, "usage/../../x": false, "/usage/2026-11-22.ndjson": false, "usage/": false, "": false,
	} {
		assert.Equal(t, want, IsUsageFile(name), name)
	}
}

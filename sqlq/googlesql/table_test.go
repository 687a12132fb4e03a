package googlesql

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql/googlesqltest"
)

// Each function has cases, but those that read the clock, which is a parameter.
func TestEachFunctionHasCases(t *testing.T) {
	t.Parallel()
	files, err := googlesqltest.Read(filepath.Join("testdata", "cases"))
	require.NoError(t, err)
	var all strings.Builder
	for _, file := range files {
		for _, c := range file.Cases {
			all.WriteString(c.SQL + "\n")
		}
	}
	for name := range newFunctionTable() {
		if strings.HasPrefix(name, "CURRENT_") {
			continue
		}
		assert.Contains(t, all.String(), name+"(", "%s has no case", name)
	}
}

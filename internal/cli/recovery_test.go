package cli

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/engines"
	"savedq/internal/logs/writeahead"
)

// A server that cannot read what it has acknowledged ends, and says why once: it could neither
// store these events nor recognize them when they are sent again.
func TestServerEndsIfItsLogCannotBeRead(t *testing.T) {
	t.Setenv("SAVEDQ_TOKEN", "")
	directory := t.TempDir()
	log, err := writeahead.Open(writeahead.Config{Directory: filepath.Join(directory, engines.IngestLog)})
	require.NoError(t, err)
	_, err = log.Read(0, nil)
	require.NoError(t, err)
	_, err = log.Append([]byte("no record of this version"))
	require.NoError(t, err)
	require.NoError(t, log.Close())

	for _, test := range []struct {
		name      string
		arguments []string
	}{
		{"serve", []string{"serve", "--no-auth", "--addr", "127.0.0.1:0"}}, // it makes the store
		{"serve demo", []string{"serve", "--no-auth", "--addr", "127.0.0.1:0", "--demo"}},
		{"stats", []string{"store", "stats"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			assert.NotEqual(t, statusOK, Run(t.Context(), append(test.arguments, "--data", directory), &stdout, &stderr))
			assert.Equal(t, 1, bytes.Count(stderr.Bytes(), []byte("decode record 1 of the write-ahead log")), stderr.String())
		})
	}
}

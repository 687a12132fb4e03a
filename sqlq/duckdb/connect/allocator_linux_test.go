package connect

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every arena of the allocator keeps freed memory for the same time, also those that come with threads of DuckDB.
func TestFreedMemoryIsKept(t *testing.T) {
	t.Parallel()
	connector, err := New("?threads=8", nil)
	require.NoError(t, err)
	db := sql.OpenDB(connector)
	defer func() { assert.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), "CREATE TABLE t AS SELECT i % 1000 AS i, count(*) AS n FROM range(1000000) AS r(i) GROUP BY ALL")
	require.NoError(t, err)
	found, err := times(nil)
	require.NoError(t, err)
	require.Greater(t, len(found), 4, "two times of arenas that come later, and of those that there are")
	for _, milliseconds := range found {
		assert.Equal(t, freedFor.Milliseconds(), int64(milliseconds))
	}
}

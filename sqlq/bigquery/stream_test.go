package bigquery_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// Each page of a stream is passed on when it arrives, up to max rows.
func TestStreamPassesPagesOn(t *testing.T) {
	t.Parallel()
	fake := &fakeService{results: rows(page(9, "a", 1), page(9, "b", 2), page(9, "c", 3, 4))}
	statement := numbers(3)
	var batches [][][]any
	statement.Emit = func(batch *sqlq.Batch) error { batches = append(batches, slices.Collect(batch.Rows())); return nil }
	result, err := run(t, open(t, fake), statement)
	require.NoError(t, err)
	assert.Equal(t, [][][]any{{{int64(1)}}, {{int64(2)}}, {{int64(3)}}}, batches)
	assert.Equal(t, 3, result.RowCount())
	assert.Empty(t, result.Rows)
	assert.True(t, result.Truncated)
}

// A stream of which a part was passed on does not run again.
func TestStreamIsNotRepeated(t *testing.T) {
	t.Parallel()
	fake := &fakeService{results: rows(page(9, "a", 1), refusal(http.StatusBadRequest, "invalid", "no such page"))}
	statement := numbers(3)
	calls := 0
	statement.Emit = func(*sqlq.Batch) error { calls++; return nil }
	_, err := run(t, open(t, fake), statement)
	require.Error(t, err)
	assert.Equal(t, 1, calls)
}

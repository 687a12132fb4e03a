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

// A column that can have more digits than declared is an error before the first row, which no check has prevented.
func TestStreamOfBigNumbers(t *testing.T) {
	t.Parallel()
	const page = `{"jobComplete":true,"totalRows":"1","schema":{"fields":[{"name":"n","type":"BIGNUMERIC"}]},"rows":[{"f":[{"v":"1"}]}]}`
	for _, isBig := range []bool{false, true} {
		fake := &fakeService{results: rows(ok(page))}
		statement := numbers(3)
		statement.Query.Stream, statement.Query.Columns[0].Type, statement.Query.Columns[0].Big = true, sqlq.Numeric, isBig
		emitted := 0
		statement.Emit = func(batch *sqlq.Batch) error { emitted += batch.Len(); return nil }
		_, err := run(t, open(t, fake), statement)
		if isBig {
			require.NoError(t, err)
			assert.Equal(t, 1, emitted)
			continue
		}
		require.ErrorContains(t, err, "declare it as BIGNUMERIC")
		assert.Zero(t, emitted)
	}
}

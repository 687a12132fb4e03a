package randomsql_test

import (
	"errors"
	"flag"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/googlesql"
	"savedq/sqlq/googlesql/googlesqltest/randomsql"
)

var seeds = flag.Uint64("seeds", 200, "how many random queries are translated") //nolint:gochecknoglobals // Flags of tests are.

// refusedShare is which share of the queries the translation may refuse.
const refusedShare = 0.1

// Whatever is well-typed is translated, always alike, into SQL that DuckDB understands, or refused with a place.
func TestTranslate(t *testing.T) {
	t.Parallel()
	db, err := randomsql.OpenDuckDB(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	refused := map[string]int{}
	total := 0
	for seed := range *seeds {
		query := randomsql.New(seed, false)
		require.Equal(t, query, randomsql.New(seed, false))
		_, translated, err := query.Run(t.Context(), db)
		again, againErr := googlesql.Translate(query.SQL, randomsql.Environment(query.Columns))
		if mistake, ok := errors.AsType[*googlesql.Error](err); ok {
			require.Equal(t, mistake, againErr)
			assert.LessOrEqual(t, mistake.Offset, len(query.SQL))
			refused[mistake.Message]++
			t.Logf("seed %d is refused: %s\n%s", seed, mistake.In("", query.SQL), query.SQL)
			total++
			continue
		}
		require.NoError(t, againErr)
		require.Equal(t, translated, again.SQL)
		if err != nil {
			for _, bug := range []string{"Parser Error", "Binder Error", "Catalog Error", "INTERNAL", "Not implemented"} {
				assert.NotContains(t, err.Error(), bug, "seed %d: %s\n%s\n%s", seed, err, query.SQL, translated)
			}
		}
	}
	t.Logf("%d of %d are refused: %v", total, *seeds, refused)
	assert.LessOrEqual(t, float64(total), refusedShare*float64(*seeds))
}

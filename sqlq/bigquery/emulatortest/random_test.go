package emulatortest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/googlesql"
	"savedq/test/random/randomcatalog"
)

// Random saved queries return the rows that their SQL spells, nested columns and array
// parameters among them (D28). Their types are those that the emulator has: it writes some
// TIMESTAMPs in a format of its own.
func TestRandomCatalog(t *testing.T) {
	t.Parallel()
	const queries = 30
	random := randomcatalog.New(rand.New(rand.NewPCG(1, 0)), randomcatalog.Options{ //nolint:gosec // The same catalog in each run.
		Queries:     queries,
		ParamTypes:  []sqlq.Type{sqlq.String, sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool, sqlq.Date},
		ColumnTypes: []sqlq.Type{sqlq.String, sqlq.Int64, sqlq.Float64, sqlq.Numeric, sqlq.Bool, sqlq.Datetime, sqlq.Date, sqlq.JSON},
	})
	read, err := catalog.Read(googlesql.Dialect{}, catalog.Directory{FS: random.Files, Path: "random"})
	require.NoError(t, err)
	engine := startEmptyEmulator(t).engine
	for _, generated := range random.Queries {
		query, found := read.Find(generated.Name)
		require.True(t, found)
		args, err := query.Bind(generated.Params)
		require.NoError(t, err)
		result, err := engine.Run(t.Context(), sqlq.NewStatement(query, args, time.Now()))
		if !assert.NoError(t, err, query.SQL) {
			continue
		}
		require.NoError(t, result.Check())
		want := sqlq.Result{Columns: query.Columns, Rows: generated.Rows}
		// The emulator sorts the keys of JSON.
		assert.JSONEq(t, string(want.AppendJSON(nil)), string(result.AppendJSON(nil)), query.SQL)
	}
}

package duckdb_test

import (
	"testing"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// translated makes the catalog translate query.sql of every folder, because no folder has SQL for an engine of
// this name.
type translated struct{ duckdbsql.Dialect }

func (translated) Name() string { return "translated" }

// translatedEngine runs translated SQL.
type translatedEngine struct{ *duckdb.Engine }

func (translatedEngine) Dialect() sqlq.Dialect { return translated{} }

// D38: the one text in GoogleSQL has the rows of the specification on the embedded engine, too.
func TestConformanceOfGoogleSQL(t *testing.T) {
	t.Parallel()
	sqlqtest.TestEngine(t, func(tb testing.TB, logs sqlqtest.Logs) sqlq.Engine {
		tb.Helper()
		return translatedEngine{duckdb.New(openStore(tb, logs).DB())}
	}, sqlqtest.Options{DataSets: 4})
}

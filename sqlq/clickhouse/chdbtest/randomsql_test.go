package main

import (
	"context"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	engine "savedq/sqlq/clickhouse"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/googlesql/googlesqltest"
	"savedq/sqlq/googlesql/googlesqltest/randomsql"
)

var (
	firstSeed = flag.Uint64("firstseed", 0, "the seed of the first random query")        //nolint:gochecknoglobals // Flags of tests are.
	seeds     = flag.Uint64("seeds", 200, "how many random queries run on both engines") //nolint:gochecknoglobals // Flags of tests are.
)

// refusedShare is which share of the queries the translation may refuse.
const refusedShare = 0.15

// TestRandomSQL checks that random queries return the same rows on ClickHouse as on DuckDB, or fail on both, or are refused.
func TestRandomSQL(t *testing.T) {
	db, err := randomsql.OpenDuckDB(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	server := startServer(t)
	execute(t, server, randomsql.ClickHouse()...)
	settings := config(server)
	settings.Timeout = 2 * time.Minute // a machine can be busy; a query that never ends fails here
	opened := open(t, settings)
	var refused, failed, ran int
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		query := randomsql.New(seed, false)
		want, _, wantErr := query.Run(t.Context(), db)
		got, translated, err := runRandom(t.Context(), opened, query)
		mistake, isRefused := errors.AsType[*googlesql.Error](err)
		_, isRefusedByBoth := errors.AsType[*googlesql.Error](wantErr)
		switch {
		case isRefused || isRefusedByBoth:
			refused++
			t.Logf("seed %d is refused: %s\n%s", seed, mistake, query.SQL)
		case err != nil && wantErr != nil:
			failed++
		case isOutOfTimes(err):
			refused++
		case err != nil || wantErr != nil:
			t.Errorf("seed %d: DuckDB: %v; ClickHouse: %v\n%s\n%s", seed, wantErr, err, query.SQL, translated)
		default:
			ran++
			if !query.SameRows(want, got) {
				t.Errorf("seed %d: DuckDB returns\n%v\nand ClickHouse\n%v\n%s\n%s", seed, want, got, query.SQL, translated)
			}
		}
	}
	t.Logf("%d queries returned rows, %d failed on both, %d were refused", ran, failed, refused)
	assert.LessOrEqual(t, float64(refused), refusedShare*float64(*seeds))
}

// isOutOfTimes reports whether a time would be in a year that ClickHouse does not have.
func isOutOfTimes(err error) bool {
	return err != nil && strings.Contains(err.Error(), "which ClickHouse has")
}

// runRandom returns the rows of a query on ClickHouse, and the SQL. The error is a [*googlesql.Error] if the translation refuses
// the query.
func runRandom(ctx context.Context, opened *engine.Engine, random randomsql.Query) (rows [][]string, translated string, err error) {
	env := randomsql.Environment(random.Columns)
	env.Target = googlesql.ClickHouse
	translation, err := googlesql.Translate(random.SQL, env)
	if err != nil {
		return nil, "", err
	}
	query := &sqlq.SavedQuery{
		Name: "random", SQL: translation.SQL, SQLFile: "random/query.sql", MaxRows: 100_000, Engine: "clickhouse",
		Columns: random.Columns, Translation: translation,
	}
	var args []sqlq.Arg
	now := time.Time{}
	for _, p := range randomsql.Params() {
		if p.Name == sqlq.NowParam {
			now = p.Value.(time.Time)
			continue
		}
		args = append(args, sqlq.Arg{Name: p.Name, Type: p.Type, Value: argument(p.Value)})
	}
	result, err := opened.Run(ctx, sqlq.NewStatement(query, args, now))
	if err != nil {
		return nil, translation.SQL, err
	}
	for _, values := range result.Rows {
		row := make([]string, len(values))
		for i, value := range values {
			row[i] = googlesqltest.Text(ofResult(value, random.Columns[i].Type))
		}
		rows = append(rows, row)
	}
	return rows, translation.SQL, nil
}

// argument returns the value of a parameter as [sqlq.Arg] has it.
func argument(value any) any {
	texts, isList := value.([]string)
	if !isList {
		return value
	}
	list := make([]any, len(texts))
	for i := range texts {
		list[i] = texts[i]
	}
	return list
}

// ofResult returns a value of a result as one that [googlesqltest.Text] writes.
func ofResult(value any, typ sqlq.Type) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = ofResult(value[i], typ.Element())
		}
	case time.Time:
		if typ == sqlq.Date {
			return value.Format(time.DateOnly)
		}
		return value.Format("2006-01-02 15:04:05.999999")
	}
	return value
}

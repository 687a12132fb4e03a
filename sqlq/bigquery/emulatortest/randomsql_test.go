package emulatortest

import (
	"context"
	"errors"
	"flag"
	"regexp"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/googlesql/googlesqltest/randomsql"
)

var (
	firstSeed = flag.Uint64("firstseed", 0, "the seed of the first random query")        //nolint:gochecknoglobals // Flags of tests are.
	seeds     = flag.Uint64("seeds", 200, "how many random queries run on both engines") //nolint:gochecknoglobals // Flags of tests are.
)

// refusedShare is which share of the queries that the emulator runs the translation may refuse.
const refusedShare = 0.05

// crashedShare is at which share of the queries the emulator may crash, which proves nothing.
const crashedShare = 0.05

// crash matches what the emulator says when it fails because of itself.
var crash = regexp.MustCompile("nil pointer dereference|invalid argument type: decimal|failed to convert <nil> to JSON|no such function: googlesqlite|json: invalid path format")

// queriesPerEmulator is after how many queries an emulator is replaced: it never gives memory back.
const queriesPerEmulator = 1000

// Random queries return the same rows on DuckDB and on the emulator, or both fail.
func TestRandomSQL(t *testing.T) {
	t.Parallel()
	db, err := randomsql.OpenDuckDB(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	var running *emulator
	restart := func() {
		if running != nil {
			_ = running.close() // it may have been killed
		}
		running, err = start(t.Context())
		require.NoError(t, err)
		require.NoError(t, running.execute(t.Context(), randomsql.BigQuery(datasetName)))
	}
	restart()
	defer func() { assert.NoError(t, running.close()) }()
	var refused, failed, crashed, ran int
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		if seed > *firstSeed && seed%queriesPerEmulator == 0 {
			restart()
		}
		query := randomsql.New(seed, true)
		want, wantErr := running.query(t.Context(), query.SQL, emulatedParams(query.SQL)...)
		if errors.Is(wantErr, context.DeadlineExceeded) {
			require.NoError(t, running.process.Process.Kill())
			t.Logf("seed %d never ends in the emulator\n%s", seed, query.SQL)
			restart()
			continue
		}
		got, translated, err := query.Run(t.Context(), db)
		mistake, isRefused := errors.AsType[*googlesql.Error](err)
		switch {
		case err == nil && wantErr != nil && crash.MatchString(wantErr.Error()):
			crashed++
		case err != nil && wantErr != nil:
			failed++
		case isRefused:
			refused++
			t.Logf("seed %d is refused: %s\n%s", seed, mistake, query.SQL)
		case err != nil || wantErr != nil:
			t.Errorf("seed %d: DuckDB: %v; emulator: %v\n%s\n%s", seed, err, wantErr, query.SQL, translated)
		default:
			ran++
			if !query.SameRows(want, got) {
				t.Errorf("seed %d: the emulator returns\n%v\nand DuckDB\n%v\n%s\n%s", seed, want, got, query.SQL, translated)
			}
		}
	}
	t.Logf("%d queries returned rows, %d failed on both, %d were refused, the emulator crashed at %d", ran, failed, refused, crashed)
	assert.LessOrEqual(t, float64(crashed), crashedShare*float64(*seeds))
	assert.LessOrEqual(t, float64(refused), refusedShare*float64(*seeds))
}

// emulatedParams are the parameters that a query has.
func emulatedParams(sql string) []bigquery.QueryParameter {
	var params []bigquery.QueryParameter
	for _, p := range randomsql.Params() {
		value := p.Value
		if p.Type == sqlq.Date {
			value = civil.DateOf(value.(time.Time))
		}
		if strings.Contains(sql, "@"+p.Name) {
			params = append(params, bigquery.QueryParameter{Name: p.Name, Value: value})
		}
	}
	return params
}

package sqlq

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
)

// The key of an answer is the id of the saved query, the hash of its SQL, the
// engine's dialect and the arguments: all that changes the answer, and nothing else.
func TestKey(t *testing.T) {
	t.Parallel()
	query := &SavedQuery{
		ID: uuid.MustParse("2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10"), Name: "any", Dialect: DuckDB, SQL: "SELECT 1",
	}
	const prefix = "2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10/e004ebd5b5532a4b85984a62f8ad48a8/duckdb"
	at := time.Date(2026, 11, 20, 10, 0, 0, 1000, time.UTC)
	tests := map[string]struct {
		args []Arg
		want string
	}{
		"none": {nil, prefix},
		"one":  {[]Arg{{Name: "project", Value: "acme"}}, prefix + `?project="acme"`},
		"each type": {
			[]Arg{{Name: "a", Value: "x"}, {Name: "b", Value: int64(-1)}, {Name: "c", Value: 0.5}, {Name: "d", Value: true}, {Name: "e", Value: at}, {Name: "f"}},
			prefix + `?a="x"&b=-1&c=0.5&d=true&e=2026-11-20T10:00:00.000001Z&f=NULL`,
		},
		"a text that looks like more": {[]Arg{{Name: "a", Value: `x"&b="y`}}, prefix + `?a="x\"&b=\"y"`},
		"a text that looks like NULL": {[]Arg{{Name: "a", Value: "NULL"}}, prefix + `?a="NULL"`},
		"an empty text":               {[]Arg{{Name: "a", Value: ""}}, prefix + `?a=""`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, string(appendArgs([]byte(keyPrefix(query)), test.args)))
		})
	}
	other := *query
	other.Dialect = BigQuery
	assert.NotEqual(t, keyPrefix(query), keyPrefix(&other))
	other = *query
	other.SQL = "SELECT 2"
	assert.NotEqual(t, keyPrefix(query), keyPrefix(&other))
}

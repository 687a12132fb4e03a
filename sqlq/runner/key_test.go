package runner

import (
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// keyedQuery is a saved query with everything that is part of its keys.
func keyedQuery() *sqlq.SavedQuery {
	return &sqlq.SavedQuery{
		ID: uuid.MustParse("2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10"), Name: "any", Engine: "duckdb", SQL: "SELECT 1\n-- column", MaxRows: 1000,
		Params:  []sqlq.Param{{Name: "project", Type: sqlq.String}, {Name: "most", Type: sqlq.Int64}},
		Columns: []sqlq.Column{{Name: "day", Type: sqlq.Date}, {Name: "n", Type: sqlq.Int64, Nullable: true}},
	}
}

// The key of an entry is the id of the saved query, the hash of its definition, the
// engine's dialect and the arguments (D29).
func TestKey(t *testing.T) {
	t.Parallel()
	query := keyedQuery()
	const prefix = "2f2c0f2e-6b0e-4c39-9d0e-2a4c5d6f7a10/f2e5af1960fa1d1eb31d3b6818bc2872/duckdb"
	at := time.Date(2026, 11, 20, 10, 0, 0, 1000, time.UTC)
	tests := map[string]struct {
		args []sqlq.Arg
		want string
	}{
		"none": {nil, prefix},
		"one":  {[]sqlq.Arg{{Name: "project", Value: "acme"}}, prefix + `?project="acme"`},
		"each type": {
			[]sqlq.Arg{{Name: "a", Value: "x"}, {Name: "b", Value: int64(-1)}, {Name: "c", Value: 0.5}, {Name: "d", Value: true}, {Name: "e", Value: at}, {Name: "f"}},
			prefix + `?a="x"&b=-1&c=0.5&d=true&e=2026-11-20T10:00:00.000001Z&f=NULL`,
		},
		"decimals":                    {[]sqlq.Arg{{Name: "a", Value: sqlq.Decimal("-1.5")}, {Name: "b", Value: []any{sqlq.Decimal("2")}}}, prefix + `?a=-1.5&b=[2,]`},
		"a text that looks like more": {[]sqlq.Arg{{Name: "a", Value: `x"&b="y`}}, prefix + `?a="x\"&b=\"y"`},
		"a text that looks like NULL": {[]sqlq.Arg{{Name: "a", Value: "NULL"}}, prefix + `?a="NULL"`},
		"an empty text":               {[]sqlq.Arg{{Name: "a", Value: ""}}, prefix + `?a=""`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, string(appendArgs([]byte(keyPrefix(query)), test.args)))
		})
	}
}

// The definition is spelled in one way only.
func TestDefinition(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `max_rows 1000
param project STRING
param most INT64
column day DATE nullable=false
column n INT64 nullable=true

SELECT 1
-- column`, definition(keyedQuery()))
}

// Everything that can change the rows or their meaning changes the key, and nothing else
// does (D29).
func TestKeyDependsOnWhatChangesTheRows(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*sqlq.SavedQuery)
		same   bool
	}{
		"id":                  {change: func(q *sqlq.SavedQuery) { q.ID = uuid.MustParse("7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21") }},
		"SQL":                 {change: func(q *sqlq.SavedQuery) { q.SQL = "SELECT 2" }},
		"engine":              {change: func(q *sqlq.SavedQuery) { q.Engine = "bigquery" }},
		"max rows":            {change: func(q *sqlq.SavedQuery) { q.MaxRows = 999 }},
		"name of a parameter": {change: func(q *sqlq.SavedQuery) { q.Params[0].Name = "owner" }},
		"type of a parameter": {change: func(q *sqlq.SavedQuery) { q.Params[1].Type = sqlq.Float64 }},
		"order of parameters": {change: func(q *sqlq.SavedQuery) { slices.Reverse(q.Params) }},
		"name of a column":    {change: func(q *sqlq.SavedQuery) { q.Columns[1].Name = "m" }},
		"type of a column":    {change: func(q *sqlq.SavedQuery) { q.Columns[1].Type = sqlq.JSON }},
		"BIGNUMERIC":          {change: func(q *sqlq.SavedQuery) { q.Columns[1].Big = true }},
		"nullability":         {change: func(q *sqlq.SavedQuery) { q.Columns[1].Nullable = false }},
		"order of columns":    {change: func(q *sqlq.SavedQuery) { slices.Reverse(q.Columns) }},
		"a column less":       {change: func(q *sqlq.SavedQuery) { q.Columns = q.Columns[:1] }},
		"name":                {func(q *sqlq.SavedQuery) { q.Name = "another" }, true},
		"descriptions": {func(q *sqlq.SavedQuery) {
			q.Description, q.Params[0].Description, q.Columns[0].Description = "a", "b", "c"
		}, true},
		"caching":              {func(q *sqlq.SavedQuery) { q.Cache, q.Warm = time.Hour, time.Minute }, true},
		"scope of a parameter": {func(q *sqlq.SavedQuery) { q.Params[0].Scope = sqlq.ScopeProject }, true},
		"values of parameters": {func(q *sqlq.SavedQuery) { q.Params[0].Required, q.Params[0].Allowed = true, []string{"acme"} }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := keyedQuery()
			test.change(changed)
			assert.Equal(t, test.same, keyPrefix(keyedQuery()) == keyPrefix(changed))
		})
	}
}

package sqltext_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/googlesql"
	"savedq/sqlq/sqltext"
)

func TestParams(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []sqltext.Param{{Name: "a", Start: 7, End: 9}, {Name: "b1", Start: 13, End: 16}, {Name: "a", Start: 17, End: 19}},
		sqltext.Params(duckdbsql.Dialect{}, "SELECT $a || $b1 $a FROM t"))
	assert.Len(t, sqltext.Params(duckdbsql.Dialect{}, "SELECT $a, '$a', \"$a\" /* $a */, $$ $a $$, E'\\'$a', x$a -- $a"), 1)
	assert.Len(t, sqltext.Params(googlesql.Dialect{}, "SELECT @a, '@a', @@a, `@a` # @a"), 1)
	assert.Empty(t, sqltext.Params(duckdbsql.Dialect{}, ""))
}

package sqlq_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

func TestParamUses(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []sqlq.ParamUse{{Name: "a", Start: 7, End: 9}, {Name: "b1", Start: 13, End: 16}, {Name: "a", Start: 17, End: 19}},
		sqlq.DuckDB.ParamUses("SELECT $a || $b1 $a FROM t"))
	assert.Len(t, sqlq.DuckDB.ParamUses("SELECT $a, '$a', \"$a\" /* $a */, $$ $a $$, E'\\'$a', x$a -- $a"), 1)
	assert.Len(t, sqlq.BigQuery.ParamUses("SELECT @a, '@a', @@a, `@a` # @a"), 1)
	assert.Empty(t, sqlq.DuckDB.ParamUses(""))
}

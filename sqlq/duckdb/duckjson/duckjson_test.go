package duckjson_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq/duckdb/duckjson"
)

func TestReplaceNonFinite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[1,2]`:                              `[1,2]`,
		`[NaN,Infinity,-Infinity,-1]`:        `[null,null,null,-1]`,
		`{"NaN":NaN,"a":"-Infinity \" NaN"}`: `{"NaN":null,"a":"-Infinity \" NaN"}`,
		`"NaN`:                               `"NaN`,
		`NaN`:                                `null`,
	} {
		assert.Equal(t, want, string(duckjson.ReplaceNonFinite([]byte(text))))
	}
}

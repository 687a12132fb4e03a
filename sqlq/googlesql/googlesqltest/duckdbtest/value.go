// Package duckdbtest reads values of DuckDB for the tests of GoogleSQL's functions.
package duckdbtest

import (
	"math/big"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// Value returns a value of DuckDB, of a type as DuckDB names it, as one that googlesqltest.Text writes.
func Value(v any, typ string) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = Value(v[i], strings.TrimSuffix(typ, "[]"))
		}
	case time.Time:
		return v.Format(map[string]string{"DATE": time.DateOnly, "TIME": "15:04:05.999999"}[typ] + map[bool]string{true: "2006-01-02 15:04:05.999999"}[strings.HasPrefix(typ, "TIMESTAMP")])
	case duckdb.Decimal:
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Scale)), nil)
		return new(big.Rat).SetFrac(v.Value, scale)
	case int32:
		return int64(v)
	}
	return v
}

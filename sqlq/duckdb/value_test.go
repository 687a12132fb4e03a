package duckdb_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// Each declared type, from whatever DuckDB type can hold it.
func TestRunConvertsValues(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 1, 10, 20, 30, 123456000, time.UTC)
	tests := map[string]struct {
		expression string
		columnType sqlq.Type
		want       any
	}{
		"BIGINT":               {"9223372036854775807", sqlq.Int64, int64(9223372036854775807)},
		"HUGEINT":              {"sum(7::BIGINT)", sqlq.Int64, int64(7)},
		"UTINYINT":             {"255::UTINYINT", sqlq.Int64, int64(255)},
		"DOUBLE":               {"0.1::DOUBLE", sqlq.Float64, 0.1},
		"DECIMAL":              {"12.50::DECIMAL(10,2)", sqlq.Float64, 12.5},
		"DECIMAL as NUMERIC":   {"-12345678901234567890123456789.123456700::DECIMAL(38,9)", sqlq.Numeric, sqlq.Decimal("-12345678901234567890123456789.1234567")},
		"DECIMAL below 1":      {"-0.50::DECIMAL(2,2)", sqlq.Numeric, sqlq.Decimal("-0.5")},
		"DECIMAL of 38 digits": {"0.00000000000000000000000000000000000001::DECIMAL(38,38)", sqlq.Numeric, sqlq.Decimal("0.00000000000000000000000000000000000001")},
		"DECIMAL zero":         {"0.00::DECIMAL(10,2)", sqlq.Numeric, sqlq.Decimal("0")},
		"INTEGER as NUMERIC":   {"700::SMALLINT", sqlq.Numeric, sqlq.Decimal("700")},
		"UBIGINT":              {"18446744073709551615::UBIGINT", sqlq.Numeric, sqlq.Decimal("18446744073709551615")},
		"HUGEINT as NUMERIC":   {"-170141183460469231731687303715884105727::HUGEINT", sqlq.Numeric, sqlq.Decimal("-170141183460469231731687303715884105727")},
		"UHUGEINT":             {"340282366920938463463374607431768211455::UHUGEINT", sqlq.Numeric, sqlq.Decimal("340282366920938463463374607431768211455")},
		"BIGNUM":               {"'123456789012345678901234567890123456789012345678901234567890'::BIGNUM", sqlq.Numeric, sqlq.Decimal("123456789012345678901234567890123456789012345678901234567890")},
		"sum as NUMERIC":       {"sum(9223372036854775807 * 2::HUGEINT)", sqlq.Numeric, sqlq.Decimal("18446744073709551614")},
		"infinity":             {"'-inf'::DOUBLE", sqlq.Float64, math.Inf(-1)},
		"VARCHAR":              {"'a' || chr(0) || 'ü'", sqlq.String, "a\x00ü"},
		"UUID":                 {"'c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32'::UUID", sqlq.String, "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32"},
		"BOOLEAN":              {"true", sqlq.Bool, true},
		"TIMESTAMP":            {"TIMESTAMP '2026-03-01 10:20:30.123456'", sqlq.Timestamp, moment},
		"TIMESTAMPTZ is UTC":   {"TIMESTAMPTZ '2026-03-01 12:20:30.123456+02:00'", sqlq.Timestamp, moment},
		"TIMESTAMP_NS":         {"'2026-03-01 10:20:30.123456789'::TIMESTAMP_NS", sqlq.Timestamp, moment},
		"DATETIME":             {"TIMESTAMP '2026-03-01 10:20:30.123456'", sqlq.Datetime, moment},
		"infinite TIMESTAMP":   {"'infinity'::TIMESTAMP", sqlq.Timestamp, nil},
		"infinite DATETIME":    {"'-infinity'::TIMESTAMP", sqlq.Datetime, nil},
		"infinite DATE":        {"'infinity'::DATE", sqlq.Date, nil},
		"DATE before all":      {"'-infinity'::DATE", sqlq.Date, nil},
		"DATE":                 {"DATE '2026-03-01'", sqlq.Date, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		"JSON":                 {`'{"b":12345678901234567890,"a":1}'::JSON`, sqlq.JSON, json.RawMessage(`{"b":12345678901234567890,"a":1}`)},
		"JSON text":            {`'[1, "x"]'`, sqlq.JSON, json.RawMessage(`[1, "x"]`)},
		"STRUCT":               {`{'b': [1, NULL], 'a': {'c': DATE '2026-03-01'}}`, sqlq.JSON, json.RawMessage(`{"b":[1,null],"a":{"c":"2026-03-01"}}`)},
		"STRUCT with NaN":      {`{'x': 'nan'::DOUBLE, 'y': ['-inf'::DOUBLE]}`, sqlq.JSON, json.RawMessage(`{"x":null,"y":[null]}`)},
		"empty list":           {`[]`, sqlq.JSON, json.RawMessage(`[]`)},
		"NULL":                 {"NULL", sqlq.Timestamp, nil},
		"NULL NUMERIC":         {"NULL", sqlq.Numeric, nil},
		"NULL JSON":            {"NULL", sqlq.JSON, nil},
		"name that is keyword": {`1`, sqlq.Int64, int64(1)},
	}
	engine := duckdb.New(openStore(t, nil).DB())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := savedQuery(`SELECT `+test.expression+` AS "order"`, sqlq.Column{Name: "order", Type: test.columnType})
			if test.want != nil || test.columnType == sqlq.Float64 {
				_, err := engine.Check(t.Context(), query)
				require.NoError(t, err)
			}
			result, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
			require.NoError(t, err)
			assert.Equal(t, [][]any{{test.want}}, result.Rows)
		})
	}
}

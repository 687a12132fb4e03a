package sqlq_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// D13: each type in JSON.
func TestAppendValue(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	tests := map[string]struct {
		columnType sqlq.Type
		value      any
		want       string
	}{
		"NULL":                        {sqlq.String, nil, `null`},
		"INT64":                       {sqlq.Int64, int64(math.MaxInt64), `9223372036854775807`},
		"FLOAT64":                     {sqlq.Float64, 12.5, `12.5`},
		"FLOAT64 whole":               {sqlq.Float64, 9.0, `9`},
		"FLOAT64 zero":                {sqlq.Float64, 0.0, `0`},
		"FLOAT64 large":               {sqlq.Float64, 1e21, `1e+21`},
		"FLOAT64 just not large":      {sqlq.Float64, 1e20, `100000000000000000000`},
		"FLOAT64 small":               {sqlq.Float64, 1e-7, `1e-07`},
		"FLOAT64 NaN":                 {sqlq.Float64, math.NaN(), `null`},
		"FLOAT64 infinite":            {sqlq.Float64, math.Inf(-1), `null`},
		"NUMERIC":                     {sqlq.Numeric, sqlq.Decimal("-12345678901234567890123456789.123456789"), `-12345678901234567890123456789.123456789`},
		"BOOL":                        {sqlq.Bool, true, `true`},
		"STRING":                      {sqlq.String, `plain`, `"plain"`},
		"STRING with escapes":         {sqlq.String, "a\"\\\n\x00<&ü", `"a\"\\\n\u0000<&ü"`},
		"STRING not UTF-8":            {sqlq.String, "a\xff", `"a\ufffd"`},
		"TIMESTAMP":                   {sqlq.Timestamp, moment.Add(time.Microsecond), `1795168800000001`},
		"TIMESTAMP before 1970":       {sqlq.Timestamp, time.Unix(-1, 0), `-1000000`},
		"DATETIME":                    {sqlq.Datetime, moment, `"2026-11-20T10:00:00"`},
		"DATETIME with a fraction":    {sqlq.Datetime, moment.Add(1500 * time.Microsecond), `"2026-11-20T10:00:00.001500"`},
		"DATE":                        {sqlq.Date, moment, `"2026-11-20"`},
		"JSON keeps order and digits": {sqlq.JSON, json.RawMessage(`[{"b":12345678901234567890,"a":[]}]`), `[{"b":12345678901234567890,"a":[]}]`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := string(sqlq.AppendValue(nil, test.columnType, test.value))
			assert.Equal(t, test.want, got)
			assert.True(t, json.Valid([]byte(got)))
		})
	}
}

// D12: rows in order, keys in column order, every column present.
func TestAppendJSON(t *testing.T) {
	t.Parallel()
	result := sqlq.Result{
		Columns: []sqlq.Column{{Name: "z", Type: sqlq.Int64}, {Name: "a", Type: sqlq.String}},
		Rows:    [][]any{{int64(1), nil}, {int64(0), "x"}},
	}
	assert.Equal(t, `[{"z":1,"a":null},{"z":0,"a":"x"}]`, string(result.AppendJSON(nil)))
	assert.Equal(t, `[]`, string((&sqlq.Result{}).AppendJSON(nil)))
}

// nested are a STRUCT, an ARRAY of one, and an ARRAY of arrays.
func nested() []sqlq.Column {
	fields := []sqlq.Column{
		{Name: "path", Type: sqlq.String, Nullable: true},
		{Name: "at", Type: sqlq.Timestamp, Nullable: true},
		{Name: "sizes", Type: sqlq.ArrayOf(sqlq.Int64)},
	}
	return []sqlq.Column{
		{Name: "s", Type: sqlq.Struct, Fields: fields, Nullable: true},
		{Name: "l", Type: sqlq.ArrayOf(sqlq.Struct), Fields: fields},
		{Name: "ll", Type: sqlq.ArrayOf(sqlq.ArrayOf(sqlq.Date))},
	}
}

// D28: NULL stays null, an empty list stays empty, and fields stand in their order.
func TestAppendNestedJSON(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	result := sqlq.Result{Columns: nested(), Rows: [][]any{
		{[]any{"/a\"", at, []any{int64(1), nil}}, []any{[]any{nil, nil, []any{}}, nil}, []any{[]any{at}, []any{}}},
		{nil, []any{}, []any{}},
	}}
	require.NoError(t, result.Check())
	assert.Equal(t, `[{"s":{"path":"/a\"","at":1795132800000000,"sizes":[1,null]},"l":[{"path":null,"at":null,"sizes":[]},null],"ll":[["2026-11-20"],[]]},`+
		`{"s":null,"l":[],"ll":[]}]`, string(result.AppendJSON(nil)))
}

// A nested value of another shape is an error before it is cached.
func TestCheckNestedValues(t *testing.T) {
	t.Parallel()
	good := func() []any { return []any{nil, []any{}, []any{}} }
	for want, change := range map[string]func(row []any){
		`column "s" of row 1: the engine returned 1 values for the 3 fields of a STRUCT`:                        func(row []any) { row[0] = []any{nil} },
		`column "s" of row 1: the engine returned a value of type string for the type STRUCT`:                   func(row []any) { row[0] = "x" },
		`column "s" of row 1: field sizes: the engine returned a value of type <nil> for the type ARRAY<INT64>`: func(row []any) { row[0] = []any{nil, nil, nil} },
		`column "s" of row 1: field path: the engine returned a nested value for the type STRING`:               func(row []any) { row[0] = []any{[]any{}, nil, []any{}} },
		`column "l" of row 1: the engine returned a value of type <nil> for the type ARRAY<STRUCT>`:             func(row []any) { row[1] = nil },
		`column "l" of row 1: the engine returned a value of type int64 for the type STRUCT`:                    func(row []any) { row[1] = []any{int64(1)} },
		`column "ll" of row 1: the engine returned a value of type <nil> for the type ARRAY<DATE>`:              func(row []any) { row[2] = []any{nil} },
	} {
		row := good()
		change(row)
		result := sqlq.Result{Columns: nested(), Rows: [][]any{row}}
		assert.EqualError(t, result.Check(), want)
	}
}

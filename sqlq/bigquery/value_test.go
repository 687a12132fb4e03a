package bigquery_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

// oneValue is a response with one column and one row, as the service writes it.
func oneValue(field, value string) response {
	return ok(fmt.Sprintf(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[%s]},"rows":[{"f":[{"v":%s}]}]}`, field, value))
}

// Every type of BigQuery's, alone in a column of every type that can hold it.
func TestRunConvertsValues(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 1, 10, 20, 30, 123456000, time.UTC)
	raw := func(text string) any { return json.RawMessage(text) }
	tests := map[string]struct {
		field    string // type and other attributes
		value    string
		declared sqlq.Type
		want     any
	}{
		"STRING":                    {`"STRING"`, `"a\u0000\"ü"`, sqlq.String, "a\x00\"ü"},
		"STRING that is empty":      {`"STRING"`, `""`, sqlq.String, ""},
		"STRING as JSON":            {`"STRING"`, `"<a\n\">"`, sqlq.JSON, raw(`"<a\n\">"`)},
		"INT64 beyond 2^53":         {`"INTEGER"`, `"9223372036854775807"`, sqlq.Int64, int64(9223372036854775807)},
		"INT64 by its other name":   {`"INT64"`, `"-9223372036854775808"`, sqlq.Int64, int64(-9223372036854775808)},
		"INT64 as JSON":             {`"INTEGER"`, `"9007199254740993"`, sqlq.JSON, raw(`9007199254740993`)},
		"INT64 as FLOAT64":          {`"INTEGER"`, `"12"`, sqlq.Float64, 12.0},
		"FLOAT64":                   {`"FLOAT"`, `"0.1"`, sqlq.Float64, 0.1},
		"FLOAT64 by its other name": {`"FLOAT64"`, `"1.7976931348623157E308"`, sqlq.Float64, 1.7976931348623157e308},
		"FLOAT64 very large":        {`"FLOAT"`, `"Infinity"`, sqlq.Float64, math.Inf(1)},
		"FLOAT64 infinite":          {`"FLOAT"`, `"-Infinity"`, sqlq.Float64, math.Inf(-1)},
		"FLOAT64 infinite as JSON":  {`"FLOAT"`, `"Infinity"`, sqlq.JSON, raw(`null`)},
		"FLOAT64 NaN as JSON":       {`"FLOAT"`, `"NaN"`, sqlq.JSON, raw(`null`)},
		"BOOL":                      {`"BOOLEAN"`, `"true"`, sqlq.Bool, true},
		"BOOL by its other name":    {`"BOOL"`, `"false"`, sqlq.Bool, false},
		"BOOL as JSON":              {`"BOOLEAN"`, `"false"`, sqlq.JSON, raw(`false`)},
		"TIMESTAMP":                 {`"TIMESTAMP"`, `"1772360430123456"`, sqlq.Timestamp, moment},
		"TIMESTAMP first":           {`"TIMESTAMP"`, `"-62135596800000000"`, sqlq.Timestamp, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)},
		"TIMESTAMP last":            {`"TIMESTAMP"`, `"253402300799999999"`, sqlq.Timestamp, time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC)},
		"TIMESTAMP of picoseconds":  {`"TIMESTAMP","timestampPrecision":"12"`, `"2026-03-01T10:20:30.123456789012Z"`, sqlq.Timestamp, moment},
		"TIMESTAMP as JSON":         {`"TIMESTAMP"`, `"1772360430123456"`, sqlq.JSON, raw(`1772360430123456`)},
		"DATETIME":                  {`"DATETIME"`, `"2026-03-01T10:20:30.123456"`, sqlq.Datetime, moment},
		"DATETIME with a space":     {`"DATETIME"`, `"2026-03-01 10:20:30"`, sqlq.Datetime, moment.Truncate(time.Second)},
		"DATETIME as JSON":          {`"DATETIME"`, `"2026-03-01T10:20:30.500000"`, sqlq.JSON, raw(`"2026-03-01T10:20:30.500000"`)},
		"DATETIME whole as JSON":    {`"DATETIME"`, `"2026-03-01T10:20:30"`, sqlq.JSON, raw(`"2026-03-01T10:20:30"`)},
		"DATETIME as STRING":        {`"DATETIME"`, `"2026-03-01T10:20:30"`, sqlq.String, "2026-03-01T10:20:30"},
		"DATE":                      {`"DATE"`, `"2026-03-01"`, sqlq.Date, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)},
		"DATE as JSON":              {`"DATE"`, `"0001-01-01"`, sqlq.JSON, raw(`"0001-01-01"`)},
		"TIME":                      {`"TIME"`, `"10:20:30.123456"`, sqlq.String, "10:20:30.123456"},
		"TIME as JSON":              {`"TIME"`, `"10:20:30"`, sqlq.JSON, raw(`"10:20:30"`)},
		"NUMERIC":                   {`"NUMERIC"`, `"99999999999999999999999999999.999999999"`, sqlq.String, "99999999999999999999999999999.999999999"},
		"NUMERIC as JSON":           {`"NUMERIC"`, `"-0.000000001"`, sqlq.JSON, raw(`"-0.000000001"`)},
		"NUMERIC as it is":          {`"NUMERIC"`, `"-99999999999999999999999999999.99"`, sqlq.Numeric, sqlq.Decimal("-99999999999999999999999999999.99")},
		"NUMERIC zero":              {`"NUMERIC"`, `"0"`, sqlq.Numeric, sqlq.Decimal("0")},
		"NUMERIC with zeros":        {`"NUMERIC"`, `"1.500000000"`, sqlq.Numeric, sqlq.Decimal("1.5")},
		"INT64 as NUMERIC":          {`"INTEGER"`, `"9223372036854775807"`, sqlq.Numeric, sqlq.Decimal("9223372036854775807")},
		"BIGNUMERIC as NUMERIC":     {`"BIGNUMERIC"`, `"578960446186580977117854925043439539266.34992332820282019728792003956564819967"`, sqlq.Numeric, sqlq.Decimal("578960446186580977117854925043439539266.34992332820282019728792003956564819967")},
		"NULL NUMERIC":              {`"NUMERIC"`, `null`, sqlq.Numeric, nil},
		"ARRAY of NUMERIC":          {`"NUMERIC","mode":"REPEATED"`, `[{"v":"1.50"},{"v":"-2"}]`, sqlq.ArrayOf(sqlq.Numeric), []any{sqlq.Decimal("1.5"), sqlq.Decimal("-2")}},
		"NUMERIC as FLOAT64":        {`"NUMERIC"`, `"12.5"`, sqlq.Float64, 12.5},
		"BIGNUMERIC":                {`"BIGNUMERIC"`, `"578960446186580977117854925043439539266.34992332820282019728792003956564819967"`, sqlq.JSON, raw(`"578960446186580977117854925043439539266.34992332820282019728792003956564819967"`)},
		"BYTES":                     {`"BYTES"`, `"AP8="`, sqlq.String, "AP8="},
		"BYTES as JSON":             {`"BYTES"`, `"AP8="`, sqlq.JSON, raw(`"AP8="`)},
		"GEOGRAPHY":                 {`"GEOGRAPHY"`, `"POINT(1 2)"`, sqlq.JSON, raw(`"POINT(1 2)"`)},
		"INTERVAL":                  {`"INTERVAL"`, `"1-2 3 4:5:6.789"`, sqlq.JSON, raw(`"1-2 3 4:5:6.789"`)},
		"INTERVAL as STRING":        {`"INTERVAL"`, `"1-2 3 4:5:6.789"`, sqlq.String, "1-2 3 4:5:6.789"},
		"RANGE":                     {`"RANGE","rangeElementType":{"type":"DATE"}`, `"[2026-03-01, UNBOUNDED)"`, sqlq.String, "[2026-03-01, UNBOUNDED)"},
		"RANGE as JSON":             {`"RANGE","rangeElementType":{"type":"DATE"}`, `"[2026-03-01, UNBOUNDED)"`, sqlq.JSON, raw(`"[2026-03-01, UNBOUNDED)"`)},
		"JSON":                      {`"JSON"`, `"{\"b\":12345678901234567890,\"a\":[1, null]}"`, sqlq.JSON, raw(`{"b":12345678901234567890,"a":[1, null]}`)},
		"JSON null":                 {`"JSON"`, `"null"`, sqlq.JSON, raw(`null`)},
		"JSON as STRING":            {`"JSON"`, `"[1]"`, sqlq.String, "[1]"},
		"JSON that is none":         {`"JSON"`, `"{"`, sqlq.JSON, raw(`"{"`)},
		"a type that is to come":    {`"UUID"`, `"c4d5"`, sqlq.JSON, raw(`"c4d5"`)},
		"NULL STRING":               {`"STRING"`, `null`, sqlq.String, nil},
		"NULL INT64":                {`"INTEGER"`, `null`, sqlq.Int64, nil},
		"NULL TIMESTAMP":            {`"TIMESTAMP"`, `null`, sqlq.Timestamp, nil},
		"NULL as JSON":              {`"NUMERIC"`, `null`, sqlq.JSON, nil},
		"NULL STRUCT":               {`"RECORD","fields":[{"name":"a","type":"STRING"}]`, `null`, sqlq.JSON, nil},
		"NULL ARRAY":                {`"STRING","mode":"REPEATED"`, `null`, sqlq.JSON, raw(`[]`)},
		"ARRAY that is empty":       {`"STRING","mode":"REPEATED"`, `[]`, sqlq.JSON, raw(`[]`)},
		"ARRAY":                     {`"INTEGER","mode":"REPEATED"`, `[{"v":"1"},{"v":"2"}]`, sqlq.JSON, raw(`[1,2]`)},
		"ARRAY with NULL":           {`"FLOAT","mode":"REPEATED"`, `[{"v":null},{"v":"NaN"},{"v":"1e-7"}]`, sqlq.JSON, raw(`[null,null,1e-07]`)},
		"STRUCT in the schema's order": {
			`"STRUCT","fields":[{"name":"z","type":"STRING"},{"name":"a","type":"BOOLEAN"}]`,
			`{"f":[{"v":"x"},{"v":"true"}]}`, sqlq.JSON, raw(`{"z":"x","a":true}`),
		},
		"STRUCT without fields": {`"STRUCT"`, `{"f":[]}`, sqlq.JSON, raw(`{}`)},
		"STRUCT of NULL, ARRAY and RANGE": {
			`"RECORD","fields":[{"name":"n","type":"RECORD","fields":[{"name":"x","type":"STRING"}]},{"name":"l","type":"TIMESTAMP","mode":"REPEATED"},{"name":"r","type":"RANGE","rangeElementType":{"type":"DATE"}},{"name":"a \"name\"","type":"JSON"}]`,
			`{"f":[{"v":null},{"v":[{"v":"1"},{"v":"-1"}]},{"v":"[2026-03-01, 2026-03-02)"},{"v":"{\"k\":1}"}]}`, sqlq.JSON,
			raw(`{"n":null,"l":[1,-1],"r":"[2026-03-01, 2026-03-02)","a \"name\"":{"k":1}}`),
		},
		"ARRAY of STRUCT of ARRAY of STRUCT, as metadata is (D14)": {
			`"RECORD","mode":"REPEATED","fields":[{"name":"request","type":"RECORD","mode":"REPEATED","fields":[{"name":"method","type":"STRING"},{"name":"status","type":"INTEGER"}]}]`,
			`[{"v":{"f":[{"v":[{"v":{"f":[{"v":"GET"},{"v":"200"}]}}]}]}},{"v":null},{"v":{"f":[{"v":[]}]}}]`, sqlq.JSON,
			raw(`[{"request":[{"method":"GET","status":200}]},null,{"request":[]}]`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statement := numbers(5)
			statement.Query.Columns = []sqlq.Column{{Name: "v", Type: test.declared}}
			fake := &fakeService{results: rows(oneValue(`{"name":"V","type":`+test.field+`}`, test.value))}
			result, err := run(t, open(t, fake), statement)
			require.NoError(t, err)
			assert.Equal(t, [][]any{{test.want}}, result.Rows)
			assert.True(t, json.Valid(result.AppendJSON(nil)))
		})
	}
}

// A value that contradicts its schema is an error that says where it is and not
// what it is; it takes nothing else down.
func TestRunRejectsInvalidValues(t *testing.T) {
	t.Parallel()
	object := `"RECORD","fields":[{"name":"a","type":"INTEGER"}]`
	tests := map[string]struct {
		field, value string
		declared     sqlq.Type
	}{
		"INT64":                        {`"INTEGER"`, `"secret"`, sqlq.Int64},
		"FLOAT64":                      {`"FLOAT"`, `"secret"`, sqlq.Float64},
		"NUMERIC":                      {`"NUMERIC"`, `"secret"`, sqlq.Numeric},
		"BOOL":                         {`"BOOLEAN"`, `"secret"`, sqlq.Bool},
		"TIMESTAMP":                    {`"TIMESTAMP"`, `"secret"`, sqlq.Timestamp},
		"DATETIME":                     {`"DATETIME"`, `"secret"`, sqlq.Datetime},
		"DATE":                         {`"DATE"`, `"secret"`, sqlq.Date},
		"nested INT64":                 {object, `{"f":[{"v":"secret"}]}`, sqlq.JSON},
		"DATE as JSON":                 {`"DATE"`, `"secret"`, sqlq.JSON},
		"number that is not a string":  {`"FLOAT"`, `7`, sqlq.Float64},
		"JSON number":                  {`"FLOAT"`, `7`, sqlq.JSON},
		"ARRAY that is none":           {`"INTEGER","mode":"REPEATED"`, `"secret"`, sqlq.JSON},
		"ARRAY of bare values":         {`"INTEGER","mode":"REPEATED"`, `["secret"]`, sqlq.JSON},
		"STRUCT that is none":          {object, `"secret"`, sqlq.JSON},
		"STRUCT without fields":        {object, `{}`, sqlq.JSON},
		"STRUCT of too many fields":    {object, `{"f":[{"v":"1"},{"v":"2"}]}`, sqlq.JSON},
		"STRUCT of bare values":        {object, `{"f":["secret"]}`, sqlq.JSON},
		"STRUCT whose f is not a list": {object, `{"f":"secret"}`, sqlq.JSON},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statement := numbers(5)
			statement.Query.Columns = []sqlq.Column{{Name: "v", Type: test.declared}}
			fake := &fakeService{results: rows(oneValue(`{"name":"v","type":`+test.field+`}`, test.value))}
			_, err := run(t, open(t, fake), statement)
			require.ErrorContains(t, err, "column v of row 1")
			assert.NotContains(t, err.Error(), "secret")
			assert.Equal(t, sqlq.Internal, sqlq.AsError(err).Code)
		})
	}
}

// Whatever the service writes, reading it never panics, and what can be read is
// JSON.
func FuzzConvertRows(f *testing.F) {
	f.Add(`{"name":"v","type":"INTEGER"}`, `"1"`)
	f.Add(`{"name":"v","type":"FLOAT"}`, `"NaN"`)
	f.Add(`{"name":"v","type":"TIMESTAMP","mode":"REPEATED"}`, `[{"v":"-1"},{"v":null}]`)
	f.Add(`{"name":"v","type":"RECORD","fields":[{"name":"a","type":"JSON"},{"name":"b","type":"DATETIME"}]}`, `{"f":[{"v":"{}"},{"v":"2026-03-01 10:00:00.5"}]}`)
	f.Add(`{"name":"v","type":"RECORD","fields":[null]}`, `{"f":[null]}`)
	f.Add(`null`, `{"f":7}`)
	f.Fuzz(func(t *testing.T, field, value string) {
		body := fmt.Sprintf(`{"jobComplete":true,"totalRows":"1","schema":{"fields":[%s]},"rows":[{"f":[{"v":%s}]}]}`, field, value)
		if !json.Valid([]byte(body)) || strings.Contains(body, "pageToken") {
			t.Skip("the service cannot return such a response")
		}
		for _, declared := range []sqlq.Type{sqlq.String, sqlq.Int64, sqlq.Float64, sqlq.Bool, sqlq.Timestamp, sqlq.Datetime, sqlq.Date, sqlq.JSON} {
			statement := numbers(5)
			statement.Query.Columns = []sqlq.Column{{Name: "v", Type: declared}}
			result, err := run(t, open(t, &fakeService{results: rows(ok(body))}), statement)
			if err == nil {
				assert.True(t, json.Valid(result.AppendJSON(nil)), string(result.AppendJSON(nil)))
			}
		}
	})
}

// D28: nested columns are converted field by field, and a NULL array is empty.
func TestRunConvertsNestedValues(t *testing.T) {
	t.Parallel()
	request := []sqlq.Column{{Name: "method", Type: sqlq.String, Nullable: true}, {Name: "sizes", Type: sqlq.ArrayOf(sqlq.Int64)}, {Name: "meta", Type: sqlq.JSON, Nullable: true}}
	const fields = `,"fields":[{"name":"method","type":"STRING"},{"name":"sizes","type":"INTEGER","mode":"REPEATED"},{"name":"meta","type":"RECORD","fields":[{"name":"a","type":"DATE"}]}]`
	for name, test := range map[string]struct {
		field, value string
		declared     sqlq.Column
		want         any
	}{
		"ARRAY":       {`"FLOAT","mode":"REPEATED"`, `[{"v":"1.5"},{"v":"-Infinity"}]`, sqlq.Column{Type: sqlq.ArrayOf(sqlq.Float64)}, []any{1.5, math.Inf(-1)}},
		"NULL ARRAY":  {`"STRING","mode":"REPEATED"`, `null`, sqlq.Column{Type: sqlq.ArrayOf(sqlq.String)}, []any{}},
		"NULL STRUCT": {`"RECORD"` + fields, `null`, sqlq.Column{Type: sqlq.Struct, Fields: request}, nil},
		"STRUCT": {
			`"STRUCT"` + fields, `{"f":[{"v":"GET"},{"v":[{"v":"1"}]},{"v":{"f":[{"v":"2026-03-01"}]}}]}`,
			sqlq.Column{Type: sqlq.Struct, Fields: request},
			[]any{"GET", []any{int64(1)}, json.RawMessage(`{"a":"2026-03-01"}`)},
		},
		"ARRAY of STRUCT": {
			`"RECORD","mode":"REPEATED"` + fields, `[{"v":{"f":[{"v":null},{"v":[]},{"v":null}]}}]`,
			sqlq.Column{Type: sqlq.ArrayOf(sqlq.Struct), Fields: request},
			[]any{[]any{nil, []any{}, nil}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statement := numbers(5)
			test.declared.Name = "v"
			statement.Query.Columns = []sqlq.Column{test.declared}
			result, err := run(t, open(t, &fakeService{results: rows(oneValue(`{"name":"v","type":`+test.field+`}`, test.value))}), statement)
			require.NoError(t, err)
			require.NoError(t, result.Check())
			assert.Equal(t, [][]any{{test.want}}, result.Rows)
		})
	}
}

// A nested value that contradicts its schema, or a schema that is no longer the declared one,
// is an error that does not show the value.
func TestRunRejectsNestedValuesOfAnotherShape(t *testing.T) {
	t.Parallel()
	declared := sqlq.Column{Name: "v", Type: sqlq.ArrayOf(sqlq.Struct), Fields: []sqlq.Column{{Name: "a", Type: sqlq.Int64, Nullable: true}}}
	const of = `"RECORD","mode":"REPEATED","fields":[{"name":"a","type":"INTEGER"}]`
	for name, test := range map[string]struct{ field, value, want string }{
		"no list":          {of, `"secret"`, "column v of row 1: a nested value contradicts its schema"},
		"no cell":          {of, `["secret"]`, "column v of row 1: a nested value contradicts its schema"},
		"no struct":        {of, `[{"v":"secret"}]`, "column v of row 1: a nested value contradicts its schema"},
		"too many values":  {of, `[{"v":{"f":[{"v":"1"},{"v":"secret"}]}}]`, "column v of row 1: a nested value contradicts its schema"},
		"no number":        {of, `[{"v":{"f":[{"v":"secret"}]}}]`, "column v of row 1: a: a value is not a valid INT64"},
		"another field":    {`"RECORD","mode":"REPEATED","fields":[{"name":"b","type":"INTEGER"}]`, `[]`, "in column v: column 1 is not a"},
		"another type":     {`"RECORD","mode":"REPEATED","fields":[{"name":"a","type":"STRING"}]`, `[]`, "in column v: column a is of type STRING instead of INT64"},
		"array in a field": {`"RECORD","mode":"REPEATED","fields":[{"name":"a","type":"INTEGER","mode":"REPEATED"}]`, `[]`, "in column v: column a is of type ARRAY<INT64> instead of INT64"},
		"no array":         {`"RECORD","fields":[{"name":"a","type":"INTEGER"}]`, `null`, "column v is of type STRUCT<a INT64> instead of ARRAY<STRUCT>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statement := numbers(5)
			statement.Query.Columns = []sqlq.Column{declared}
			_, err := run(t, open(t, &fakeService{results: rows(oneValue(`{"name":"v","type":`+test.field+`}`, test.value))}), statement)
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

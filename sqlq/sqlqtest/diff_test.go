package sqlqtest

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"savedq/sqlq"
)

// expectedOfEveryType has a row of every kind of value that results hold.
func expectedOfEveryType() *Expected {
	at := time.Date(2026, time.March, 10, 12, 0, 0, 1000, time.UTC)
	return &Expected{
		Result: sqlq.Result{
			Columns: []sqlq.Column{
				{Name: "timestamp", Type: sqlq.Timestamp},
				{Name: "avg_execution_time", Type: sqlq.Float64},
				{Name: p95Column, Type: sqlq.Float64},
				{Name: "count", Type: sqlq.Int64},
				{Name: "event_message", Type: sqlq.String},
				{Name: "metadata", Type: sqlq.JSON},
			},
			Rows: [][]any{
				{at, 0.3, 95.0, int64(7), "hello", json.RawMessage(`[{"a":1,"b":[{"c":9007199254740993}]}]`)},
				{at.Add(time.Second), nil, nil, int64(0), nil, nil},
			},
		},
		Observed: [][]float64{upTo(100), nil},
	}
}

// TestDiffFindsDifferences proves that each kind of difference is found, and that
// the report says where it is, what was wanted and what came.
func TestDiffFindsDifferences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*sqlq.Result)
		want   string
	}{
		{"a column of another name", func(r *sqlq.Result) { r.Columns[3].Name = "n" }, "column 3: want count INT64, got n INT64"},
		{"a column of another type", func(r *sqlq.Result) { r.Columns[3].Type = sqlq.Float64 }, "column 3: want count INT64, got count FLOAT64"},
		{"a column that is missing", func(r *sqlq.Result) { r.Columns = r.Columns[:5] }, "column 5: want metadata JSON, got none"},
		{"a column too many", func(r *sqlq.Result) { r.Columns = append(r.Columns, sqlq.Column{Name: "more", Type: sqlq.Bool}) }, "column 6: want none, got more BOOL"},
		{"columns in another order", func(r *sqlq.Result) { r.Columns[0], r.Columns[1] = r.Columns[1], r.Columns[0] }, "column 0: want timestamp TIMESTAMP, got avg_execution_time FLOAT64"},
		{"truncation", func(r *sqlq.Result) { r.Truncated = true }, "truncated: want false, got true"},
		{"a row that is missing", func(r *sqlq.Result) { r.Rows = r.Rows[:1] }, "number of rows: want 2, got 1\nrow 1: want [2026-03-10T12:00:01.000001Z, null, null, int64 0, null, null], got none"},
		{"a row too many", func(r *sqlq.Result) { r.Rows = append(r.Rows, []any{int64(1)}) }, "number of rows: want 2, got 3\nrow 2: want none, got [int64 1]"},
		{"rows in another order", func(r *sqlq.Result) { r.Rows[0], r.Rows[1] = r.Rows[1], r.Rows[0] }, "row 0 (2026-03-10T12:00:00.000001Z), column timestamp: want 2026-03-10T12:00:00.000001Z, got 2026-03-10T12:00:01.000001Z"},
		{"a row that is too short", func(r *sqlq.Result) { r.Rows[1] = r.Rows[1][:5] }, "row 1: want 6 values, got 5"},
		{"another number", func(r *sqlq.Result) { r.Rows[0][3] = int64(8) }, "row 0 (2026-03-10T12:00:00.000001Z), column count: want int64 7, got int64 8"},
		{"a number of another type", func(r *sqlq.Result) { r.Rows[0][3] = 7.0 }, "column count: want int64 7, got float64 7"},
		{"a whole number for a float", func(r *sqlq.Result) { r.Rows[0][1] = int64(0) }, "column avg_execution_time: want float64 0.3, got int64 0"},
		{"another mean", func(r *sqlq.Result) { r.Rows[0][1] = 0.30001 }, "want float64 0.3, got float64 0.30001"},
		{"no mean", func(r *sqlq.Result) { r.Rows[0][1] = math.NaN() }, "want float64 0.3, got float64 NaN"},
		{"null for a value", func(r *sqlq.Result) { r.Rows[0][3] = nil }, "want int64 7, got null"},
		{"a value for null", func(r *sqlq.Result) { r.Rows[1][1] = 0.0 }, "want null, got float64 0"},
		{"an empty text for null", func(r *sqlq.Result) { r.Rows[1][4] = "" }, `want null, got ""`},
		{"another text", func(r *sqlq.Result) { r.Rows[0][4] = "Hello" }, `want "hello", got "Hello"`},
		{"a percentile out of tolerance", func(r *sqlq.Result) { r.Rows[0][2] = 97.0 }, "column p95_execution_time: want float64 95, got float64 97"},
		{"a percentile that was not observed", func(r *sqlq.Result) { r.Rows[0][2] = 95.5 }, "want float64 95, got float64 95.5"},
		{"a time a microsecond off", func(r *sqlq.Result) { r.Rows[0][0] = r.Rows[0][0].(time.Time).Add(time.Microsecond) }, "got 2026-03-10T12:00:00.000002Z"},
		{"a time that is not in UTC", func(r *sqlq.Result) { r.Rows[0][0] = r.Rows[0][0].(time.Time).In(time.FixedZone("", 3600)) }, "got 2026-03-10T13:00:00.000001+01:00"},
		{"a time as a number", func(r *sqlq.Result) { r.Rows[0][0] = int64(1) }, "got int64 1"},
		{"JSON as text", func(r *sqlq.Result) { r.Rows[0][5] = "[]" }, `got "[]"`},
		{"another value in JSON", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"a":2,"b":[{"c":9007199254740993}]}]`) }, `got JSON [{"a":2`},
		{"a rounded number in JSON", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"a":1,"b":[{"c":9007199254740992}]}]`) }, `got JSON`},
		{"a number in JSON as text", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"a":"1","b":[{"c":9007199254740993}]}]`) }, `got JSON`},
		{"a missing field in JSON", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"b":[{"c":9007199254740993}]}]`) }, `got JSON`},
		{"a field too many in JSON", func(r *sqlq.Result) {
			r.Rows[0][5] = json.RawMessage(`[{"a":1,"b":[{"c":9007199254740993}],"d":null}]`)
		}, `got JSON`},
		{"an object for a list of one in JSON", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"a":1,"b":{"c":9007199254740993}}]`) }, `got JSON`},
		{"text that is not JSON", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"a":1`) }, `got JSON`},
		{"JSON and more", func(r *sqlq.Result) { r.Rows[0][5] = json.RawMessage(`[{"a":1,"b":[{"c":9007199254740993}]}] []`) }, `got JSON`},
		{"an empty list for NULL", func(r *sqlq.Result) { r.Rows[1][5] = json.RawMessage(`[]`) }, `want null, got JSON []`},
		{"the text null for NULL", func(r *sqlq.Result) { r.Rows[1][5] = json.RawMessage(`null`) }, `want null, got JSON null`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := expectedOfEveryType().Result
			test.change(&got)
			assert.Contains(t, Diff(expectedOfEveryType(), &got), test.want)
		})
	}
	t.Run("no result", func(t *testing.T) {
		t.Parallel()
		assert.Equal(t, "want a result, got none", Diff(expectedOfEveryType(), nil))
	})
}

// TestDiffAllows proves that what does not matter is no difference.
func TestDiffAllows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*sqlq.Result)
	}{
		{"the same", func(*sqlq.Result) {}},
		{"descriptions and nullability", func(r *sqlq.Result) { r.Columns[0].Description, r.Columns[0].Nullable = "Start.", true }},
		{"the rounding of a sum", func(r *sqlq.Result) { r.Rows[0][1] = (0.1 + 0.2 + 0.6) / 3 }},
		{"a percentile within tolerance", func(r *sqlq.Result) { r.Rows[0][2] = 94.0 }},
		{"UTC by another name", func(r *sqlq.Result) { r.Rows[0][0] = r.Rows[0][0].(time.Time).In(time.FixedZone("GMT", 0)) }},
		{"the order of keys, white space and the spelling of numbers in JSON", func(r *sqlq.Result) {
			r.Rows[0][5] = json.RawMessage(`[ {"b": [{"c": 9007199254740993.0}], "a": 1e0} ]`)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := expectedOfEveryType().Result
			test.change(&got)
			assert.Empty(t, Diff(expectedOfEveryType(), &got))
		})
	}
}

// TestDiffIsBounded proves that a report stays readable when everything differs.
func TestDiffIsBounded(t *testing.T) {
	t.Parallel()
	want := &Expected{Result: sqlq.Result{Columns: []sqlq.Column{{Name: "count", Type: sqlq.Int64}}}}
	got := sqlq.Result{Columns: want.Columns}
	for range 500 {
		want.Rows = append(want.Rows, []any{int64(1)})
		got.Rows = append(got.Rows, []any{int64(2)})
	}
	lines := strings.Split(Diff(want, &got), "\n")
	assert.Len(t, lines, maxDifferences+1)
	assert.Equal(t, "and further differences", lines[maxDifferences])
}

// TestDiffOfTypedMetadata proves what [Options.TypedMetadata] allows, and no more.
func TestDiffOfTypedMetadata(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		want, got any
		same      bool
	}{
		{"NULL and an empty list", nil, json.RawMessage(`[]`), true},
		{"an empty list and NULL", json.RawMessage(`[]`), nil, true},
		{"a missing and a null field", json.RawMessage(`[{"a":1}]`), json.RawMessage(`[{"a":1,"b":null}]`), true},
		{"a missing field and an empty list", json.RawMessage(`[{"a":[{}]}]`), json.RawMessage(`[{"a":[{"b":[]}]}]`), true},
		{"a missing element", json.RawMessage(`[{}]`), json.RawMessage(`[]`), false},
		{"a missing value", json.RawMessage(`[{"a":1}]`), json.RawMessage(`[{"a":null}]`), false},
		{"an empty text", json.RawMessage(`[{"a":""}]`), json.RawMessage(`[{}]`), false},
		{"zero", json.RawMessage(`[{"a":0}]`), json.RawMessage(`[{}]`), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.same, differ{typedMetadata: true}.sameJSONValue(test.want, test.got))
			assert.False(t, differ{}.sameJSONValue(test.want, test.got), "without the option")
		})
	}
}

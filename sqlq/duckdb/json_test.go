package duckdb_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb"
)

// randomType is a DuckDB type with a source of values: each as SQL, and as the JSON that
// is expected of it, where a *big.Rat is an exact number and a float64 a rounded one.
type randomType struct {
	name  string
	value func() (sql string, want any)
}

// randomSource makes types and values.
type randomSource struct{ *rand.Rand }

func pick[T any](r randomSource, values ...T) T { return values[r.IntN(len(values))] }

// newType returns a type with at most depth levels of nesting.
func (r randomSource) newType(depth int) randomType {
	if depth > 0 && r.IntN(3) > 0 {
		switch r.IntN(4) {
		case 0:
			return r.list(r.newType(depth-1), "[]", func() int { return r.IntN(4) })
		case 1:
			return r.list(r.newType(depth-1), "[2]", func() int { return 2 })
		case 2:
			return r.mapping(r.newType(depth - 1))
		default:
			return r.structure(depth - 1)
		}
	}
	return pick(r, r.numbers()...).orPick(r, r.times()...).orPick(r, r.texts()...)
}

// orPick returns the type, or one of the others.
func (t randomType) orPick(r randomSource, others ...randomType) randomType {
	if r.IntN(2) == 0 {
		return t
	}
	return pick(r, others...)
}

// nullable returns a value of the type, or sometimes NULL.
func (r randomSource) nullable(t randomType) (string, any) {
	if r.IntN(6) == 0 {
		return "NULL::" + t.name, nil
	}
	return t.value()
}

func (r randomSource) list(element randomType, brackets string, length func() int) randomType {
	return randomType{element.name + brackets, func() (string, any) {
		texts, want := make([]string, length()), []any{}
		for i := range texts {
			text, value := r.nullable(element)
			texts[i], want = text, append(want, value)
		}
		return "[" + strings.Join(texts, ", ") + "]::" + element.name + brackets, want
	}}
}

func (r randomSource) mapping(element randomType) randomType {
	return randomType{"MAP(VARCHAR, " + element.name + ")", func() (string, any) {
		var pairs []string
		want := map[string]any{}
		for i := range r.IntN(3) {
			key := pick(r, "a", "TIMESTAMP", `"`, "ü, [") + strconv.Itoa(i)
			text, value := r.nullable(element)
			pairs, want[key] = append(pairs, quoted(key)+": "+text), value
		}
		return "MAP {" + strings.Join(pairs, ", ") + "}::MAP(VARCHAR, " + element.name + ")", want
	}}
}

func (r randomSource) structure(depth int) randomType {
	names := []string{"a", "B", `c "d"`, "select", "e, TIMESTAMP[]", "date"}[:1+r.IntN(6)]
	fields, declared := make([]randomType, len(names)), make([]string, len(names))
	for i, name := range names {
		fields[i] = r.newType(depth)
		declared[i] = `"` + strings.ReplaceAll(name, `"`, `""`) + `" ` + fields[i].name
	}
	typeName := "STRUCT(" + strings.Join(declared, ", ") + ")"
	return randomType{typeName, func() (string, any) {
		texts, want := make([]string, len(names)), map[string]any{}
		for i, name := range names {
			text, value := r.nullable(fields[i])
			texts[i], want[name] = quoted(name)+": "+text, value
		}
		return "{" + strings.Join(texts, ", ") + "}::" + typeName, want
	}}
}

func (r randomSource) numbers() []randomType {
	exact := func(name string, text func() string) randomType {
		return randomType{name, func() (string, any) {
			number := text()
			rational, _ := new(big.Rat).SetString(number)
			return quoted(number) + "::" + name, rational
		}}
	}
	return []randomType{
		exact("BIGINT", func() string { return strconv.FormatInt(int64(r.Uint64()), 10) }),
		exact("UBIGINT", func() string { return strconv.FormatUint(r.Uint64(), 10) }),
		exact("HUGEINT", func() string {
			return "-" + strconv.FormatUint(r.Uint64(), 10) + strconv.FormatUint(r.Uint64()>>12, 10)
		}),
		exact("DECIMAL(38,9)", func() string {
			return strconv.FormatUint(r.Uint64(), 10) + "." + fmt.Sprintf("%09d", r.IntN(1e9))
		}),
		{"DOUBLE", func() (string, any) {
			number := pick(r, math.NaN(), math.Inf(1), math.Inf(-1), 0.1, -1e300, 5e-324, r.NormFloat64(), float64(r.Int64()))
			text := quoted(strconv.FormatFloat(number, 'g', -1, 64)) + "::DOUBLE"
			if math.IsNaN(number) || math.IsInf(number, 0) {
				return text, nil
			}
			return text, number
		}},
		{"BOOLEAN", func() (string, any) {
			value := r.IntN(2) == 0
			return strconv.FormatBool(value), value
		}},
	}
}

func (r randomSource) times() []randomType {
	moment := func(name, layout string, unit time.Duration) randomType {
		return randomType{name, func() (string, any) {
			if r.IntN(8) == 0 {
				return pick(r, "'infinity'::", "'-infinity'::") + name, nil
			}
			at := time.Unix(r.Int64N(8e9)-4e9, r.Int64N(1e9)).UTC().Truncate(unit)
			micros := at.UnixNano() / 1000
			if at.Nanosecond()%1000 != 0 && at.UnixNano() < 0 {
				micros-- // cut down, not towards 1970
			}
			return quoted(at.Format(layout)) + "::" + name, new(big.Rat).SetInt64(micros)
		}}
	}
	return []randomType{
		moment("TIMESTAMP", "2006-01-02 15:04:05.999999", time.Microsecond),
		moment("TIMESTAMP WITH TIME ZONE", "2006-01-02T15:04:05.999999Z", time.Microsecond),
		moment("TIMESTAMP_S", "2006-01-02 15:04:05", time.Second),
		moment("TIMESTAMP_MS", "2006-01-02 15:04:05.999", time.Millisecond),
		moment("TIMESTAMP_NS", "2006-01-02 15:04:05.999999999", time.Nanosecond),
		{"TIMESTAMP", func() (string, any) {
			return "'0044-03-15 (BC) 10:00:00'::TIMESTAMP", new(big.Rat).SetInt64(-63517788000000000)
		}},
		{"DATE", func() (string, any) {
			day := time.Unix(r.Int64N(8e9)-4e9, 0).UTC().Format(time.DateOnly)
			if r.IntN(8) == 0 {
				return "'infinity'::DATE", nil
			}
			return quoted(day) + "::DATE", day
		}},
		{"TIME", func() (string, any) { return "'10:20:30.5'::TIME", "10:20:30.5" }},
		{"INTERVAL", func() (string, any) { return "INTERVAL 3 DAYS", "3 days" }},
	}
}

func (r randomSource) texts() []randomType {
	return []randomType{
		{"VARCHAR", func() (string, any) {
			text := pick(r, "", "NaN", "-inf", "[1,]", "2026-03-01 10:00:00", "infinity", `"`, `\`, "ü\u2028<&>", "a\n\t\x01\x7f", `{"a":1,}`)
			return quoted(text), text
		}},
		{"UUID", func() (string, any) {
			const id = "c4d5e6f7-1a2b-4c3d-8e9f-0a1b2c3d4e32"
			return quoted(id) + "::UUID", id
		}},
		{"BLOB", func() (string, any) { return `'\xAA\x00b'::BLOB`, `\xAA\x00b` }},
		{"ENUM('it''s), TIMESTAMP', 'y')", func() (string, any) {
			return "'it''s), TIMESTAMP'::ENUM('it''s), TIMESTAMP', 'y')", "it's), TIMESTAMP"
		}},
		{"JSON", func() (string, any) {
			text := pick(r, "[1,]", "nan", "-inf", "INF", `{"a": [NaN , -Infinity,], }`, "null", `"nan"`, `{"NaN":"[1,]"}`, `{"t":"2026-03-01 10:00:00"}`, " [ ] ", "12345678901234567890123")
			want := map[string]any{
				"[1,]": []any{big.NewRat(1, 1)}, `{"a": [NaN , -Infinity,], }`: map[string]any{"a": []any{nil, nil}}, `"nan"`: "nan", `{"NaN":"[1,]"}`: map[string]any{"NaN": "[1,]"},
				`{"t":"2026-03-01 10:00:00"}`: map[string]any{"t": "2026-03-01 10:00:00"}, " [ ] ": []any{},
			}[text]
			if text == "12345678901234567890123" {
				want, _ = new(big.Rat).SetString(text)
			}
			return quoted(text) + "::JSON", want
		}},
	}
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// Whatever a JSON column holds, the body is JSON, and says what the value is (D13, D28).
func TestJSONColumnsAtRandom(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for seed := range uint64(40) {
		r := randomSource{rand.New(rand.NewPCG(seed, 12))}
		var query sqlq.SavedQuery
		selected, want := make([]string, 20), map[string]any{}
		for i := range selected {
			name := "c" + strconv.Itoa(i)
			text, value := r.nullable(r.newType(3))
			if strings.HasSuffix(text, "::VARCHAR") || strings.HasPrefix(text, "'") && !strings.Contains(text, "::") {
				text = "[" + text + "]" // A text on its own is read as JSON.
				value = []any{value}
			}
			selected[i], want[name] = text+" AS "+name, value
			query.Columns = append(query.Columns, sqlq.Column{Name: name, Type: sqlq.JSON})
		}
		query.Name, query.MaxRows, query.SQL = "test", 10, "SELECT "+strings.Join(selected, ",\n")
		result, err := engine.Run(t.Context(), sqlq.Statement{Query: &query})
		require.NoError(t, err, query.SQL)
		decoder := json.NewDecoder(bytes.NewReader(result.AppendJSON(nil)))
		decoder.UseNumber()
		var got []map[string]any
		require.NoError(t, decoder.Decode(&got), "%s\n%s", query.SQL, result.AppendJSON(nil))
		for i, column := range query.Columns {
			assertJSON(t, want[column.Name], got[0][column.Name], selected[i])
		}
	}
}

// assertJSON compares a decoded value with the expected one.
func assertJSON(t *testing.T, want, got any, sql string) {
	t.Helper()
	switch want := want.(type) {
	case *big.Rat:
		number, _ := got.(json.Number)
		rational, ok := new(big.Rat).SetString(string(number))
		require.True(t, ok, "%v is not a number in %s", got, sql)
		assert.Zero(t, want.Cmp(rational), "want %s, got %s in %s", want, number, sql)
	case float64:
		number, _ := got.(json.Number)
		parsed, err := number.Float64()
		require.NoError(t, err, sql)
		assert.InDelta(t, want, parsed, 0, sql)
	case []any:
		list, ok := got.([]any)
		require.True(t, ok && len(list) == len(want), "%v in %s", got, sql)
		for i := range want {
			assertJSON(t, want[i], list[i], sql)
		}
	case map[string]any:
		object, ok := got.(map[string]any)
		require.True(t, ok && len(object) == len(want), "%v in %s", got, sql)
		for key := range want {
			assertJSON(t, want[key], object[key], sql)
		}
	default:
		assert.Equal(t, want, got, sql)
	}
}

// A text that is to be JSON is that where it can be read, and a JSON string where not: one
// sender's bad text must not make a query fail for everyone.
func TestTextsAsJSON(t *testing.T) {
	t.Parallel()
	engine := duckdb.New(openStore(t, nil).DB())
	for expression, want := range map[string]string{
		`'[1,]'`: `[1]`, `'[1,]'::JSON`: `[1]`, `['[1,]'::JSON, NULL]`: `[[1],null]`, `'hello'`: `"hello"`, `''`: `""`, `'nan'`: `null`, `' {"b": 1, "a":[]}'`: ` {"b": 1, "a":[]}`,
		`{'event': '[1,]'}`: `{"event":"[1,]"}`, `TIMESTAMP '1970-01-01 00:00:01'`: `1000000`, `DATE '2026-03-01'`: `"2026-03-01"`, `'nan'::DOUBLE`: `null`,
	} {
		query := savedQuery("SELECT "+expression+" AS n", sqlq.Column{Name: "n", Type: sqlq.JSON})
		result, err := engine.Run(t.Context(), sqlq.Statement{Query: query})
		require.NoError(t, err, expression)
		assert.Equal(t, json.RawMessage(want), result.Rows[0][0], expression)
	}
}

package format

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

func TestFormats(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 1, 10, 20, 30, 250000000, time.UTC)
	result := &sqlq.Result{
		Columns: []sqlq.Column{
			{Name: "id", Type: sqlq.String},
			{Name: "at", Type: sqlq.Timestamp},
			{Name: "bucket", Type: sqlq.Datetime},
			{Name: "n", Type: sqlq.Int64},
			{Name: "x", Type: sqlq.Float64},
			{Name: "d", Type: sqlq.Numeric},
			{Name: "ok", Type: sqlq.Bool},
			{Name: "more", Type: sqlq.JSON},
		},
		Rows: [][]any{
			{"a,\"b\"\nc\x1b[31m", moment, moment.Truncate(time.Minute), int64(9007199254740993), 1e21, sqlq.Decimal("-12345678901234567890.5"), true, json.RawMessage(`[{"k":"` + strings.Repeat("v", 100) + `"}]`)},
			{"d", nil, nil, nil, nil, nil, nil, nil},
		},
	}
	long := strings.Repeat("v", 100)
	tests := map[string]string{
		"json": `{"result":[{"id":"a,\"b\"\nc\u001b[31m","at":1772360430250000,"bucket":"2026-03-01T10:20:00","n":9007199254740993,"x":1e+21,"d":-12345678901234567890.5,"ok":true,"more":[{"k":"` + long + `"}]},` +
			`{"id":"d","at":null,"bucket":null,"n":null,"x":null,"d":null,"ok":null,"more":null}]}`,
		"ndjson": `{"id":"a,\"b\"\nc\u001b[31m","at":1772360430250000,"bucket":"2026-03-01T10:20:00","n":9007199254740993,"x":1e+21,"d":-12345678901234567890.5,"ok":true,"more":[{"k":"` + long + `"}]}` + "\n" +
			`{"id":"d","at":null,"bucket":null,"n":null,"x":null,"d":null,"ok":null,"more":null}` + "\n",
		"csv": "id,at,bucket,n,x,d,ok,more\n" +
			"\"a,\"\"b\"\"\nc\x1b[31m\",2026-03-01T10:20:30.25Z,2026-03-01T10:20:00,9007199254740993,1000000000000000000000,-12345678901234567890.5,true,\"[{\"\"k\"\":\"\"" + long + "\"\"}]\"\n" +
			"d,,,,,,,\n",
		"table": "ID            AT                       BUCKET               N                 X                       D                        OK    MORE\n" +
			"a,\"b\" c [31m  2026-03-01T10:20:30.25Z  2026-03-01T10:20:00  9007199254740993  1000000000000000000000  -12345678901234567890.5  true  [{\"k\":\"" + strings.Repeat("v", 72) + "…\n" +
			"d" + strings.Repeat(" ", 132) + "\n(2 rows)\n",
	}
	tests["prometheus"] = "# TYPE savedq_q_n gauge\nsavedq_q_n{id=\"a,\\\"b\\\"\\nc\x1b[31m\",ok=\"true\"} 9007199254740993\n" +
		"# TYPE savedq_q_x gauge\nsavedq_q_x{id=\"a,\\\"b\\\"\\nc\x1b[31m\",ok=\"true\"} 1e+21\n" +
		"# TYPE savedq_q_d gauge\nsavedq_q_d{id=\"a,\\\"b\\\"\\nc\x1b[31m\",ok=\"true\"} -12345678901234567890.5\n"
	for _, format := range All() {
		t.Run(format.Name, func(t *testing.T) {
			t.Parallel()
			want, tested := tests[format.Name]
			require.True(t, tested || format.Binary, "each format has a test")
			encoded, err := format.Encode("q", result)
			require.NoError(t, err)
			if format.Binary {
				return // see the tests of rows in all formats
			}
			assert.Equal(t, want, string(encoded))
			found, ok := Find(format.Name)
			assert.True(t, ok)
			assert.Equal(t, format.MediaType, found.MediaType)
		})
	}
	_, ok := Find("xml")
	assert.False(t, ok)
}

// Without rows each format still is what its media type says.
func TestFormatsWithoutRows(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}, {Name: "t", Type: sqlq.String}}}
	for name, want := range map[string]string{
		"json": `{"result":[]}`, "ndjson": "", "csv": "n,t\n", "table": "N  T\n(0 rows)\n", "prometheus": "",
	} {
		format, ok := Find(name)
		require.True(t, ok)
		encoded, err := format.Encode("q", result)
		require.NoError(t, err)
		assert.Equal(t, want, string(encoded), name)
	}
}

// Only a caller that names another format and prefers it to JSON receives it.
func TestNegotiate(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]string{
		"":                                      "json",
		"*/*":                                   "json",
		"application/json":                      "json",
		"application/*":                         "json",
		"text/*":                                "json",
		"text/html, */*;q=0.8":                  "json",
		"text/plain":                            "json",
		"text/plain; version=0.0.4":             "json",
		"text/csv":                              "csv",
		"TEXT/CSV; charset=utf-8":               "csv",
		"application/x-ndjson":                  "ndjson",
		"text/csv, */*":                         "csv",
		"text/csv, */*;q=0.1":                   "csv",
		"text/csv, application/json":            "json",
		"application/json;q=0.5, text/csv":      "csv",
		"text/csv;q=0.5, */*":                   "json",
		"text/csv;q=0.5, application/*;q=0.6":   "json",
		"text/csv;q=0.5, application/x-ndjson":  "ndjson",
		"text/csv;q=0":                          "json",
		"text/csv;q=0, application/json;q=0":    "json",
		"text/csv;q=1.1":                        "json",
		"text/csv;q=0.x":                        "json",
		"text/csv;q=0.x, application/x-ndjson":  "ndjson",
		"text csv":                              "json",
		",;,":                                   "json",
		"csv":                                   "json",
		"application/x-ndjson;q=0.9,text/csv;q": "ndjson",
	} {
		assert.Equal(t, want, Negotiate([]string{accept}).Name, accept)
	}
	assert.Equal(t, "json", Negotiate(nil).Name)
	assert.Equal(t, "csv", Negotiate([]string{"*/*;q=0.5", "text/csv"}).Name, "two headers")
}

// Values cannot change how a terminal shows the rest of the line.
func TestShortenRemovesControlCharacters(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b c d 👩‍💻 é", shorten("a\x1bb\u202ec\nd 👩‍💻 é"))
}

// D28: a nested value is JSON in formats that have no nested values.
func TestFormatsOfNestedValues(t *testing.T) {
	t.Parallel()
	fields := []sqlq.Column{{Name: "path", Type: sqlq.String}, {Name: "sizes", Type: sqlq.ArrayOf(sqlq.Int64)}}
	result := &sqlq.Result{
		Columns: []sqlq.Column{{Name: "top", Type: sqlq.ArrayOf(sqlq.Struct), Fields: fields}, {Name: "one", Type: sqlq.Struct, Fields: fields}},
		Rows:    [][]any{{[]any{[]any{"/a", []any{int64(1)}}}, []any{nil, []any{}}}, {[]any{}, nil}},
	}
	assert.Equal(t, "top,one\n"+`"[{""path"":""/a"",""sizes"":[1]}]","{""path"":null,""sizes"":[]}"`+"\n[],\n", encodedCSV(t, result))
	assert.Contains(t, string(table(result)), `[{"path":"/a","sizes":[1]}]  {"path":null,"sizes":[]}`)
}

// encodedCSV returns rows as CSV.
func encodedCSV(t *testing.T, result *sqlq.Result) string {
	t.Helper()
	found, ok := Find("csv")
	require.True(t, ok)
	encoded, err := found.Encode("q", result)
	require.NoError(t, err)
	return string(encoded)
}

package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
)

func TestPrintResult(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 1, 10, 20, 30, 250000000, time.UTC)
	result := &sqlq.Result{
		Columns: []sqlq.Column{
			{Name: "id", Type: sqlq.String},
			{Name: "at", Type: sqlq.Timestamp},
			{Name: "bucket", Type: sqlq.Datetime},
			{Name: "n", Type: sqlq.Int64},
			{Name: "x", Type: sqlq.Float64},
			{Name: "ok", Type: sqlq.Bool},
			{Name: "more", Type: sqlq.JSON},
		},
		Rows: [][]any{
			{"a,\"b\"\nc\x1b[31m", moment, moment.Truncate(time.Minute), int64(9007199254740993), 1e21, true, json.RawMessage(`[{"k":"` + strings.Repeat("v", 100) + `"}]`)},
			{"d", nil, nil, nil, nil, nil, nil},
		},
	}
	long := strings.Repeat("v", 100)
	for format, want := range map[string]string{
		"json": `{"result":[{"id":"a,\"b\"\nc\u001b[31m","at":1772360430250000,"bucket":"2026-03-01T10:20:00","n":9007199254740993,"x":1e+21,"ok":true,"more":[{"k":"` + long + `"}]},` +
			`{"id":"d","at":null,"bucket":null,"n":null,"x":null,"ok":null,"more":null}]}` + "\n",
		"ndjson": `{"id":"a,\"b\"\nc\u001b[31m","at":1772360430250000,"bucket":"2026-03-01T10:20:00","n":9007199254740993,"x":1e+21,"ok":true,"more":[{"k":"` + long + `"}]}` + "\n" +
			`{"id":"d","at":null,"bucket":null,"n":null,"x":null,"ok":null,"more":null}` + "\n",
		"csv": "id,at,bucket,n,x,ok,more\n" +
			"\"a,\"\"b\"\"\nc\x1b[31m\",2026-03-01T10:20:30.25Z,2026-03-01T10:20:00,9007199254740993,1000000000000000000000,true,\"[{\"\"k\"\":\"\"" + long + "\"\"}]\"\n" +
			"d,,,,,,\n",
		"table": "ID            AT                       BUCKET               N                 X                       OK    MORE\n" +
			"a,\"b\" c [31m  2026-03-01T10:20:30.25Z  2026-03-01T10:20:00  9007199254740993  1000000000000000000000  true  [{\"k\":\"" + strings.Repeat("v", 72) + "…\n" +
			"d" + strings.Repeat(" ", 107) + "\n(2 rows)\n",
	} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			require.NoError(t, printResult(&out, format, result))
			assert.Equal(t, want, out.String())
		})
	}
}

// A failing writer, such as a closed pipe, is an error.
func TestPrintResultReportsFailingWriter(t *testing.T) {
	t.Parallel()
	result := &sqlq.Result{Columns: []sqlq.Column{{Name: "n", Type: sqlq.Int64}}, Rows: [][]any{{int64(1)}}}
	for _, format := range []string{"json", "ndjson", "csv", "table"} {
		require.ErrorIs(t, printResult(brokenPipe{}, format, result), errBroken, format)
	}
}

var errBroken = assert.AnError

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

// Values cannot change how a terminal shows the rest of the line.
func TestShortenRemovesControlCharacters(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "a b c d 👩‍💻 é", shorten("a\x1bb\u202ec\nd 👩‍💻 é"))
}

package logfile_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logfile"
)

// rowsOf returns the events of a CSV file, and its malformed rows, one a line.
func rowsOf(t *testing.T, content string, options logfile.CSV) (lines []string, err error) {
	t.Helper()
	file, err := logfile.Open(t.Context(), writeFile(t, "orders.csv", []byte(content)), options)
	if err != nil {
		return nil, err
	}
	defer func() { assert.NoError(t, file.Close()) }()
	for {
		raw, line, err := file.Next(t.Context())
		switch malformed, isMalformed := errors.AsType[*logfile.MalformedError](err); {
		case errors.Is(err, io.EOF):
			return lines, nil
		case isMalformed:
			lines = append(lines, malformed.Error())
		case err != nil:
			return lines, err
		default:
			lines = append(lines, strings.Repeat("·", line-1)+string(raw))
		}
	}
}

// A row of a CSV file is an event; its values are strings in the metadata.
func TestCSV(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		options logfile.CSV
		want    []string
	}{
		"values":              {"amount,country\n12.50,de\n3,\"f,r\"\n", logfile.CSV{}, []string{`·{"metadata":{"amount":"12.50","country":"de"}}`, `··{"metadata":{"amount":"3","country":"f,r"}}`}},
		"fields of events":    {"id,timestamp,event_message,project,x\na,2026-11-20,hi,acme,1\n", logfile.CSV{}, []string{`·{"id":"a","timestamp":"2026-11-20","event_message":"hi","project":"acme","metadata":{"x":"1"}}`}},
		"a chosen time":       {"ordered,timestamp\n2026-11-20T10:00:00Z,x\n", logfile.CSV{Timestamp: "ordered"}, []string{`·{"timestamp":"2026-11-20T10:00:00Z","metadata":{"ordered":"2026-11-20T10:00:00Z"}}`}},
		"a time in numbers":   {"timestamp\n1795258675.5\n", logfile.CSV{}, []string{`·{"timestamp":1795258675.5,"metadata":{}}`}},
		"empty values":        {"a,b\n,1\n,\n", logfile.CSV{}, []string{`·{"metadata":{"b":"1"}}`, `··{"metadata":{}}`}},
		"semicolons":          {"a;b\n1,5;2\n", logfile.CSV{}, []string{`·{"metadata":{"a":"1,5","b":"2"}}`}},
		"tabs":                {"a\tb\n1\t2\n", logfile.CSV{}, []string{`·{"metadata":{"a":"1","b":"2"}}`}},
		"a byte order mark":   {"\uFEFFa,b\r\n1,2\r\n", logfile.CSV{}, []string{`·{"metadata":{"a":"1","b":"2"}}`}},
		"names in JSON":       {"\"a \"\"b\"\"\"\nä\n", logfile.CSV{}, []string{`·{"metadata":{"a \"b\"":"ä"}}`}},
		"lines in a value":    {"a\n\"x\ny\"\nz\n", logfile.CSV{}, []string{`·{"metadata":{"a":"x\ny"}}`, `···{"metadata":{"a":"z"}}`}},
		"a short row":         {"a,b\n1\n2,3\n", logfile.CSV{}, []string{`line 2: row: has 1 values, and the header has 2`, `··{"metadata":{"a":"2","b":"3"}}`}},
		"a stray quote":       {"a,b\n1\",2\n3,4\n", logfile.CSV{}, []string{`line 2: row: bare " in non-quoted-field`, `··{"metadata":{"a":"3","b":"4"}}`}},
		"a header alone":      {"a,b\n", logfile.CSV{}, nil},
		"nothing":             {"", logfile.CSV{}, nil},
		"not a number at all": {"timestamp\n1.2.3\n", logfile.CSV{}, []string{`·{"timestamp":"1.2.3","metadata":{}}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines, err := rowsOf(t, test.content, test.options)
			require.NoError(t, err)
			assert.Equal(t, test.want, lines)
		})
	}
}

// A header that does not say what the columns are is an error, and so is a row without an end.
func TestCSVMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		content string
		options logfile.CSV
		want    string
	}{
		"no name":       {"a,,c\n", logfile.CSV{}, "column 2 of the CSV has no name in the header"},
		"a name twice":  {"a,a\n", logfile.CSV{}, `the header of the CSV names the column "a" twice`},
		"no such time":  {"a,b\n", logfile.CSV{Timestamp: "c"}, `the CSV has no column "c" for the time of its events; its columns are "a", "b"`},
		"a bad header":  {"a\"b\n", logfile.CSV{}, `the header of the CSV cannot be read: bare " in non-quoted-field`},
		"an open quote": {"a\n\"" + strings.Repeat(strings.Repeat("x", 1023)+"\n", 17<<10), logfile.CSV{}, "is longer than 16 MiB; is a quote not closed?"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rowsOf(t, test.content, test.options)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// A carriage return alone does not end a line unnoticed. In quotes, and before a line feed or the end, it is fine.
func TestCSVCarriageReturns(t *testing.T) {
	t.Parallel()
	const advice = ` ends with a carriage return alone; convert the line ends to \n, such as with tr '\r' '\n'`
	long := strings.Repeat("1,\""+strings.Repeat("2", 1000)+"\"\n", 300) // in several parts
	for content, want := range map[string]string{
		"a,b\r1,2\r3,4\r":             "line 1" + advice,
		"a\r1\r":                      "line 1" + advice,
		"\"a\"\r\"1\"\r":              "line 1" + advice,
		"a,b\n1,2\r3,4\n":             "line 2" + advice,
		"a,b\r\n1,2\r\n3,4\r5,6\r\n":  "line 3" + advice,
		"a,b\n\"1\n\",2\r3,4\n":       "line 3" + advice,
		"a,b\n" + long + "1,2\r3,4":   "line 302" + advice,
		"a,b\n" + long + "\"\r\",2\n": "",
		"a,b\n\"1\r\"\"\r2\",3\n":     "",
		"a,b\r\n1,2\r\n":              "",
		"a,b\n1,2\r":                  "",
		"a\n\"\"\n\"\r\"\n":           "",
	} {
		_, err := rowsOf(t, content, logfile.CSV{})
		if shown := content[:min(len(content), 40)]; want == "" {
			require.NoError(t, err, "%q", shown)
		} else {
			require.ErrorContains(t, err, want, "%q", shown)
		}
	}
}

// Carriage returns are white space between the objects of a file.
func TestCarriageReturnsBetweenObjects(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"{\"id\":\"a\"}\r{\"id\":\"b\"}\r", "{\"id\":\"a\"}\r\n{\"id\":\"b\"}", "[{\"id\":\"a\"},\r{\"id\":\"b\"}]\r"} {
		file, err := logfile.Open(t.Context(), writeFile(t, "events.ndjson", []byte(content)), logfile.CSV{})
		require.NoError(t, err)
		for _, want := range []string{`{"id":"a"}`, `{"id":"b"}`} {
			raw, _, err := file.Next(t.Context())
			require.NoError(t, err, content)
			assert.Equal(t, want, string(raw), content)
		}
		_, _, err = file.Next(t.Context())
		require.ErrorIs(t, err, io.EOF, content)
		require.NoError(t, file.Close())
	}
}

package inspect_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/inspect"
)

func compressed(t *testing.T, text string) string {
	t.Helper()
	var data bytes.Buffer
	writer := gzip.NewWriter(&data)
	_, err := writer.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return data.String()
}

// A broken file is reported with a cause and, if it is text, a line.
func TestFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3<<20)
	whole := compressed(t, strings.Repeat("id,name\n1,x\n", 1000))
	for name, test := range map[string]struct{ file, content, want string }{
		"good CSV":           {"a.csv", "\ufeffid,name\r\n1,\"a\nb\"\"\"\r\n\r\n2,\r\n", ""},
		"good NDJSON":        {"a.ndjson", "\ufeff{\"a\":{\"b\":[1]}}\n\n{\"a\":1}", ""},
		"good JSON":          {"a.json", "[{\"a\":1},\n{\"a\":2}]\n", ""},
		"objects in a row":   {"a.json", "{\"a\":1}\n{\"a\":2}\n", ""},
		"good gzip":          {"a.csv.gz", whole, ""},
		"empty":              {"a.csv", "", "the file is empty"},
		"UTF-16 LE":          {"a.csv", "\xff\xfei\x00d\x00\n\x00", "its encoding is UTF-16; save it as UTF-8"},
		"UTF-16 BE":          {"a.ndjson", "\xfe\xff\x00{\x00}", "its encoding is UTF-16; save it as UTF-8"},
		"UTF-16 without BOM": {"a.csv", "i\x00d\x00\n\x001\x00\n\x00", "its encoding is UTF-16; save it as UTF-8"},
		"UTF-32 LE":          {"a.csv", "\xff\xfe\x00\x00i\x00\x00\x00", "its encoding is UTF-32; save it as UTF-8"},
		"UTF-32 BE":          {"a.json", "\x00\x00\xfe\xff\x00\x00\x00[", "its encoding is UTF-32; save it as UTF-8"},
		"Latin-1":            {"a.csv", "id\nx\ncaf\xe9\n", "line 3: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0xE9); save it as UTF-8"},
		"Latin-1 in JSON":    {"a.ndjson", "{\"a\":\"caf\xe9\"}\n", "line 1: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0xE9); save it as UTF-8"},
		"NUL":                {"a.csv", "id,name\n1,long enough\n2,a\x00\n", "line 3 has a byte 0x00"},
		"mixed line ends":    {"a.csv", "id\n1\n2\r\n3\n", "line 3 ends with CR LF, and line 1 with LF; use one of them"},
		"mixed CR":           {"a.csv", "id\r\n1\r2\r\n", "line 2 ends with CR, and line 1 with CR LF; use one of them"},
		"Parquet named CSV":  {"a.csv", "PAR1...PAR1", "it is a Parquet file; its name must end in .parquet"},
		"spreadsheet":        {"a.csv", "PK\x03\x04", "it is a ZIP archive, as spreadsheets are; extract it, or save it as CSV"},
		"CSV named Parquet":  {"a.parquet", "id\n1\n", "it is not a Parquet file"},
		"cut Parquet":        {"a.parquet", "PAR1......", "it is not a complete Parquet file: its end is missing"},
		"encrypted Parquet":  {"a.parquet", "PARE......PARE", "it is encrypted; write it without encryption"},
		"few values":         {"a.csv", "id,name\n1,\"a\nb\"\n2\n", "line 4 has 1 values, and the header 2"},
		"many values":        {"a.csv", "id,name\n1,a,\n", "line 2 has 3 values, and the header 2"},
		"open quote":         {"a.csv", "id,name\n1,\"a\n2,b\n", "line 2: a quoted value has no end"},
		"text after a quote": {"a.csv", "id,name\n1,\"a\"b\n", "line 2: text follows a quoted value; write a quote within one twice"},
		"long record":        {"a.csv", "id\n1\n" + long + "\n", "the record in line 3 is longer than 2 MiB, the limit of CSV"},
		"broken NDJSON":      {"a.ndjson", "{\"a\":1}\n{\"a\":\n", "line 2 is not valid JSON: it ends early"},
		"no JSON":            {"a.ndjson", "{\"a\":1}\n{a:1}\n{}", "line 2 is not valid JSON: invalid character 'a'"},
		"no object":          {"a.ndjson", "{\"a\":1}\n[1]\n", "line 2 has no object"},
		"two objects":        {"a.ndjson", "{\"a\":1}{\"a\":2}\n", "line 1 has more than one object"},
		"a key twice":        {"a.ndjson", "{\"a\":1}\n{\"a\":1,\"b\":2,\"a\":3}\n", `line 2 has the key "a" twice`},
		"a key twice, array": {"a.json", "[{\"a\":1},\n{\"a\":1,\"a\":3}]\n", `line 2 has the key "a" twice`},
		"broken JSON":        {"a.json", "[{\"a\":1},\n{\"a\":}]", "line 2 is not valid JSON: invalid character '}'"},
		"open array":         {"a.json", "[{\"a\":1}\n", "the array of objects has no end"},
		"deep":               {"a.ndjson", "{\"a\":" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", "line 1 is nested deeper than 1000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), test.file)
			require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
			format, _, _ := strings.Cut(strings.TrimPrefix(test.file, "a."), ".")
			got := inspect.File(path, format, "")
			if test.want == "" {
				assert.Empty(t, got)
			} else {
				assert.Contains(t, got, test.want)
			}
		})
	}
}

// The line of a value counts lines of the file, whatever is quoted, empty, or a byte order mark.
func TestLineOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		file, content, separator, value string
		want                            int
	}{
		"CSV":            {"a.csv", "\ufeffid,c\n1,\"a\nb\"\n\n2,\"x\"\"y\"\n", "", `x"y`, 5},
		"separator":      {"a.csv", "C;id\nx;1\ny;2\n", ";", "y", 3},
		"no such column": {"a.csv", "id\nx\n", "", "x", 0},
		"NDJSON":         {"a.ndjson", "{\"c\":\"a\"}\n\n{\"c\":\"x\"}\n", "", "x", 3},
		"number":         {"a.ndjson", "{\"c\":1}\n{\"c\":1e16}\n", "", "1e+16", 2},
		"JSON":           {"a.json", "[{\"c\":1},\n {\"c\":2.50}]\n", "", "2.5", 2},
		"damaged":        {"a.csv.gz", "c\nx\n", "", "x", 0},
	} {
		path := filepath.Join(t.TempDir(), test.file)
		require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
		format, _, _ := strings.Cut(strings.TrimPrefix(test.file, "a."), ".")
		assert.Equal(t, test.want, inspect.LineOf(path, format, test.separator, "c", test.value), name)
	}
}

package filecheck_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/duckdb/filecheck"
	"savedq/sqlq/duckdb/tablefiles"
)

// formatOf returns the format that the name of a file says.
func formatOf(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
	return strings.TrimPrefix(filepath.Ext(name), ".")
}

// check writes a file and checks it. The table has the columns id and x.
func check(tb testing.TB, name, content string) error {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	table := &sqlq.Table{Name: "items", Files: &sqlq.Files{
		Pattern: path, Format: formatOf(name), Columns: []sqlq.Column{{Name: "id", Type: sqlq.Int64}, {Name: "x", Type: sqlq.JSON}},
	}}
	return filecheck.Check(context.Background(), table, tablefiles.File{Name: name, Path: path})
}

// text returns what a check says; empty for a good file. Any other error fails the test.
func text(t *testing.T, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	fault := new(filecheck.FaultError)
	require.ErrorAs(t, err, &fault)
	return fault.Error()
}

func zipped(tb testing.TB, content string) string {
	tb.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(content))
	require.NoError(tb, err)
	require.NoError(tb, writer.Close())
	return packed.String()
}

func zstandard(tb testing.TB, content string) string {
	tb.Helper()
	encoder, err := zstd.NewWriter(nil)
	require.NoError(tb, err)
	return string(encoder.EncodeAll([]byte(content), nil))
}

// wholeFiles are good files, by name.
func wholeFiles() map[string][]string {
	return map[string][]string{
		"a.csv":    {"id,x\n1,a\n2,\"b\n\"\"c,\"\n", "id,x\n", "", "id,x\r\n1,a\r\n", "id,x\r1,\"a\"\r2,b\r", "id,x\n1,b\"x\n", "\ufeff\"id\",x\n1,\"\"\n", "id,x\n1,\"a\"", "id,x\n1,\"\"\"\""},
		"a.ndjson": {`{"id":1,"x":{"a":[1,{"b":"]}"}]}}` + "\n" + `{"id":2}`, "", "\n\n", "{\"id\":1}\r\n\r\n{ }\r\n", "\ufeff{\"id\":1}\n", `{"\u0069d":1}`, `{"x":"\"\\"}` + "\n", `{"X":1}` + "\n" + `{"x":-1.5e3}`},
		"a.json":   {"[]", " [ ] \n", `[{"id":1,"x":[[]]},` + "\n" + ` {"id" : null , "y" : true}]`, `{"id":1}{"id":2}`, "{\n\"id\":1\n}\n{\n\"id\":2\n}\n", "", "\ufeff[{\"id\":1}]", "[{},{\"x\":1}]"},
	}
}

// A good file stays one, also compressed, and in several members.
func TestCheckAcceptsWholeFiles(t *testing.T) {
	t.Parallel()
	for name, contents := range wholeFiles() {
		for _, content := range contents {
			assert.Empty(t, text(t, check(t, name, content)), "%s: %q", name, content)
			assert.Empty(t, text(t, check(t, name+".gz", zipped(t, content))), "%s.gz: %q", name, content)
			assert.Empty(t, text(t, check(t, name+".GZ", zipped(t, content)+zipped(t, " \n"))), "%s.GZ: %q", name, content)
			assert.Empty(t, text(t, check(t, name+".zst", zstandard(t, content)+zstandard(t, ""))), "%s.zst: %q", name, content)
		}
	}
}

// Each beginning of a compressed file, a changed byte, and what follows are faults, unless the text is the same.
func TestCheckRejectsDamagedCompression(t *testing.T) {
	t.Parallel()
	content := "id,x\n" + strings.Repeat("1,abc\n2,defg\n", 20)
	for ending, pack := range map[string]func(testing.TB, string) string{".gz": zipped, ".zst": zstandard} {
		packed := pack(t, content)
		for end := range len(packed) {
			assert.NotEmpty(t, text(t, check(t, "a.csv"+ending, packed[:end])), "%s cut after %d", ending, end)
		}
		for _, tail := range []string{"x", "garbage that is long enough", strings.Repeat("\x00", 512), content, pack(t, content)[:15]} {
			assert.NotEmpty(t, text(t, check(t, "a.csv"+ending, packed+tail)), "%s followed by %q", ending, tail)
		}
		assert.Contains(t, text(t, check(t, "a.csv"+ending, packed[:len(packed)/2])), "it is cut short: its ")
		last := []byte(packed)
		last[len(last)-6] ^= 1 // of the checksum of gzip
		assert.Contains(t, text(t, check(t, "a.csv"+ending, string(last))), "damaged", ending)
		plain := text(t, check(t, "a.csv", packed))
		assert.Contains(t, plain, "and its name does not say so; name it .gz or .zst", ending)
		assert.Contains(t, text(t, check(t, "a.csv"+ending, content)), "its name says that it is compressed with ", ending)
	}
	crc := []byte(zipped(t, content))
	crc[len(crc)-8] ^= 1
	assert.Equal(t, "it is damaged: the checksum of its gzip data is wrong", text(t, check(t, "a.csv.gz", string(crc))))
	assert.Equal(t, "it is compressed with zstd, and its name says gzip", text(t, check(t, "a.csv.gz", zstandard(t, content))))
	assert.Equal(t, "other data follow its gzip data", text(t, check(t, "a.csv.gz", zipped(t, content)+"more of something")))
}

// A text that is cut is a fault, with its line, wherever it is cut but between rows.
func TestCheckRejectsCutTexts(t *testing.T) {
	t.Parallel()
	list := `[{"id":1,"x":{"a":["b\"",2]}},` + "\n" + ` {"id":2,"x":"]"}]`
	for end := 1; end < len(list); end++ {
		assert.Regexp(t, `^line [12]: it ends (inside of a string|before all brackets are closed); is the file cut short\?$`, text(t, check(t, "a.json", list[:end])), list[:end])
	}
	lines := `{"id":1,"x":{"a":["b\"",2]}}` + "\n" + `{"id":2,"x":"]"}` + "\n"
	first := strings.IndexByte(lines, '\n')
	for end := 1; end < len(lines)-1; end++ {
		if end != first && end != first+1 {
			assert.Regexp(t, fmt.Sprintf("^line %d: it ends ", 1+strings.Count(lines[:end], "\n")), text(t, check(t, "a.ndjson", lines[:end])), lines[:end])
			assert.Regexp(t, fmt.Sprintf("^line %d: ", 1+strings.Count(lines[:end], "\n")), text(t, check(t, "a.ndjson", lines[:end]+"\n{\"id\":3}\n")), lines[:end])
		}
	}
	assert.Equal(t, "line 2: a quote that begins here is not closed; is the file cut short?", text(t, check(t, "a.csv", "id,x\n1,\"b\n\"\"c")))
	large := "id,x\n" + strings.Repeat("1,\"b\"\n", 200_000) // in several parts
	assert.Empty(t, text(t, check(t, "a.csv", large)))
	assert.Equal(t, "line 200002: a quote that begins here is not closed; is the file cut short?", text(t, check(t, "a.csv", large+"2,\"b\n\n")))
	large = strings.Repeat(`{"id":1,"x":"\\"}`+"\n", 100_000)
	assert.Empty(t, text(t, check(t, "a.ndjson", large)))
	assert.Equal(t, "line 100001: it ends inside of a string; is the file cut short?", text(t, check(t, "a.ndjson", large+`{"id":"`)))
}

// A text that is not UTF-8 is a fault with its line, wherever the byte is, and characters of each length stay whole between
// the parts in which a file is read.
func TestCheckRejectsOtherEncodings(t *testing.T) {
	t.Parallel()
	const part = 256 << 10
	for _, character := range []string{"ä", "数", "𝄞", "\x00", "\ufffd"} {
		for shift := range 5 {
			content := "id,x\n" + strings.Repeat("y", part-5-shift) + strings.Repeat(character, 100) + "\n"
			assert.Empty(t, text(t, check(t, "a.csv", content)), "%q shifted by %d", character, shift)
		}
	}
	row := "1,abc\n"
	for _, before := range []int{0, 1, 1000, part/len(row) - 1, part / len(row), part/len(row) + 1, 200_000} {
		for _, wrong := range []string{"caf\xe9", "\xe4\xb8", "\xff", "\xed\xa0\x80", "\xc0\x80", "\x80"} {
			want := fmt.Sprintf("line %d: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0x", before+2)
			content := "id,x\n" + strings.Repeat(row, before) + "2," + wrong
			for _, after := range []string{"", "\n", "\n" + strings.Repeat(row, 1000)} {
				assert.Contains(t, text(t, check(t, "a.csv", content+after)), want, "%d %q %q", before, wrong, after[:min(3, len(after))])
			}
			assert.Contains(t, text(t, check(t, "a.csv.gz", zipped(t, content))), want)
		}
	}
	assert.Equal(t, "line 2: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0xE9); save it as UTF-8", text(t, check(t, "a.csv", "id\r\xe9\r")))
	assert.Equal(t, "line 2: it is not UTF-8, but perhaps Latin-1 or Windows-1252 (byte 0xE9); save it as UTF-8", text(t, check(t, "a.ndjson", "{\"id\":1}\n{\"x\":\"\xe9\"}\n")))
}

// Other damage that DuckDB does not notice, or that ends the process.
func TestCheckRejects(t *testing.T) {
	t.Parallel()
	deep := func(bracket string, depth int, closing string) string {
		return strings.Repeat(bracket, depth) + "1" + strings.Repeat(closing, depth)
	}
	const tooDeep = "brackets are nested more than 200 levels deep"
	for _, test := range []struct{ name, content, want string }{
		{"a.ndjson", `{"x":` + deep("[", 199, "]") + "}", ""},
		{"a.json", `[{"x":` + deep(`{"a":`, 199, "}") + "}]", ""},
		{"a.ndjson", "\n" + `{"x":` + deep("[", 200, "]") + "}", "line 2: " + tooDeep},
		{"a.ndjson", `{"undeclared":` + deep("[", 400_000, "]") + "}", "line 1: " + tooDeep},
		{"a.json", `[{"undeclared":` + deep(`{"a":`, 400_000, "}") + "}]", "line 1: " + tooDeep},
		{"a.json", `{"x":` + strings.Repeat("[", 400_000), "line 1: " + tooDeep},
		{"a.json", `{"x":"` + strings.Repeat("[", 400_000) + `"}`, ""},
		{"a.json", strings.Repeat("[", 400_000), "line 1: a row is not an object"},
		{"a.json", `{"data":[{"id":1}]}`, `none of its objects has a column of the table; their keys are "data"`},
		{"a.json", `[{"ID":1},{"Id":2},{"ID":3}]`, `none of its objects has a column of the table; their keys are "ID", "Id"`},
		{"a.ndjson", `{"a":{"id":1},"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, `none of its objects has a column of the table; their keys are "a", "b", "c", "d", "e" and others`},
		{"a.ndjson", "{}\n{}\n", "none of its objects has a column of the table; they are empty"},
		{"a.ndjson", `{"` + strings.Repeat("i", 100_000) + `":1}` + "\n" + `{"id":1}`, ""},
		{"a.ndjson", `{"id":1}` + "\n" + `[{"id":2}]`, "line 2: a row is not an object"},
		{"a.ndjson", `{"id":1}` + "\n" + `null`, "line 2: a row is not an object"},
		{"a.ndjson", `{"id":1}` + "\n" + `"text"`, "line 2: a row is not an object"},
		{"a.json", `[{"id":1},null]`, "line 1: a row is not an object"},
		{"a.json", `[{"id":1},"x"]`, "line 1: a row is not an object"},
		{"a.json", `[1]`, "line 1: a row is not an object"},
		{"a.json", `"x"`, "line 1: a row is not an object"},
		{"a.json", `[{"id":1}][{"id":2}]`, "line 1: it is not valid JSON"},
		{"a.json", `{"id":1},{"id":2}`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":1},]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":1,}]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":1]]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id"}]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":}]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":1"a"}]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":1 2}]`, "line 1: it is not valid JSON"},
		{"a.json", `[{"id":1} {"id":2}]`, "line 1: it is not valid JSON"},
		{"a.ndjson", "{\"id\":1}\r{\"id\":2}\r", `line 1: a line has more than one object; lines end with \n`},
		{"a.ndjson", "{\"id\":1}{\"id\":2}\n", `line 1: a line has more than one object; lines end with \n`},
		{"a.ndjson", "{\"id\":\n1}\n", "line 1: its object is not closed on its line"},
		{"a.ndjson", "{\"id\":\"a\nb\"}\n", "line 1: a string is not closed on its line"},
		{"a.csv", "id,x\n\"", "line 2: a quote that begins here is not closed; is the file cut short?"},
		{"a.parquet", "PAR1 and no more", ""}, // DuckDB notices
	} {
		shown := test.content[:min(len(test.content), 80)]
		assert.Equal(t, test.want, text(t, check(t, test.name, test.content)), "%s: %s", test.name, shown)
		if test.name != "a.parquet" {
			assert.Equal(t, test.want, text(t, check(t, test.name+".zst", zstandard(t, test.content))), "%s.zst: %s", test.name, shown)
		}
	}
}

// Nothing waits for the writer of a pipe, or reads a device. The end of the context ends a check.
func TestCheckOpensRegularFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.csv")
	table := &sqlq.Table{Name: "items", Files: &sqlq.Files{Pattern: path, Format: "csv"}}
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	for _, irregular := range []string{path, "/dev/zero", t.TempDir()} {
		assert.Equal(t, "it is not a regular file", text(t, filecheck.Check(t.Context(), table, tablefiles.File{Path: irregular})))
	}
	err := filecheck.Check(t.Context(), table, tablefiles.File{Path: path + "none"})
	require.EqualError(t, err, "no such file or directory")
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.WriteFile(path, []byte("id\n"), 0o600))
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, filecheck.Check(ended, table, tablefiles.File{Path: path}), context.Canceled)
}

func BenchmarkCheck(b *testing.B) {
	csv := "id,x\n" + strings.Repeat("123456,\"some text, as it is\",other\n", 3_000_000)
	ndjson := strings.Repeat(`{"id":123456,"x":{"name":"some text","values":[1,2,3]},"at":"2026-11-01T10:00:00Z"}`+"\n", 1_200_000)
	for name, content := range map[string]string{"a.csv": csv, "a.csv.gz": zipped(b, csv), "a.csv.zst": zstandard(b, csv), "a.ndjson": ndjson, "a.ndjson.gz": zipped(b, ndjson)} {
		path := filepath.Join(b.TempDir(), name)
		require.NoError(b, os.WriteFile(path, []byte(content), 0o600))
		table := &sqlq.Table{Name: "items", Files: &sqlq.Files{Pattern: path, Format: formatOf(name), Columns: []sqlq.Column{{Name: "id", Type: sqlq.Int64}}}}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(100 << 20)
			for b.Loop() {
				require.NoError(b, filecheck.Check(b.Context(), table, tablefiles.File{Path: path}))
			}
		})
	}
}

package logfile_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logfile"
)

// item is the result of Next: an event, or the reason why a part of the file is not one.
type item struct {
	line   int
	raw    string
	reason string
}

func event(line int, raw string) item { return item{line: line, raw: raw} }

func malformed(line int, raw, reason string) item {
	return item{line: line, raw: raw, reason: reason}
}

// readAll reads a file to its end and returns the error that ended it, nil at a
// regular end.
func readAll(t *testing.T, path string) ([]item, error) {
	t.Helper()
	file, err := logfile.Open(t.Context(), path, logfile.CSV{})
	if err != nil {
		return nil, err
	}
	defer func() { assert.NoError(t, file.Close()) }()
	var items []item
	for {
		raw, line, err := file.Next(t.Context())
		if malformed, ok := errors.AsType[*logfile.MalformedError](err); ok {
			require.Equal(t, malformed.Line, line)
			items = append(items, item{line: line, raw: string(malformed.Raw), reason: malformed.Reason})
			continue
		}
		if errors.Is(err, io.EOF) {
			assert.Equal(t, file.Size(), file.Position(), "at the end, all of the file was read")
			return items, nil
		}
		if err != nil {
			_, _, again := file.Next(t.Context())
			assert.Equal(t, err, again, "the error that ends a file stays")
			return items, err
		}
		items = append(items, item{line: line, raw: string(raw)})
	}
}

func writeFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	return path
}

func plain(_ *testing.T, content []byte) []byte { return content }

func gzipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write(content)
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	return packed.Bytes()
}

func zstandard(t *testing.T, content []byte) []byte {
	t.Helper()
	writer, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return writer.EncodeAll(content, nil)
}

// inMembers packs the halves of the content one by one.
func inMembers(pack func(*testing.T, []byte) []byte) func(*testing.T, []byte) []byte {
	return func(t *testing.T, content []byte) []byte {
		t.Helper()
		half := len(content) / 2
		return append(pack(t, content[:half]), pack(t, content[half:])...)
	}
}

// behindSkippableFrame puts a skippable frame in front of zstd data.
func behindSkippableFrame(t *testing.T, content []byte) []byte {
	t.Helper()
	return append([]byte("\x50\x2a\x4d\x18\x03\x00\x00\x00abc"), zstandard(t, content)...)
}

func TestFormats(t *testing.T) {
	const missing = "list: an event is missing before this character; remove the extra comma"
	formats := []struct {
		name    string
		content string
		want    []item
	}{
		{"empty file", "", nil},
		{"one byte", "{", []item{event(1, "{")}},
		{"only blank lines", " \n\r\n\t\n", nil},
		{"only a byte order mark", "\uFEFF", nil},
		{"NDJSON", `{"a":1}` + "\n" + `{"b":2}` + "\n", []item{event(1, `{"a":1}`), event(2, `{"b":2}`)}},
		{"NDJSON without a final newline", `{"a":1}` + "\n" + `{"b":2}`, []item{event(1, `{"a":1}`), event(2, `{"b":2}`)}},
		{
			"NDJSON with byte order mark, CRLF and blank lines", "\uFEFF\r\n" + `{"a":1}` + "\r\n\r\n  \r\n" + ` {"b":2} ` + "\r\n",
			[]item{event(2, `{"a":1}`), event(5, `{"b":2}`)},
		},
		{"NDJSON with a broken line", `{"a":1}` + "\n" + `{"b":nope` + "\n" + `{"c":3}`, []item{event(1, `{"a":1}`), event(2, `{"b":nope`), event(3, `{"c":3}`)}},
		{"NDJSON with a broken first line", `{"a":` + "\n\n" + `{"b":2}` + "\n" + `{"c":3}`, []item{event(1, `{"a":`), event(3, `{"b":2}`), event(4, `{"c":3}`)}},
		{"NDJSON with an open string in its first line", `{"a":"x` + "\n" + `{"b":2}`, []item{event(1, `{"a":"x`), event(2, `{"b":2}`)}},
		{"NDJSON that starts with other text", "hello\n" + `{"a":1}`, []item{event(1, "hello"), event(2, `{"a":1}`)}},
		{"NDJSON with an incomplete last line", `{"a":1}` + "\n" + `{"b":"x`, []item{event(1, `{"a":1}`), event(2, `{"b":"x`)}},
		{"one object", `{"a":{"b":[1,{"c":"}"}]}}`, []item{event(1, `{"a":{"b":[1,{"c":"}"}]}}`)}},
		{"one object over many lines", "\n{\n  \"a\": {\n    \"b\": \"}\\\"{\"\n  }\n}\n", []item{event(2, "{\n  \"a\": {\n    \"b\": \"}\\\"{\"\n  }\n}")}},
		{"objects over many lines", "{\n\"a\": 1\n}\n{\n\"b\": 2\n}\n", []item{event(1, "{\n\"a\": 1\n}"), event(4, "{\n\"b\": 2\n}")}},
		{"an object over lines, then NDJSON", "{\n\"a\": 1\n}\n{\"b\":2}\n{\"c\":\n{\"d\":4}", []item{event(1, "{\n\"a\": 1\n}"), event(4, `{"b":2}`), event(5, `{"c":`), event(6, `{"d":4}`)}},
		{"array", `[{"a":1},{"b":[1,2]} , {"c":"],"}]`, []item{event(1, `{"a":1}`), event(1, `{"b":[1,2]}`), event(1, `{"c":"],"}`)}},
		{"array over many lines", "[\n  {\"a\":1},\n\n  {\n\"b\":2}\n]\n", []item{event(2, `{"a":1}`), event(4, "{\n\"b\":2}")}},
		{"empty array", "[ ]", nil},
		{"array with broken elements", `[{"a":1},{"b":nope},{"c":2}]`, []item{event(1, `{"a":1}`), event(1, `{"b":nope}`), event(1, `{"c":2}`)}},
		{"array with an unclosed bracket", `[{"a":[1},{"c":2}]`, []item{event(1, `{"a":[1}`), event(1, `{"c":2}`)}},
		{"array with a stray bracket", `[{"a":]},{"c":2}]`, []item{event(1, `{"a":]}`), event(1, `{"c":2}`)}},
		{"array with scalars", `[1,"x,y",nope,null]`, []item{event(1, "1"), event(1, `"x,y"`), event(1, "nope"), event(1, "null")}},
		{"array with commas too many", `[,{"a":1},,{"b":2},]`, []item{malformed(1, ",", missing), event(1, `{"a":1}`), malformed(1, ",", missing), event(1, `{"b":2}`), malformed(1, "]", missing)}},
		{"arrays one after the other", "[{\"a\":1}]\n[{\"b\":2}]", []item{event(1, `{"a":1}`), event(2, `{"b":2}`)}},
		{"array and then other text", "[{\"a\":1}] x\n{\"b\":2}", []item{event(1, `{"a":1}`), event(1, "x"), event(2, `{"b":2}`)}},
		{"arrays in lines", "x\n[{\"a\":1},{\"b\":2}]\n{\"c\":3}", []item{event(1, "x"), event(2, `{"a":1}`), event(2, `{"b":2}`), event(3, `{"c":3}`)}},
		{
			"broken array in lines", "x\n[{\"a\":1},{\"b\":\n{\"c\":3}\n[\n[{\"d\":4},",
			[]item{
				event(1, "x"), event(2, `{"a":1}`), malformed(2, `{"b":`, "list: the line ends inside of this event"), event(3, `{"c":3}`),
				malformed(4, "", "list: the line ends before the bracket that closes the list"),
				event(5, `{"d":4}`), malformed(5, "", "list: the line ends before the bracket that closes the list"),
			},
		},
		{"concatenated objects", `{"a":1}{"b":"}{"} {"c":{}}` + "\t\r{}\n" + `{"d":4}{"e":5}`, []item{event(1, `{"a":1}`), event(1, `{"b":"}{"}`), event(1, `{"c":{}}`), event(1, "{}"), event(2, `{"d":4}`), event(2, `{"e":5}`)}},
		{"concatenated objects with a broken one", `{"a":1}{"b":nope}{"c":[1}{"d":4}`, []item{event(1, `{"a":1}`), event(1, `{"b":nope}`), event(1, `{"c":[1}`), event(1, `{"d":4}`)}},
		{"concatenated objects with an open string", `{"a":1}{"b":"x}{"c":3}` + "\n{}", []item{event(1, `{"a":1}`), event(1, `{"b":"x}{"c":3}`), event(2, "{}")}},
		{"concatenated objects and other text", `{"a":1}{"b":2} x {"c":3}` + "\n{}", []item{event(1, `{"a":1}`), event(1, `{"b":2}`), event(1, `x {"c":3}`), event(2, "{}")}},
		{"concatenated objects, lists and batches", `{"a":1}{"batch":[{"b":2}]}[{"c":3}]{"batch":[]}{"d":4}`, []item{event(1, `{"a":1}`), event(1, `{"b":2}`), event(1, `{"c":3}`), event(1, `{"d":4}`)}},
		{"concatenated objects over lines", "{\n\"a\":1\n}{\"b\":2}{\"c\":3}", []item{event(1, "{\n\"a\":1\n}"), event(3, `{"b":2}`), event(3, `{"c":3}`)}},
		{"braces in the string of an object", `{"a":"} {"}`, []item{event(1, `{"a":"} {"}`)}},
		{"batch", `{"batch":[{"a":1},{"b":2}]}`, []item{event(1, `{"a":1}`), event(1, `{"b":2}`)}},
		{"empty batch", `{"batch":[]}`, nil},
		{"batch over many lines", "{\n \"batch\" : [\n{\"a\":1},\n{\"b\":2}\n]\n}\n", []item{event(3, `{"a":1}`), event(4, `{"b":2}`)}},
		{"batch with an event per line", "{\"batch\":[\n{\"a\":1},\n{\"b\":2}\n]}\n", []item{event(2, `{"a":1}`), event(3, `{"b":2}`)}},
		{"batch among other fields", `{"source":{"x":[1]},"batch":[{"a":1}],"more":"]}"}`, []item{event(1, `{"a":1}`)}},
		{"batch with a broken element", `{"batch":[{"a":1},{"b":nope},{"c":2}]}`, []item{event(1, `{"a":1}`), event(1, `{"b":nope}`), event(1, `{"c":2}`)}},
		{"two batches in one object", `{"batch":[{"a":1}],"batch":[{"b":2}]}`, []item{event(1, `{"a":1}`), event(1, `{"b":2}`)}},
		{"batches in lines", "{\"batch\":[{\"a\":1}]}\n{\"b\":2}\n{\"batch\":[{\"c\":3},{\"d\":4}]}", []item{event(1, `{"a":1}`), event(2, `{"b":2}`), event(3, `{"c":3}`), event(3, `{"d":4}`)}},
		{
			"broken batches in lines", "{\"a\":1}\n{\"batch\":[{\"b\":2},{\"c\":\n{\"batch\":[\n{\"batch\":[{\"d\":4}]\n{\"e\":5}\n{\"batch\":[",
			[]item{
				event(1, `{"a":1}`), event(2, `{"b":2}`), malformed(2, `{"c":`, "list: the line ends inside of this event"),
				malformed(3, "", "list: the line ends before the bracket that closes the list"),
				event(4, `{"d":4}`), malformed(4, "", "batch: the line ends before the brace that closes the batch"), event(5, `{"e":5}`),
				malformed(6, "", "list: the line ends before the bracket that closes the list"),
			},
		},
		{
			"first line is a batch that is cut off", "{\"batch\":[{\"a\":1},{\"b\":\n{\"c\":3}",
			[]item{event(1, `{"a":1}`), malformed(1, `{"b":`, "list: the line ends inside of this event"), event(2, `{"c":3}`)},
		},
		{"an event's own field batch", `{"event_message":"x","batch":[{"a":1}]}`, []item{event(1, `{"event_message":"x","batch":[{"a":1}]}`)}},
		{"a batch that is not a list", `{"batch":{"a":[1]}}`, []item{event(1, `{"batch":{"a":[1]}}`)}},
		{"a batch further down", `{"a":{"batch":[1]}}`, []item{event(1, `{"a":{"batch":[1]}}`)}},
	}
	packings := []struct {
		name string
		pack func(*testing.T, []byte) []byte
	}{
		{"plain", plain},
		{"gzip", gzipped},
		{"gzip in two members", inMembers(gzipped)},
		{"zstd", zstandard},
		{"zstd in two frames", inMembers(zstandard)},
		{"zstd after a skippable frame", behindSkippableFrame},
	}
	for i, format := range formats {
		for _, packing := range packings {
			if format.content != "" && i%10 > 0 && packing.name != "plain" { // what unpacks does not look at the content
				continue
			}
			t.Run(format.name+"/"+packing.name, func(t *testing.T) {
				t.Parallel()
				path := writeFile(t, "events", packing.pack(t, []byte(format.content)))
				items, err := readAll(t, path)
				require.NoError(t, err)
				assert.Equal(t, format.want, items)
			})
		}
	}
}

func TestDamagedFiles(t *testing.T) {
	lines := []byte(strings.Repeat(`{"a":1}`+"\n", 1000))
	flipped := func(content []byte, at int) []byte {
		content[at] ^= 0xff
		return content
	}
	packedGzip, packedZstd := gzipped(t, lines), zstandard(t, lines)
	tests := []struct {
		name    string
		content []byte
		want    string
	}{
		{"array cut off in an event", []byte(`[{"a":1},{"b":`), "it ends inside the event that starts on line 1"},
		{"array cut off after a comma", []byte("[{\"a\":1},\n"), "it ends inside the list after the event that starts on line 2"},
		{"array cut off in a string", []byte("[{\"a\":1},\n\"x]"), "it ends inside the event that starts on line 2"},
		{"object over lines cut off", []byte("{\n\"a\":1\n"), "it ends inside the object that starts on line 1"},
		{"batch cut off in an event", []byte(`{"batch":[{"a":1},{"b":`), "it ends inside the event that starts on line 1"},
		{"batch cut off before its last brace", []byte("{\"batch\":[\n{\"a\":1}\n]\n"), "it ends inside the batch that starts on line 3"},
		{"gzip cut off", packedGzip[:len(packedGzip)-20], "the file is truncated: its gzip data ends too early"},
		{"gzip cut off in its header", packedGzip[:5], "the file is truncated: its gzip data ends too early"},
		{"gzip with a wrong checksum", flipped(gzipped(t, lines), len(packedGzip)-6), "the gzip data is corrupt"},
		{"gzip followed by other data", append(gzipped(t, lines), "garbage, no second member"...), "the gzip data is corrupt"},
		{"zstd cut off", packedZstd[:len(packedZstd)-6], "the file is truncated: its zstd data ends too early"},
		{"zstd with a wrong checksum", flipped(zstandard(t, lines), len(packedZstd)-2), "the zstd data is corrupt"},
		{"packed twice", gzipped(t, packedZstd), "is zstd inside of gzip; unpack it once"},
		{"Parquet cut off", []byte("PAR1 and no more"), "the parquet file is truncated or corrupt"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(t, writeFile(t, "events", test.content))
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	_, err := logfile.Open(t.Context(), filepath.Join(t.TempDir(), "none"), logfile.CSV{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = logfile.Open(t.Context(), t.TempDir(), logfile.CSV{})
	require.ErrorContains(t, err, "is a folder, not a file")
	_, err = logfile.Open(t.Context(), writeFile(t, "events.parquet", []byte("\x7fELF")), logfile.CSV{})
	require.ErrorContains(t, err, "is not a Parquet file, although its name says so; rename it")
}

func TestNextEndsWithItsContext(t *testing.T) {
	t.Parallel()
	file, err := logfile.Open(t.Context(), writeFile(t, "events", []byte("{}\n{}\n")), logfile.CSV{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	_, _, err = file.Next(ctx)
	require.NoError(t, err)
	cancel()
	_, _, err = file.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

func TestPositionCountsPackedBytes(t *testing.T) {
	t.Parallel()
	packed := gzipped(t, []byte(strings.Repeat(`{"a":1}`+"\n", 10_000)))
	file, err := logfile.Open(t.Context(), writeFile(t, "events", packed), logfile.CSV{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	assert.Equal(t, int64(len(packed)), file.Size())
	for range 10_000 {
		_, _, err = file.Next(t.Context())
		require.NoError(t, err)
		require.LessOrEqual(t, file.Position(), file.Size())
	}
	_, _, err = file.Next(t.Context())
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, file.Size(), file.Position())
}

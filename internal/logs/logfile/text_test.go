package logfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// describe reads everything and returns a line for each event and each
// malformed part, and the error at the end.
func describe(t *testing.T, reader *textReader) ([]string, error) {
	t.Helper()
	var described []string
	for {
		raw, line, err := reader.next(t.Context())
		if malformed, ok := errors.AsType[*MalformedError](err); ok {
			described = append(described, fmt.Sprintf("%d malformed %s", malformed.Line, malformed.Raw))
			continue
		}
		if err != nil {
			return described, err
		}
		described = append(described, fmt.Sprintf("%d %s", line, raw))
	}
}

func TestEventsThatAreTooLong(t *testing.T) {
	const limit = 64
	long := strings.Repeat("x", 2*limit)
	tests := []struct {
		name    string
		content string
		want    []string
	}{
		{"at the limit", `{"a":"` + strings.Repeat("x", limit-9) + `"}` + "\n{}", []string{`1 {"a":"` + strings.Repeat("x", limit-9) + `"}`, "2 {}"}},
		{"first line", `{"a":"` + long + `"}` + "\n{}", []string{`1 malformed {"a":"` + long[:limit/2], "2 {}"}},
		{"second line", "{}\n" + `{"a":"` + long + `"}` + "\n{}\n", []string{"1 {}", `2 malformed {"a":"` + long[:limit/2], "3 {}"}},
		{"last line", "{}\n" + `{"a":"` + long + `"}`, []string{"1 {}", `2 malformed {"a":"` + long[:limit/2]}},
		{"element", `[{"a":"` + long + `"},{"b":2}]`, []string{`1 malformed {"a":"` + long[:limit/2], `1 {"b":2}`}},
		{"object over lines", "{\n\"a\":\"" + long + "\"\n}\n{\"b\":2}", []string{"1 malformed {\n\"a\":\"" + long[:limit/2], `4 {"b":2}`}},
		{"batch on one line", `{"batch":[{"a":1},{"b":"` + strings.Repeat("y", limit/2) + `"},{"c":3},{"d":4}]}` + "\n{}", []string{`1 {"a":1}`, `1 {"b":"` + strings.Repeat("y", limit/2) + `"}`, `1 {"c":3}`, `1 {"d":4}`, "2 {}"}},
		{"batch on a later line", "{}\n" + `{"batch":[{"a":1},{"b":"` + strings.Repeat("y", limit/2) + `"},{"c":3},{"d":4}]}` + "\n{}", []string{"1 {}", `2 {"a":1}`, `2 {"b":"` + strings.Repeat("y", limit/2) + `"}`, `2 {"c":3}`, `2 {"d":4}`, "3 {}"}},
		{"array on a later line", "{}\n" + `[{"a":1},{"b":"` + long + `"},{"c":3}]` + "\n{}", []string{"1 {}", `2 {"a":1}`, `2 malformed {"b":"` + long[:limit/2], `2 {"c":3}`, "3 {}"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// A small read buffer makes every event straddle several reads.
			reader := newTextReader(bufio.NewReaderSize(strings.NewReader(test.content), 16))
			reader.limit = limit
			described, err := describe(t, reader)
			require.ErrorIs(t, err, io.EOF)
			require.Len(t, described, len(test.want))
			for i, want := range test.want {
				if strings.Contains(want, "malformed") {
					assert.True(t, strings.HasPrefix(described[i], want), "%q does not start with %q", described[i], want)
					assert.LessOrEqual(t, len(described[i]), limit+len("1 malformed "))
					continue
				}
				assert.Equal(t, want, described[i])
			}
		})
	}
}

// endless yields a head and then endless elements, and counts the bytes.
type endless struct {
	pending []byte
	element []byte
	count   int
}

func (e *endless) Read(buffer []byte) (int, error) {
	if len(e.pending) == 0 {
		e.pending = e.element
	}
	n := copy(buffer, e.pending)
	e.pending = e.pending[n:]
	e.count += n
	return n, nil
}

func TestLongFilesTakeLittleMemory(t *testing.T) {
	tests := []struct {
		name          string
		head, element string
		// ahead is how much the reader may read to detect the format.
		ahead int
	}{
		{"NDJSON", "", "{\"a\":\"0123456789\"}\n", 0},
		{"array", "[", `{"a":"0123456789"},`, 0},
		{"array over lines", "[\n", "{\"a\":\"0123456789\"},\n", 0},
		{"batch over lines", "{\"batch\":[\n", "{\"a\":\"0123456789\"},\n", 0},
		{"batch on one line", `{"batch":[`, `{"a":"0123456789"},`, 1 << 18},
		{"batch on a later line", "{}\n{\"batch\":[", `{"a":"0123456789"},`, 1 << 18},
		{"concatenated objects", "", `{"a":"0123456789"}`, 1 << 18},
		{"objects over lines", "", "{\n\"a\":\"0123456789\"\n}\n", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := &endless{pending: []byte(test.head), element: []byte(test.element)}
			reader := newTextReader(bufio.NewReaderSize(source, readBufferBytes))
			reader.limit = 1 << 18
			returned := 0
			farthest := 0
			for events := 1; returned < 1<<20; events++ {
				raw, _, err := reader.next(t.Context())
				if err != nil {
					require.NoError(t, err)
				}
				returned += len(raw)
				farthest = max(farthest, source.count-events*len(test.element))
			}
			assert.LessOrEqual(t, farthest, test.ahead+2*readBufferBytes, "what was read and not returned is buffered")
			assert.LessOrEqual(t, cap(reader.part), readBufferBytes)
			assert.LessOrEqual(t, cap(reader.line), readBufferBytes+2*test.ahead)
		})
	}
}

func TestNestingDoesNotGrowWithoutBound(t *testing.T) {
	t.Parallel()
	const depth = 4 * maxTrackedDepth
	content := "[" + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `,{"a":1}]`
	reader := newTextReader(bufio.NewReader(strings.NewReader(content)))
	described, err := describe(t, reader)
	require.ErrorIs(t, err, io.EOF)
	require.Len(t, described, 2)
	assert.Equal(t, `1 {"a":1}`, described[1])
	assert.LessOrEqual(t, cap(reader.list.nesting.open), 2*maxTrackedDepth)
}

// brokenReader fails after some bytes.
type brokenReader struct {
	content io.Reader
	err     error
}

func (b *brokenReader) Read(buffer []byte) (int, error) {
	n, err := b.content.Read(buffer)
	if errors.Is(err, io.EOF) {
		err = b.err
	}
	return n, err
}

func TestReadErrorsEndEveryFormat(t *testing.T) {
	broken := errors.New("broken disk")
	for _, content := range []string{
		"", " ", "{}\n", "{}\n{\"a\"", "{\n", "{\n\"a\":", "[", "[{}", "[{},", "{\"batch\":[\n{}", "{\"batch\":[\n]", "{}\n[", "{}\n{\"batch\":[",
	} {
		t.Run(content, func(t *testing.T) {
			t.Parallel()
			reader := newTextReader(bufio.NewReader(&brokenReader{content: strings.NewReader(content), err: broken}))
			_, err := describe(t, reader)
			require.ErrorIs(t, err, broken)
		})
	}
}

func TestTextAfterAListOnALineDoesNotAffectLineNumbers(t *testing.T) {
	described, err := describe(t, newTextReader(bufio.NewReader(strings.NewReader("{}\n[1] and other text\n{}"))))
	require.ErrorIs(t, err, io.EOF)
	assert.Equal(t, []string{"1 {}", "2 1", "2 and other text", "3 {}"}, described)
}

// Values that share a line take linear time.
func TestManyValuesOnALine(t *testing.T) {
	for _, value := range []string{`{}`, `[]`, `{"batch":[]}`} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			content := "{}\n" + strings.Repeat(value, 1<<18/len(value)) + "\n{}"
			described, err := describe(t, newTextReader(bufio.NewReader(strings.NewReader(content))))
			require.ErrorIs(t, err, io.EOF)
			assert.Equal(t, "3 {}", described[len(described)-1])
		})
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"", "{}\n{}", "[{},{}]", `{"batch":[{},{}]}`, "{\n\"a\":1\n}", "{}\n[{},\n", "{}\n{\"batch\":[{},{\n{\"batch\":[]}", "\uFEFF[,]", "{\"a\":\n{", "[[[[\"\\\"]",
		"{\"batch\":[\n{},\n[}]\n]\n}\nx", "{}\n[1] and other text\n{}",
		`{"a":1}{"b":2}x{}`, `{}[{}]{"batch":[{}]} {`,
	} {
		f.Add([]byte(seed), uint8(32))
	}
	f.Fuzz(func(t *testing.T, content []byte, limit uint8) {
		reader := newTextReader(bufio.NewReaderSize(bytes.NewReader(content), 16))
		reader.limit = max(int(limit), 1)
		lines, last := bytes.Count(content, []byte{'\n'})+1, 1
		// Every step consumes at least one byte, so there are not more steps than bytes.
		for range 2*len(content) + 2 {
			raw, line, err := reader.next(t.Context())
			malformed, isMalformed := errors.AsType[*MalformedError](err)
			if err != nil && !isMalformed {
				return
			}
			if isMalformed {
				line = malformed.Line
				require.NotEmpty(t, malformed.Reason)
			} else {
				require.NotEmpty(t, raw)
				require.Contains(t, string(content), string(raw))
			}
			require.LessOrEqual(t, len(raw), reader.limit)
			require.GreaterOrEqual(t, line, last)
			require.LessOrEqual(t, line, lines)
			last = line
		}
		t.Fatal("the reader does not come to an end")
	})
}

package load_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/load"
	"savedq/internal/logs/logevent"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// tickingClock advances by half a second with each reading.
func tickingClock() func() time.Time {
	now := time.Date(2026, 11, 20, 10, 0, 0, 123456789, time.UTC)
	return func() time.Time {
		reading := now
		now = now.Add(500 * time.Millisecond)
		return reading
	}
}

func optionsFor(store *fakeStore) load.Options {
	return load.Options{Begin: store.begin, Now: tickingClock(), MaxEventBytes: 1 << 20}
}

func edgeLogs(t *testing.T) *sqlq.Table {
	t.Helper()
	source, found := tables.Shipped().FindSource("edge_logs")
	require.True(t, found)
	return source
}

func authLogs(t *testing.T) *sqlq.Table {
	t.Helper()
	source, found := tables.Shipped().FindSource("auth_logs")
	require.True(t, found)
	return source
}

func writeInput(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.ndjson")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestFileLoadsEvents(t *testing.T) {
	t.Parallel()
	store := newFakeStore()
	path := writeInput(t, `{"id":"a","timestamp":"2026-11-19T00:00:00Z","event_message":"m","project":"acme","metadata":{"x":{"y":1}}}`+"\n"+`{"id":"b","event_message":"n"}`+"\n")
	summary, err := load.File(t.Context(), path, edgeLogs(t), optionsFor(store))
	require.NoError(t, err)
	assert.Equal(t, load.Summary{
		Path: path, Source: edgeLogs(t), Loaded: 2, Ignored: []load.IgnoredField{}, Duration: 500 * time.Millisecond,
	}, summary)
	assert.Equal(t, fmt.Sprintf("edge_logs ← %s: 2 events loaded, 0 rejected, 4 events/s", path), summary.String())
	require.Len(t, store.events, 2)
	message, project := "m", "acme"
	assert.Equal(t, logevent.Event{
		ID: "a", Timestamp: time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC), EventMessage: &message, Project: &project,
		Metadata: json.RawMessage(`[{"x":[{"y":1}]}]`),
	}, store.events["edge_logs a"])
	assert.Equal(t, time.Date(2026, 11, 20, 10, 0, 0, 123456000, time.UTC), store.events["edge_logs b"].Timestamp, "an absent timestamp is the load time")
	assert.NoFileExists(t, load.RejectedPath(path))
	assert.Zero(t, store.rollback)
}

func TestFileLoadsEverySource(t *testing.T) {
	for _, source := range tables.Shipped() {
		t.Run(source.Aliases[0], func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("..", "..", "..", "examples", "logs", source.Aliases[0]+".json")
			store := newFakeStore()
			summary, err := load.File(t.Context(), path, source, optionsFor(store))
			require.NoError(t, err)
			assert.Equal(t, 1, summary.Loaded)
			assert.Zero(t, summary.Rejected)
			assert.Empty(t, summary.Notes())
			for key, event := range store.events {
				assert.True(t, strings.HasPrefix(key, source.Name+" "))
				assert.NotEmpty(t, *event.EventMessage)
				assert.True(t, bytes.HasPrefix(event.Metadata, []byte(`[{"`)))
				assert.Contains(t, string(event.Metadata), `acme`)
			}
		})
	}
}

func TestMalformedEventsAreRecorded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 40_000)
	store := newFakeStore()
	path := writeInput(t, strings.Join([]string{
		`{"id":"a","event_message":"m"}`, `{"id":"b","event_message":<nope>}`, "", `{"id":"c"}`, `{"id":"d","event_message":"n"}`, `{"id":"e` + "\xff" + `"`, `x` + long, `{"batch":[{"id":"f","event_message":"m"},{"id":"g`,
	}, "\n"))
	summary, err := load.File(t.Context(), path, edgeLogs(t), optionsFor(store))
	require.NoError(t, err)
	assert.Equal(t, 3, summary.Loaded)
	assert.Equal(t, 5, summary.Rejected)
	assert.Equal(t, path+".rejected.ndjson", summary.RejectedPath)
	assert.Equal(t, fmt.Sprintf("edge_logs ← %s: 3 events loaded, 5 rejected (%s.rejected.ndjson), 16 events/s", path, path), summary.String())

	content, err := os.ReadFile(summary.RejectedPath)
	require.NoError(t, err)
	assert.Contains(t, string(content), "<nope>", "the text stays readable")
	want := []map[string]any{
		{"file": path, "line": 2.0, "reason": "event: is not valid JSON at byte 27: invalid character '<' looking for beginning of value", "event": `{"id":"b","event_message":<nope>}`},
		{"file": path, "line": 4.0, "reason": "event: has neither event_message nor metadata; one of them is required", "event": `{"id":"c"}`},
		{"file": path, "line": 6.0, "reason": "event: is not valid JSON at byte 12: unexpected end of JSON input", "event": "{\"id\":\"e\uFFFD\""},
		{"file": path, "line": 7.0, "reason": "event: is not valid JSON at byte 1: invalid character 'x' looking for beginning of value", "event": "x" + strings.Repeat("é", 32_767)},
		{"file": path, "line": 8.0, "reason": "list: the line ends inside of this event", "event": `{"id":"g`},
	}
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	require.Len(t, lines, len(want))
	for i, line := range lines {
		var rejected map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &rejected))
		assert.Equal(t, want[i], rejected)
	}
}

func TestOldRejectedEventsAreRemoved(t *testing.T) {
	t.Parallel()
	path := writeInput(t, `{"event_message":1}`)
	summary, err := load.File(t.Context(), path, edgeLogs(t), optionsFor(newFakeStore()))
	require.NoError(t, err)
	require.FileExists(t, summary.RejectedPath)

	require.NoError(t, os.WriteFile(path, []byte(`{"event_message":"mended"}`), 0o600))
	summary, err = load.File(t.Context(), path, edgeLogs(t), optionsFor(newFakeStore()))
	require.NoError(t, err)
	assert.Zero(t, summary.Rejected)
	assert.NoFileExists(t, load.RejectedPath(path))
}

func TestLoadingAgainAddsNothing(t *testing.T) {
	t.Parallel()
	// The first two events are equal and have no id: they are two events.
	content := `{"event_message":"m"}` + "\n" + `{"event_message":"m"}` + "\n" + `{"id":"a","event_message":"m"}` + "\n" + `{"id":"a","event_message":"again"}` + "\n"
	store := newFakeStore()
	path := writeInput(t, content)
	first, err := load.File(t.Context(), path, edgeLogs(t), optionsFor(store))
	require.NoError(t, err)
	assert.Equal(t, 3, first.Loaded)
	assert.Equal(t, 1, first.Duplicates)

	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err = writer.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	for name, input := range map[string]string{"the same file": path, "under another name and packed": writeInput(t, packed.String())} {
		again, err := load.File(t.Context(), input, edgeLogs(t), optionsFor(store))
		require.NoError(t, err)
		assert.Zero(t, again.Loaded, name)
		assert.Equal(t, 4, again.Duplicates, name)
		assert.Equal(t, fmt.Sprintf("edge_logs ← %s: 0 events loaded, 0 rejected, 4 already stored, 8 events/s", input), again.String())
	}
	assert.Len(t, store.events, 3)
	for _, event := range store.events {
		if event.ID != "a" {
			require.NoError(t, uuid.Validate(event.ID))
		}
	}

	other, found := tables.Shipped().FindSource("auth_logs")
	require.True(t, found)
	elsewhere, err := load.File(t.Context(), path, other, optionsFor(store))
	require.NoError(t, err)
	assert.Equal(t, 3, elsewhere.Loaded, "another source has none of them")
	assert.Len(t, store.events, 6)
	ids := make(map[string]int)
	for _, event := range store.events {
		ids[event.ID]++
	}
	assert.Len(t, ids, 5, "ids that were made up differ from source to source")
}

func TestIgnoredFieldsAreReported(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	for i := range 30 {
		fmt.Fprintf(&content, `{"event_message":"m","level":1,"host":2,"field%02d":3}`+"\n", i)
	}
	content.WriteString(`{"event_message":"m","level":1}` + "\n")
	path := writeInput(t, content.String())
	summary, err := load.File(t.Context(), path, edgeLogs(t), optionsFor(newFakeStore()))
	require.NoError(t, err)
	require.Len(t, summary.Ignored, 20)
	assert.Equal(t, []load.IgnoredField{{Name: "level", Count: 31}, {Name: "host", Count: 30}, {Name: "field00", Count: 1}}, summary.Ignored[:3])
	assert.Equal(t, 12, summary.IgnoredMore)
	require.Len(t, summary.Notes(), 1)
	assert.Contains(t, summary.Notes()[0], `"level" (31 events), "host" (30 events), "field00" (1 event)`)
	assert.Contains(t, summary.Notes()[0], `and others (12×)`)
}

// Statistics read some fields only as numbers or strings. The summary reports values of
// other types.
func TestMistypedFieldsAreReported(t *testing.T) {
	t.Parallel()
	source, found := tables.Shipped().FindSource("function_edge_logs")
	require.True(t, found)
	path := writeInput(t, `{"metadata":{"execution_time_ms":"9","response":{"status_code":"200"}}}
{"metadata":{"execution_time_ms":9,"response":{"status_code":"500"}}}
{"metadata":{"execution_time_ms":9,"response":{"status_code":500}}}
`)
	summary, err := load.File(t.Context(), path, source, optionsFor(newFakeStore()))
	require.NoError(t, err)
	assert.Equal(t, 3, summary.Loaded)
	assert.Equal(t, []string{
		`statistics ignore values of another type: response.status_code is not a number (2 events), execution_time_ms is not a number (1 event); have the sender write numbers without quotes, as in 200, and strings with them, as in "/rest"`,
	}, summary.Notes())
}

// An event over the limit is rejected, anywhere in a file, and does not affect other
// events. The ids of later events do not depend on the limit, so loading the file again
// with another limit stores nothing twice.
func TestEventsOverTheLimit(t *testing.T) {
	t.Parallel()
	event := func(id string, length int) string {
		head := `{"id":"` + id + `","event_message":"`
		return head + strings.Repeat("x", length-len(head)-2) + `"}`
	}
	for name, content := range map[string]string{
		"lines": event("fits", 1000) + "\n" + event("long", 1001) + "\r\n" + `{"event_message":"n"}`,
		"array": "[" + event("fits", 1000) + ",\n" + event("long", 1001) + `,{"event_message":"n"}]`,
		"batch": `{"batch":[` + event("fits", 1000) + ",\n" + event("long", 1001) + `,{"event_message":"n"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := newFakeStore()
			path := writeInput(t, content)
			options := optionsFor(store)
			options.MaxEventBytes = 1000
			summary, err := load.File(t.Context(), path, edgeLogs(t), options)
			require.NoError(t, err)
			assert.Equal(t, 2, summary.Loaded)
			assert.Equal(t, 1, summary.Rejected)
			assert.Contains(t, store.events, "edge_logs fits")
			rejected, err := os.ReadFile(summary.RejectedPath)
			require.NoError(t, err)
			assert.Contains(t, string(rejected), `"line":2,"reason":"event: has 1001 bytes; --max-event allows 1000 B","event":"{\"id\":\"long\"`)

			options.MaxEventBytes = 1001
			summary, err = load.File(t.Context(), path, edgeLogs(t), options)
			require.NoError(t, err)
			assert.Equal(t, 1, summary.Loaded)
			assert.Equal(t, 2, summary.Duplicates)
			assert.Zero(t, summary.Rejected)
		})
	}
}

func TestLongFieldNamesAreCut(t *testing.T) {
	t.Parallel()
	path := writeInput(t, `{"event_message":"m","x`+strings.Repeat("é", 100)+`":1}`)
	summary, err := load.File(t.Context(), path, edgeLogs(t), optionsFor(newFakeStore()))
	require.NoError(t, err)
	assert.Equal(t, []load.IgnoredField{{Name: "x" + strings.Repeat("é", 31) + "…", Count: 1}}, summary.Ignored)
}

// TestFailuresLeaveNothingBehind covers failures in the middle of a load.
func TestFailuresLeaveNothingBehind(t *testing.T) {
	broken := errors.New("broken store")
	const good = `{"id":"a","event_message":"m"}` + "\n"
	const bad = `{"id":"b"}` + "\n"
	tests := []struct {
		name    string
		content string
		prepare func(t *testing.T, store *fakeStore, path string, cancel context.CancelFunc)
		want    string
		is      error
	}{
		{
			name: "the store rejects an event", content: bad + good,
			prepare: func(_ *testing.T, store *fakeStore, _ string, _ context.CancelFunc) {
				store.onAdd = func(logevent.Event) error { return broken }
			},
			want: "broken store", is: broken,
		},
		{
			name: "the commit fails", content: bad + good,
			prepare: func(_ *testing.T, store *fakeStore, _ string, _ context.CancelFunc) {
				store.onCommit = func() error { return broken }
			},
			want: "broken store", is: broken,
		},
		{
			name: "the caller leaves", content: bad + good + good,
			prepare: func(_ *testing.T, store *fakeStore, _ string, cancel context.CancelFunc) {
				store.onAdd = func(logevent.Event) error { cancel(); return nil }
			},
			want: "context canceled", is: context.Canceled,
		},
		{
			name: "the file ends too early", content: `[{"id":"b"},` + good,
			prepare: func(*testing.T, *fakeStore, string, context.CancelFunc) {},
			want:    "the file is truncated, or a bracket or quote is not closed",
		},
		{
			name: "rejected events cannot be written", content: good + bad,
			prepare: func(t *testing.T, store *fakeStore, path string, _ context.CancelFunc) {
				t.Helper()
				store.onBegin = func() error { return os.Mkdir(load.RejectedPath(path), 0o700) }
			},
			want: "line 2 was rejected (event: has neither event_message nor metadata; one of them is required), and recording it failed", is: os.ErrExist,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			store := newFakeStore()
			path := writeInput(t, test.content)
			test.prepare(t, store, path, cancel)
			summary, err := load.File(ctx, path, edgeLogs(t), optionsFor(store))
			require.ErrorContains(t, err, "load "+path+": ")
			require.ErrorContains(t, err, test.want)
			if test.is != nil {
				require.ErrorIs(t, err, test.is)
			}
			assert.Equal(t, load.Summary{}, summary)
			assert.Empty(t, store.events)
			assert.Equal(t, 1, store.begun)
			assert.Equal(t, 1, store.rollback)
			assert.NoFileExists(t, load.RejectedPath(path))
		})
	}
}

func TestFileRejectsInvalidInputs(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	occupied := writeInput(t, "{}")
	require.NoError(t, os.Mkdir(load.RejectedPath(occupied), 0o700))
	rejected := load.RejectedPath(writeInput(t, ""))
	require.NoError(t, os.WriteFile(rejected, nil, 0o600))
	tests := []struct {
		name string
		path string
		want string
	}{
		{"no such file", filepath.Join(folder, "none"), "none: no such file or directory"},
		{"a folder", folder, "is a folder, not a file"},
		{"a folder in the place of the rejected events", occupied, "is a folder, but rejected events must be written there"},
		{"a file of rejected events", rejected, "is the list of events that an earlier load rejected, not a log file"},
	}
	for _, test := range tests {
		store := newFakeStore()
		_, err := load.File(t.Context(), test.path, edgeLogs(t), optionsFor(store))
		require.ErrorContains(t, err, test.want, test.name)
		assert.Equal(t, 1, strings.Count(err.Error(), test.path+":"), "the path is said once")
		assert.Zero(t, store.begun, test.name)
	}
}

func TestBeginFails(t *testing.T) {
	t.Parallel()
	busy := errors.New("the store is in use")
	options := optionsFor(newFakeStore())
	options.Begin = func(context.Context) (load.Transaction, error) { return nil, busy }
	_, err := load.File(t.Context(), writeInput(t, "{}"), edgeLogs(t), options)
	require.ErrorIs(t, err, busy)
}

func TestProgressIsDrawn(t *testing.T) {
	t.Parallel()
	var terminal bytes.Buffer
	options := optionsFor(newFakeStore())
	options.Progress = &terminal
	path := writeInput(t, strings.Repeat(`{"event_message":"m"}`+"\n", 10_000))
	_, err := load.File(t.Context(), path, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Contains(t, terminal.String(), "app.ndjson")
	assert.True(t, strings.HasSuffix(terminal.String(), "\r"), "the bar is taken off the terminal at the end")
}

// A store that fails in the middle of a long file ends the load, and the goroutine that
// decodes ahead of it.
func TestFailureInTheMiddleEndsDecoding(t *testing.T) {
	t.Parallel()
	const events, failing = 20_000, 700
	content := strings.Repeat(`{"event_message":"a"}`+"\n", events)
	added := 0
	broken := errors.New("broken store")
	store := newFakeStore()
	store.onAdd = func(logevent.Event) error {
		added++
		if added == failing {
			return broken
		}
		return nil
	}
	_, err := load.File(t.Context(), writeInput(t, content), edgeLogs(t), optionsFor(store))
	require.ErrorIs(t, err, broken)
	assert.Equal(t, failing, added, "nothing is added after the failure")
	assert.Equal(t, 1, store.rollback)
	assert.Empty(t, store.events)
}

// The standard input is loaded like a file. Its rejected events go to the working directory.
func TestFileLoadsStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	store := newFakeStore()
	options := optionsFor(store)
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(`[{"event_message":"m"},{}]`))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	options.Input = &packed
	summary, err := load.File(t.Context(), load.StandardInput, edgeLogs(t), options)
	require.NoError(t, err)
	assert.Equal(t, "edge_logs ← standard input: 1 event loaded, 1 rejected (stdin.rejected.ndjson), 4 events/s", summary.String())
	rejected, err := os.ReadFile("stdin.rejected.ndjson")
	require.NoError(t, err)
	assert.Contains(t, string(rejected), `{"file":"standard input","line":1,`)

	options.Input = strings.NewReader("[{")
	_, err = load.File(t.Context(), load.StandardInput, edgeLogs(t), options)
	require.ErrorContains(t, err, "load standard input: the file is truncated")
	assert.NoFileExists(t, "stdin.rejected.ndjson")
}

func TestSummaryLine(t *testing.T) {
	edge := &sqlq.Table{Name: "edge_logs"}
	tests := []struct {
		name    string
		summary load.Summary
		want    string
	}{
		{
			name: "everything",
			summary: load.Summary{
				Path: "app.ndjson", Source: edge, Loaded: 1234, Rejected: 2, RejectedPath: "app.ndjson.rejected.ndjson",
				Duplicates: 10, Duration: 1246 * time.Second / 56789,
			},
			want: "edge_logs ← app.ndjson: 1,234 events loaded, 2 rejected (app.ndjson.rejected.ndjson), 10 already stored, 56,789 events/s",
		},
		{
			name:    "one row",
			summary: load.Summary{Path: "one.json", Source: edge, Loaded: 1, Duration: time.Second},
			want:    "edge_logs ← one.json: 1 event loaded, 0 rejected, 1 events/s",
		},
		{
			name:    "millions",
			summary: load.Summary{Path: "big", Source: edge, Loaded: 1_234_567, Duration: 10 * time.Second},
			want:    "edge_logs ← big: 1,234,567 events loaded, 0 rejected, 123,456 events/s",
		},
		{
			name:    "a clock that stands still gives no speed",
			summary: load.Summary{Path: "a", Source: edge, Loaded: 999},
			want:    "edge_logs ← a: 999 events loaded, 0 rejected",
		},
		{
			name:    "an empty file",
			summary: load.Summary{Path: "a", Source: edge, Duration: time.Second},
			want:    "edge_logs ← a: 0 events loaded, 0 rejected",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, test.want, test.summary.String())
		})
	}
}

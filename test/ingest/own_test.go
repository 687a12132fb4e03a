package ingest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/ingesthttp"
	"savedq/internal/auth"
	"savedq/internal/http/httperror"
	"savedq/internal/logs/ingest"
	"savedq/internal/logs/load"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/observe/metrics"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/tables"
)

// Random events of random sources become the same rows on every way into the store, as in a reference that
// reads what was sent with encoding/json.
func TestOwnSourcesAreStoredAsTheReference(t *testing.T) {
	t.Parallel()
	ways := []struct {
		name string
		send func(*testing.T, *ownStore, []ownEvent)
		// addsMetadata means that the protocol has metadata of its own, which is not compared.
		addsMetadata bool
	}{
		{"list", func(t *testing.T, s *ownStore, events []ownEvent) {
			t.Helper()
			s.post(t, "application/json", "["+joined(t, events, ",")+"]")
		}, false},
		{"lines", func(t *testing.T, s *ownStore, events []ownEvent) {
			t.Helper()
			s.post(t, "application/x-ndjson", joined(t, events, "\n"))
		}, false},
		{"concatenated", func(t *testing.T, s *ownStore, events []ownEvent) {
			t.Helper()
			s.post(t, "application/json", joined(t, events, ""))
		}, false},
		{"batch", func(t *testing.T, s *ownStore, events []ownEvent) {
			t.Helper()
			s.post(t, "application/json", `{"batch":[`+joined(t, events, ",")+"]}")
		}, false},
		{"OTLP", sendOTLP, true},
		{"load", loadFile, false},
		{"load --to", loadTo, false},
		{"ingestion", ingestEvents, false},
	}
	const rounds, eventsPerRound = 2, 120
	for round := range rounds {
		random := rand.New(rand.NewPCG(33, uint64(round)))
		declared := newOwnSource(random)
		events := declared.events(random, eventsPerRound)
		for _, way := range ways {
			t.Run(fmt.Sprintf("%s %d", way.name, round), func(t *testing.T) {
				t.Parallel()
				store := openOwn(t, declared)
				way.send(t, store, events)
				store.close(t)
				want := make(map[string]ownRow)
				for _, event := range events {
					want[event.ID] = declared.reference(t, event, !way.addsMetadata)
				}
				got := declared.rows(t, store, !way.addsMetadata)
				require.Len(t, got, len(want))
				for id, row := range want {
					require.Equal(t, row, got[id], declared.yaml)
				}
			})
		}
	}
}

// ownSource is a log source of an author, as a test knows it.
type ownSource struct {
	name, alias string
	// member is the member of metadata that has the project, or empty.
	member string
	fields []ownField
	yaml   string
}

type ownField struct {
	name, typ string
	path      []string
}

// ownEvent is an event as it is sent.
type ownEvent struct {
	ID           string          `json:"id"`
	Timestamp    string          `json:"timestamp"`
	EventMessage *string         `json:"event_message,omitempty"`
	Project      *string         `json:"project,omitempty"`
	Metadata     json.RawMessage `json:"metadata,omitempty"`
}

// ownRow is a row: its columns of D23, and the fields.
type ownRow struct {
	ID, Timestamp, Message, Project, Metadata string
	Fields                                    map[string]any
}

// members are the members of the random metadata, so that paths often lead to a value.
func members() []string { return []string{"a", "b", "o", "l", "x-y", "Größe"} }

func pick[T any](random *rand.Rand, from []T) T { return from[random.IntN(len(from))] }

func newOwnSource(random *rand.Rand) *ownSource {
	s := &ownSource{name: fmt.Sprintf("own_%d", random.IntN(1000)), alias: fmt.Sprintf("Shop.own-%d.prod", random.IntN(1000))}
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "name: %s\ndescription: Own.\naliases: [%s]\n", s.name, s.alias)
	if random.IntN(2) == 0 {
		s.member = "shop"
		yaml.WriteString("project: metadata.shop\n")
	}
	yaml.WriteString("fields:\n")
	types := []string{"STRING", "INT64", "FLOAT64", "BOOL", "TIMESTAMP", "DATE"}
	for i := range len(types) * 4 {
		field := ownField{name: fmt.Sprintf("f_%d", i), typ: types[i%len(types)]}
		for range 1 + random.IntN(2) {
			field.path = append(field.path, pick(random, members()))
		}
		s.fields = append(s.fields, field)
		fmt.Fprintf(&yaml, "  - {name: %s, type: %s, path: metadata.%s}\n", field.name, field.typ, strings.Join(field.path, "."))
	}
	s.yaml = yaml.String()
	return s
}

// events returns random events with ids of their own.
func (s *ownSource) events(random *rand.Rand, count int) []ownEvent {
	events := make([]ownEvent, count)
	for i := range events {
		message, project := fmt.Sprintf("Event %d ä\n", i), pick(random, []string{"acme", "other"})
		event := &events[i]
		event.ID, event.EventMessage = fmt.Sprintf("id-%d", i), &message
		event.Timestamp = time.Date(2026, 11, 20, 10, 0, random.IntN(90_000), random.IntN(1_000_000)*1000, time.UTC).Format(time.RFC3339Nano)
		object := randomObject(random, 2)
		if s.member == "" {
			event.Project = &project
		} else {
			object[s.member] = project
		}
		var metadata any = object
		if random.IntN(5) == 0 {
			metadata = []any{object, randomObject(random, 1)}
		}
		event.Metadata, _ = json.Marshal(metadata)
	}
	return events
}

func randomObject(random *rand.Rand, depth int) map[string]any {
	object := make(map[string]any)
	for _, member := range members() {
		if random.IntN(5) > 0 {
			object[member] = randomValue(random, depth-1)
		}
	}
	return object
}

func randomValue(random *rand.Rand, depth int) any {
	if depth > 0 && random.IntN(3) > 0 {
		object := randomObject(random, depth)
		if random.IntN(3) == 0 {
			return []any{object, randomObject(random, depth)}
		}
		return object
	}
	number := random.Int64N(2_000_000) - 1_000_000
	return pick(random, []any{
		nil, true, false, "true", "FALSE", "", "word", "\"quoted\" \\ ä\n",
		[]any{},
		[]any{"x", "y"},
		map[string]any{},
		json.Number(strconv.FormatInt(number, 10)), json.Number(strconv.FormatInt(number, 10) + ".25"), json.Number("1795258675123"), json.Number("-9223372036854775808"),
		fmt.Sprintf(" %d ", number), strconv.FormatInt(number, 10) + ".5", "7.0", "9223372036854775808",
		"2024-02-29", "2023-02-29", "2026-11-20T10:00:00.1234567+01:00", "2026-11-20T10:00:00Z",
	})
}

// reference returns the row that an event becomes.
func (s *ownSource) reference(t *testing.T, event ownEvent, withMetadata bool) ownRow {
	t.Helper()
	moment, err := time.Parse(time.RFC3339Nano, event.Timestamp)
	require.NoError(t, err)
	row := ownRow{ID: event.ID, Timestamp: moment.Format(time.RFC3339Nano), Message: *event.EventMessage, Project: "NULL", Fields: make(map[string]any)}
	if event.Project != nil {
		row.Project = *event.Project
	}
	decoder := json.NewDecoder(bytes.NewReader(event.Metadata))
	decoder.UseNumber()
	var metadata any
	require.NoError(t, decoder.Decode(&metadata))
	if withMetadata {
		stored, err := json.Marshal(inLists(metadata))
		require.NoError(t, err)
		row.Metadata = string(stored)
	}
	for _, field := range s.fields {
		value := metadata
		for _, member := range field.path {
			if list, isList := value.([]any); isList && len(list) > 0 {
				value = list[0]
			}
			object, _ := value.(map[string]any)
			value = object[member]
		}
		row.Fields[field.name] = typed(field.typ, value)
	}
	return row
}

// inLists returns metadata as the store has it (D14): each object is in a list.
func inLists(value any) any {
	switch value := value.(type) {
	case map[string]any:
		return []any{membersInLists(value)}
	case []any:
		list := make([]any, len(value))
		for i, element := range value {
			list[i] = element
			if object, isObject := element.(map[string]any); isObject {
				list[i] = membersInLists(object)
			}
		}
		return list
	}
	return value
}

func membersInLists(object map[string]any) map[string]any {
	inside := make(map[string]any)
	for name, value := range object {
		inside[name] = inLists(value)
	}
	return inside
}

// typed returns the value of a field of a type.
func typed(typ string, value any) any {
	text, isText := value.(string)
	switch value := value.(type) {
	case json.Number:
		text = value.String()
	case bool:
		text = strconv.FormatBool(value)
	case string:
	default:
		return nil
	}
	if typ == "STRING" {
		return text
	}
	trimmed := strings.TrimSpace(text)
	var whole int64
	var number float64
	switch typ {
	case "INT64":
		if _, err := fmt.Sscanf(strings.TrimSuffix(trimmed, ".0")+"|", "%d|", &whole); err == nil {
			return whole
		}
	case "FLOAT64":
		if _, err := fmt.Sscanf(trimmed+"|", "%g|", &number); err == nil {
			return number
		}
	case "BOOL":
		if lower := strings.ToLower(trimmed); lower == "true" || lower == "false" {
			return lower == "true"
		}
	case "DATE":
		if day, err := time.Parse(time.DateOnly, trimmed); err == nil {
			return day.Format(time.RFC3339Nano)
		}
	case "TIMESTAMP":
		for _, form := range []string{time.RFC3339Nano, time.DateOnly} {
			if moment, err := time.Parse(form, text); err == nil && isText {
				return moment.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
			}
		}
		switch _, isNumber := value.(json.Number); {
		case !isNumber:
		case text == "1795258675123":
			return "2026-11-21T10:57:55.123Z"
		case strings.HasSuffix(text, ".25"):
			_, err := fmt.Sscanf(text, "%g", &number)
			if err == nil {
				return time.UnixMicro(int64(number * 1e6)).UTC().Format(time.RFC3339Nano)
			}
		default:
			if _, err := fmt.Sscanf(text, "%d", &whole); err == nil && whole > -1e9 {
				return time.Unix(whole, 0).UTC().Format(time.RFC3339Nano)
			}
			return time.UnixMicro(whole / 1000).UTC().Format(time.RFC3339Nano) // nanoseconds
		}
	}
	return nil
}

// rows returns the stored rows by their id.
func (s *ownSource) rows(t *testing.T, store *ownStore, withMetadata bool) map[string]ownRow {
	t.Helper()
	columns := []string{"id, timestamp, event_message, coalesce(project, 'NULL'), metadata"}
	for _, field := range s.fields {
		columns = append(columns, field.name)
	}
	found, err := store.DB().QueryContext(t.Context(), "SELECT "+strings.Join(columns, ", ")+" FROM "+s.name)
	require.NoError(t, err)
	defer func() { require.NoError(t, found.Close()) }()
	rows := make(map[string]ownRow)
	for found.Next() {
		row, moment, metadata := ownRow{Fields: make(map[string]any)}, time.Time{}, ""
		values := make([]any, len(s.fields))
		targets := []any{&row.ID, &moment, &row.Message, &row.Project, &metadata}
		for i := range values {
			targets = append(targets, &values[i])
		}
		require.NoError(t, found.Scan(targets...))
		row.Timestamp = moment.Format(time.RFC3339Nano)
		for i, value := range values {
			if moment, isTime := value.(time.Time); isTime {
				value = moment.Format(time.RFC3339Nano)
			}
			row.Fields[s.fields[i].name] = value
		}
		if withMetadata {
			decoder := json.NewDecoder(strings.NewReader(metadata))
			decoder.UseNumber()
			var value any
			require.NoError(t, decoder.Decode(&value))
			sorted, err := json.Marshal(value)
			require.NoError(t, err)
			row.Metadata = string(sorted)
		}
		rows[row.ID] = row
	}
	require.NoError(t, found.Err())
	return rows
}

// ownStore is a store with a source of an author, and the handler that receives its events.
type ownStore struct {
	*logstore.Store
	source  *sqlq.Table
	writer  *ingest.Writer
	handler http.Handler
	closing sync.Once
}

// close stores what the writer has, and closes it.
func (s *ownStore) close(t *testing.T) {
	t.Helper()
	s.closing.Do(func() { require.NoError(t, s.writer.Close(t.Context())) })
}

func openOwn(t *testing.T, declared *ownSource) *ownStore {
	t.Helper()
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, declared.name), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(directory, declared.name, "table.yaml"), []byte(declared.yaml), 0o600))
	read, err := tables.Read(tables.Directory{FS: os.DirFS(directory), Path: directory})
	require.NoError(t, err)
	store := &ownStore{Store: open(t)}
	require.NoError(t, store.Declare(t.Context(), read))
	source, found := store.Tables().FindSource(declared.alias)
	require.True(t, found)
	store.source = source
	logger := slog.New(slog.DiscardHandler)
	store.writer, err = ingest.Open(t.Context(), ingest.Config{
		Store: store.Store, Directory: filepath.Join(t.TempDir(), "log"), Deduplicate: time.Hour, WaitingBytes: 256 << 20, IDBytes: 16 << 20,
		Clock: time.Now, Logger: logger, Observer: metrics.New(prometheus.NewRegistry(), &catalog.Catalog{}).NewIngest(nil),
	})
	require.NoError(t, err)
	handlers, mux := ingesthttp.New(ingesthttp.Config{
		Tables: store.Tables, Committer: store.writer, MemoryBytes: ingesthttp.DefaultMemoryBytes, NewID: uuid.NewString, Clock: time.Now,
		Errors: httperror.NewWriter(logger), Logger: logger,
	}), http.NewServeMux()
	mux.Handle("/api/logs", handlers.JSON)
	mux.Handle("/v1/logs", handlers.OTLP)
	store.handler = auth.NoAuth(mux)
	return store
}

func joined(t *testing.T, events []ownEvent, separator string) string {
	t.Helper()
	texts := make([]string, len(events))
	for i, event := range events {
		text, err := json.Marshal(event)
		require.NoError(t, err)
		texts[i] = string(text)
	}
	return strings.Join(texts, separator)
}

// post sends events under the alias of the source, twice, so that the second time all are duplicates.
func (s *ownStore) post(t *testing.T, contentType, body string) {
	t.Helper()
	for range 2 {
		request := httptest.NewRequest(http.MethodPost, "/api/logs?source="+s.source.Aliases[0], strings.NewReader(body))
		request.Header.Set("Content-Type", contentType)
		s.request(t, request)
	}
}

func (s *ownStore) request(t *testing.T, request *http.Request) {
	t.Helper()
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	require.Equal(t, http.StatusOK, recorder.Code, recorder.Body)
	assert.NotContains(t, recorder.Body.String(), "reason")
	assert.NotContains(t, recorder.Body.String(), "rejectedLogRecords")
}

func writeEvents(t *testing.T, events []ownEvent) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.ndjson")
	require.NoError(t, os.WriteFile(path, []byte(joined(t, events, "\n")), 0o600))
	return path
}

func loadFile(t *testing.T, store *ownStore, events []ownEvent) {
	t.Helper()
	summary, err := load.File(t.Context(), writeEvents(t, events), store.source, load.Options{
		Begin: func(ctx context.Context) (load.Transaction, error) { return store.Begin(ctx, logstore.Sent) }, Now: time.Now,
	})
	require.NoError(t, err)
	assert.Equal(t, len(events), summary.Loaded)
}

func loadTo(t *testing.T, store *ownStore, events []ownEvent) {
	t.Helper()
	server := httptest.NewServer(store.handler)
	defer server.Close()
	summary, err := load.Send(t.Context(), writeEvents(t, events), store.source, load.SendOptions{
		Options: load.Options{Now: time.Now}, Server: &load.Server{Client: server.Client(), URL: server.URL, Now: time.Now}, Parallel: 2, Warn: func(string) {},
	})
	require.NoError(t, err)
	assert.Equal(t, len(events), summary.Loaded)
}

func ingestEvents(t *testing.T, store *ownStore, events []ownEvent) {
	t.Helper()
	store.close(t) // there is one writer at a time
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: func(yield func(logstore.Accepted) bool) {
		for _, sent := range events {
			text, err := json.Marshal(sent)
			assert.NoError(t, err)
			event, _, err := logevent.Decode(text, logevent.Defaults{ID: uuid.NewString})
			assert.NoError(t, err)
			if !yield(logstore.Accepted{Source: store.source, Event: &event, ID: logevent.FingerprintOf(store.source, event.ID), At: time.Now()}) {
				return
			}
		}
	}}))
}

// sendOTLP sends each event as a log record, whose attributes are its metadata.
func sendOTLP(t *testing.T, store *ownStore, events []ownEvent) {
	t.Helper()
	var records []any
	for _, event := range events {
		moment, err := time.Parse(time.RFC3339Nano, event.Timestamp)
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(event.Metadata))
		decoder.UseNumber()
		var metadata any
		require.NoError(t, decoder.Decode(&metadata))
		if list, isList := metadata.([]any); isList { // a record has one object, the one that counts
			metadata = list[0]
		}
		attributes := attributesOf(t, metadata)
		attributes = append(attributes, map[string]any{"key": "log.record.uid", "value": anyValue(t, event.ID)})
		if event.Project != nil {
			attributes = append(attributes, map[string]any{"key": "project", "value": anyValue(t, *event.Project)})
		}
		records = append(records, map[string]any{"timeUnixNano": strconv.FormatInt(moment.UnixNano(), 10), "body": anyValue(t, *event.EventMessage), "attributes": attributes})
	}
	body, err := json.Marshal(map[string]any{"resourceLogs": []any{map[string]any{"scopeLogs": []any{map[string]any{"logRecords": records}}}}})
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodPost, "/v1/logs", bytes.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Source", store.source.Name)
	store.request(t, request)
}

func attributesOf(t *testing.T, object any) []any {
	t.Helper()
	attributes := []any{}
	for name, value := range object.(map[string]any) {
		attributes = append(attributes, map[string]any{"key": name, "value": anyValue(t, value)})
	}
	return attributes
}

// anyValue returns a value as OTLP has it.
func anyValue(t *testing.T, value any) any {
	t.Helper()
	switch value := value.(type) {
	case string:
		return map[string]any{"stringValue": value}
	case bool:
		return map[string]any{"boolValue": value}
	case json.Number:
		if strings.Contains(value.String(), ".") {
			return map[string]any{"doubleValue": value}
		}
		return map[string]any{"intValue": value.String()}
	case map[string]any:
		return map[string]any{"kvlistValue": map[string]any{"values": attributesOf(t, value)}}
	case []any:
		values := []any{}
		for _, element := range value {
			values = append(values, anyValue(t, element))
		}
		return map[string]any{"arrayValue": map[string]any{"values": values}}
	}
	return map[string]any{}
}

package logstore_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// start returns when the first event of the tests happened.
func start() time.Time { return time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC) }

// open opens a store in a directory.
func open(t *testing.T, directory string, options ...logstore.Option) *logstore.Store {
	t.Helper()
	store, err := logstore.Open(t.Context(), directory, "512MiB", options...)
	require.NoError(t, err)
	return store
}

// model is what a store should have.
type model struct {
	events   map[string]logstore.Accepted
	position uint64
	random   *rand.Rand
	made     int
	shipped  sqlq.Tables
}

func newModel(seed uint64) *model {
	return &model{events: make(map[string]logstore.Accepted), random: rand.New(rand.NewPCG(seed, 0)), shipped: tables.Shipped()}
}

// event makes a new event.
func (m *model) event() logstore.Accepted {
	m.made++
	sources := []string{"edge_logs", "function_edge_logs", "postgres_logs", "auth_logs"}
	source, _ := m.shipped.FindSource(sources[m.random.IntN(len(sources))])
	project := fmt.Sprintf("project-%d", m.random.IntN(4))
	message := fmt.Sprintf("GET /path/%d", m.made)
	metadata := fmt.Sprintf(`[{"project_ref":%q,"function_id":"f%d","execution_time_ms":%d,"response":[{"status_code":%d}],"request":[{"url":"https://%s.example","path":"/rest/%d","method":"GET"}]}]`,
		project, m.made%5, m.made%90, 200+m.made%4*100, project, m.made%7)
	if m.made%11 == 0 { // several records
		metadata = fmt.Sprintf(`[{"project_ref":%q,"function_id":"g","execution_time_ms":1,"response":[{"status_code":200},{"status_code":500}],"request":[{"url":"a"},{"url":"b"}]}]`, project)
	}
	event := &logevent.Event{ID: m.id(), Timestamp: start().Add(time.Duration(m.random.IntN(60*3600)) * time.Second), EventMessage: &message, Metadata: json.RawMessage(metadata)}
	if source.ProjectMember == "" {
		event.Project = &project
	}
	return logstore.Accepted{Source: source, Event: event, ID: logevent.FingerprintOf(source, event.ID), At: start().Add(time.Duration(m.made) * time.Millisecond)}
}

// id returns the id of the event that is made. Many events in a row have UUIDs, so parts with and without others are merged.
func (m *model) id() string {
	const others, every = 3, 200
	if m.made%every < others {
		return fmt.Sprintf("id-%d", m.made)
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(strconv.Itoa(m.made))).String()
}

func (m *model) add(events ...logstore.Accepted) {
	for _, event := range events {
		m.events[event.Source.Name+"/"+event.Event.ID] = event
	}
}

func (m *model) project(event *logstore.Accepted) string {
	if event.Event.Project != nil {
		return *event.Event.Project
	}
	var metadata []struct {
		Ref string `json:"project_ref"`
	}
	_ = json.Unmarshal(event.Event.Metadata, &metadata)
	return metadata[0].Ref
}

// remove removes the events of a deletion, and returns how many.
func (m *model) remove(deletion logstore.Deletion) (count int64) {
	for key, event := range m.events {
		if event.Source.Name == deletion.Source.Name && (deletion.Project == "" || m.project(&event) == deletion.Project) &&
			(deletion.Before.IsZero() || event.Event.Timestamp.Before(deletion.Before)) {
			delete(m.events, key)
			count++
		}
	}
	return count
}

// sequence returns events as the ingest writer passes them.
func sequence(events []logstore.Accepted) iter.Seq[logstore.Accepted] {
	return slices.Values(events)
}

// check compares what the store shows with the model.
func (m *model) check(t *testing.T, store *logstore.Store) {
	t.Helper()
	require.NoError(t, m.compare(t.Context(), store))
	checkWithin(t, store, m.random)
}

// row is how the tests write an event.
func row(event *logstore.Accepted) string {
	return strings.Join([]string{event.Source.Name, event.Event.ID, event.Event.Timestamp.Format(time.DateTime), *event.Event.EventMessage, string(event.Event.Metadata)}, " ")
}

// rowsOf returns the rows of a store, sorted.
func rowsOf(ctx context.Context, store *logstore.Store) ([]string, error) {
	var row string
	var found []string
	const query = "SELECT source || ' ' || id || ' ' || strftime(timestamp, '%Y-%m-%d %H:%M:%S') || ' ' || event_message || ' ' || metadata FROM all_logs"
	err := eachRow(ctx, store.DB(), query, []any{&row}, func() { found = append(found, row) })
	slices.Sort(found)
	return found, err
}

// eachRow calls each for the rows of a query.
func eachRow(ctx context.Context, db *sql.DB, query string, targets []any, each func()) (err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		each()
	}
	return rows.Err()
}

// compare returns how the store differs from the model.
func (m *model) compare(ctx context.Context, store *logstore.Store) error {
	want := make([]string, 0, len(m.events))
	records, projects := make(map[string]int), make(map[string]int)
	for _, event := range m.events {
		want = append(want, row(&event))
		several := 1
		if strings.Contains(string(event.Event.Metadata), `{"status_code":500}`) && strings.Contains(string(event.Event.Metadata), `"b"`) {
			several = 2
		}
		records[event.Source.Name] += several
		projects[m.project(&event)]++
	}
	slices.Sort(want)
	got, err := rowsOf(ctx, store)
	if err != nil {
		return err
	}
	if !slices.Equal(want, got) {
		isIn := func(rows []string) func(string) bool {
			return func(row string) bool { _, found := slices.BinarySearch(rows, row); return found }
		}
		return fmt.Errorf("%d rows, want %d; missing: %d, unexpected: %d", len(got), len(want), len(slices.DeleteFunc(slices.Clone(want), isIn(got))), len(slices.DeleteFunc(slices.Clone(got), isIn(want))))
	}
	for view, source := range map[string]string{"function_invocations": "function_edge_logs", "edge_requests": "edge_logs"} {
		var count int
		if err := store.DB().QueryRowContext(ctx, "SELECT count(*) FROM "+view).Scan(&count); err != nil || count != records[source] {
			return fmt.Errorf("%d records in %s, want %d; %w", count, view, records[source], err)
		}
	}
	for project, events := range projects {
		var count int
		err := store.DB().QueryRowContext(ctx, "SELECT count(*) FROM all_logs WHERE project_key = md5_number_lower(?) AND project = ?", project, project).Scan(&count)
		if err != nil || count != events {
			return fmt.Errorf("%d events of %s, want %d; %w", count, project, events, err)
		}
	}
	return nil
}

// repeat does what may meet an invalid instance of DuckDB, as callers do.
func repeat(work func() error) error {
	err := work()
	if err != nil && sqlq.AsError(err).Code == sqlq.Unavailable {
		return work()
	}
	return err
}

// Whatever is done with a store, in any order, it shows exactly the events that it should have, also when it is opened
// again.
func TestStoreAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			options := []logstore.Option{logstore.WithRecentBytes(60_000), logstore.WithAttempts(rate.NewLimiter(rate.Inf, 1))}
			model, store, wal := newModel(seed), open(t, directory, options...), &walog{}
			store.SetReplay(wal.replay)
			for range 60 {
				ctx := t.Context()
				switch step := model.random.IntN(13); step {
				case 0, 1, 2, 3, 4:
					var events []logstore.Accepted
					for range model.random.IntN(150) {
						events = append(events, model.event())
					}
					model.position++
					ingestion := logstore.Ingestion{Events: sequence(events), Position: model.position}
					wal.append(ingestion)
					require.NoError(t, repeat(func() error { return store.Ingest(ctx, ingestion) }))
					model.add(events...)
				case 5:
					transaction, err := store.Begin(ctx, logstore.Sent)
					require.NoError(t, err)
					var added int
					for _, event := range model.events { // duplicates
						require.NoError(t, transaction.Add(ctx, event.Source, *event.Event))
						if added++; added == 20 {
							break
						}
					}
					duplicates := added
					var events []logstore.Accepted
					for range model.random.IntN(400) {
						event := model.event()
						require.NoError(t, transaction.Add(ctx, event.Source, *event.Event))
						events = append(events, event)
					}
					if model.random.IntN(4) == 0 {
						require.NoError(t, transaction.Rollback())
						break
					}
					require.NoError(t, transaction.Commit(ctx))
					fresh, known := transaction.Counts()
					require.Equal(t, len(events), fresh)
					require.Equal(t, duplicates, known)
					model.add(events...)
				case 6:
					_, err := store.Checkpoint(ctx)
					require.NoError(t, err)
				case 7:
					_, err := store.Merge(ctx, start().AddDate(0, 0, model.random.IntN(60)), nil)
					require.NoError(t, err)
				case 8, 9:
					source, _ := model.shipped.FindSource([]string{"edge_logs", "function_edge_logs"}[model.random.IntN(2)])
					deletion := logstore.Deletion{Source: source, Before: start().Add(time.Duration(model.random.IntN(20*3600)) * time.Second)}
					if step == 9 {
						deletion.Project = "project-1"
						if model.random.IntN(2) == 0 {
							deletion.Before = time.Time{}
						}
					}
					count, err := store.Delete(ctx, deletion)
					require.NoError(t, err)
					require.Equal(t, model.remove(deletion), count)
				case 10:
					require.NoError(t, store.Close())
					store = open(t, directory, options...)
					store.SetReplay(wal.replay)
				case 12:
					invalidate(t, store)
				case 11:
					model.check(t, store)
				}
			}
			model.check(t, store)
			require.NoError(t, store.Close())
			store = open(t, directory, options...)
			model.check(t, store)
			require.NoError(t, store.Close())
			checkFiles(t, directory)
		})
	}
}

// A store in memory can do the same but for files.
func TestStoreInMemory(t *testing.T) {
	t.Parallel()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	model := newModel(1)
	for range 5 {
		event := model.event()
		model.position++
		require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence([]logstore.Accepted{event}), Position: model.position}))
		model.add(event)
		transaction, err := store.Begin(context.Background(), logstore.Sent)
		require.NoError(t, err)
		event = model.event()
		require.NoError(t, transaction.Add(t.Context(), event.Source, *event.Event))
		require.NoError(t, transaction.Commit(t.Context()))
		model.add(event)
	}
	model.check(t, store)
	require.NoError(t, store.Close())
}

var _ sqlq.Changes = (*logstore.Changes)(nil)

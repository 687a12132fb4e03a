package logstore_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

func openMemory(t *testing.T, options ...logstore.Option) *logstore.Store {
	t.Helper()
	store, err := logstore.OpenEmpty(t.Context(), options...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

// openBoth opens a store in memory and one in a directory, which has nothing in memory when seal returns.
func openBoth(t *testing.T, test func(t *testing.T, store *logstore.Store, seal func())) {
	t.Helper()
	for name, open := range map[string]func(t *testing.T) *logstore.Store{
		"in memory": func(t *testing.T) *logstore.Store { t.Helper(); return openMemory(t) },
		"in parts":  openFile,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t)
			test(t, store, func() {
				_, err := store.Checkpoint(t.Context())
				require.NoError(t, err)
			})
		})
	}
}

// openFile opens a store in a directory until the test ends.
func openFile(t *testing.T) *logstore.Store {
	t.Helper()
	store := open(t, t.TempDir())
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return store
}

// shippedTables reads the shipped tables once, because tests need them for every event.
var shippedTables = sync.OnceValue(tables.Shipped) //nolint:gochecknoglobals // They do not change.

func source(t *testing.T, name string) *sqlq.Table {
	t.Helper()
	source, found := shippedTables().FindSource(name)
	require.True(t, found)
	return source
}

// event returns a minimal event with a record in both views of records.
func event(i int) logevent.Event {
	return logevent.Event{ID: strconv.Itoa(i), Timestamp: noon, Metadata: []byte(`[{"request":[{}],"response":[{}]}]`)}
}

// add adds events with the ids to edge_logs and commits.
func add(t *testing.T, store *logstore.Store, origin logstore.Origin, ids ...string) (added, duplicates int) {
	t.Helper()
	transaction, err := store.Begin(t.Context(), origin)
	require.NoError(t, err)
	for _, id := range ids {
		require.NoError(t, transaction.Add(t.Context(), source(t, "edge_logs"), logevent.Event{ID: id, Timestamp: noon}))
	}
	require.NoError(t, transaction.Commit(t.Context()))
	return transaction.Counts()
}

// addEvents adds events to a source and commits.
func addEvents(t *testing.T, store *logstore.Store, table string, events ...logevent.Event) {
	t.Helper()
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for _, event := range events {
		require.NoError(t, transaction.Add(t.Context(), source(t, table), event))
	}
	require.NoError(t, transaction.Commit(t.Context()))
}

// ingestEvents ingests events of a source, as a server does.
func ingestEvents(t *testing.T, store *logstore.Store, table *sqlq.Table, events ...logevent.Event) {
	t.Helper()
	position, err := store.IngestPosition(t.Context())
	require.NoError(t, err)
	accepted := make([]logstore.Accepted, len(events))
	for i := range events {
		accepted[i] = logstore.Accepted{Source: table, Event: &events[i], ID: logevent.FingerprintOf(table, events[i].ID), At: events[i].Timestamp}
	}
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: sequence(accepted), Position: position + 1}))
}

// load adds events with the numbers from first on to a source.
func load(ctx context.Context, store *logstore.Store, source *sqlq.Table, first, count int) error {
	transaction, err := store.Begin(ctx, logstore.Sent)
	if err != nil {
		return err
	}
	for i := range count {
		if err := transaction.Add(ctx, source, event(first+i)); err != nil {
			return err
		}
	}
	return transaction.Commit(ctx)
}

// contents counts the rows and the distinct events of a source and of its records.
func contents(t *testing.T, store *logstore.Store, table, records string) string {
	t.Helper()
	return texts(t, store, fmt.Sprintf("SELECT concat_ws(' ', (SELECT count(*) FROM %[1]s), (SELECT count(DISTINCT id) FROM %[1]s), (SELECT count(*) FROM %[2]s))", table, records))[0]
}

func holds(events int) string { return fmt.Sprintf("%[1]d %[1]d %[1]d", events) }

// orders returns a log source of an author, with fields given as "name TYPE path".
func orders(fields ...string) *sqlq.Table {
	table := &sqlq.Table{Name: "orders", Aliases: []string{"shop.orders.prod"}, ProjectMember: "shop", Place: sqlq.Place{File: "tables/orders/table.yaml", Line: 1, Column: 7}}
	for i, field := range fields {
		words := strings.Fields(field)
		table.Fields = append(table.Fields, sqlq.Field{
			Name: words[0], Type: sqlq.Type(words[1]), Path: strings.Split(words[2], "."),
			Place: sqlq.Place{File: table.Place.File, Line: 4 + i, Column: 5},
		})
	}
	return table
}

func declare(t *testing.T, store *logstore.Store, tables ...*sqlq.Table) {
	t.Helper()
	require.NoError(t, store.Declare(t.Context(), tables))
}

// ordersOf returns events with metadata, ten seconds apart.
func ordersOf(t *testing.T, from int, metadata ...string) []logevent.Event {
	t.Helper()
	events := make([]logevent.Event, len(metadata))
	for i, text := range metadata {
		event, _, err := logevent.Decode([]byte(`{"event_message":"","metadata":`+text+`}`), logevent.Defaults{ID: func() string { return fmt.Sprintf("%04d", from+i) }})
		require.NoError(t, err)
		event.Timestamp = time.Date(2026, 11, 20, 12, 0, 10*(from+i), 0, time.UTC)
		events[i] = event
	}
	return events
}

// addOrders adds orders with metadata to the source as it is declared now.
func addOrders(t *testing.T, store *logstore.Store, from int, metadata ...string) map[eventrow.MistypedField]int {
	t.Helper()
	return addTo(t, store, "orders", from, metadata...)
}

func addTo(t *testing.T, store *logstore.Store, table string, from int, metadata ...string) map[eventrow.MistypedField]int {
	t.Helper()
	source, found := store.Tables().FindSource(table)
	require.True(t, found)
	transaction, err := store.Begin(t.Context(), logstore.Sent)
	require.NoError(t, err)
	for _, event := range ordersOf(t, from, metadata...) {
		require.NoError(t, transaction.Add(t.Context(), source, event))
	}
	require.NoError(t, transaction.Commit(t.Context()))
	return transaction.Mistyped()
}

// valuesIn returns a column of the orders as text, in the order of their ids.
func valuesIn(t *testing.T, store *logstore.Store, column string) string {
	t.Helper()
	return valuesOf(t, store, "orders", column)
}

func valuesOf(t *testing.T, store viewed, table, column string) string {
	t.Helper()
	var values *string
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT string_agg(coalesce("+column+"::VARCHAR, 'NULL'), ' ' ORDER BY id) FROM "+table).Scan(&values))
	if values == nil {
		return ""
	}
	return *values
}

package logstore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
)

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

// addOrders adds orders with metadata, ten seconds apart, to the source as it is declared now.
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
	for i, text := range metadata {
		event, _, err := logevent.Decode([]byte(`{"event_message":"","metadata":`+text+`}`), logevent.Defaults{ID: func() string { return fmt.Sprintf("%04d", from+i) }})
		require.NoError(t, err)
		event.Timestamp = time.Date(2026, 11, 20, 12, 0, 10*(from+i), 0, time.UTC)
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

func valuesOf(t *testing.T, store *logstore.Store, table, column string) string {
	t.Helper()
	var values *string
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT string_agg(coalesce("+column+"::VARCHAR, 'NULL'), ' ' ORDER BY id) FROM "+table).Scan(&values))
	if values == nil {
		return ""
	}
	return *values
}

// D43: a field is read from metadata as its type says; a value of another type is NULL, and counted. Package eventrow tests
// more values; these are stored in a column of each type.
func TestFieldsOfEvents(t *testing.T) {
	t.Parallel()
	type fieldCase struct {
		field, metadata, want string
		mistyped              bool
	}
	var names []string
	var cases []fieldCase
	for name, test := range map[string]fieldCase{
		"escapes":                    {"f STRING a", `{"a":"\u00e4\n\""}`, "ä\n\"", false},
		"an object as a string":      {"f STRING a", `{"a":{"b":1}}`, "NULL", true},
		"null":                       {"f INT64 a", `{"a":null}`, "NULL", false},
		"a whole number in a string": {"f INT64 a", `{"a":" 42 "}`, "42", false},
		"beyond INT64":               {"f INT64 a", `{"a":9223372036854775808}`, "NULL", true},
		"a float":                    {"f FLOAT64 a", `{"a":-1.25e2}`, "-125.0", false},
		"NaN":                        {"f FLOAT64 a", `{"a":"NaN"}`, "NULL", true},
		"the largest NUMERIC":        {"f NUMERIC a", `{"a":99999999999999999999999999999.999999999}`, "99999999999999999999999999999.999999999", false},
		"the least NUMERIC":          {"f NUMERIC a", `{"a":-99999999999999999999999999999.999999999}`, "-99999999999999999999999999999.999999999", false},
		"too many digits":            {"f NUMERIC a", `{"a":0.1234567891}`, "NULL", true},
		"a boolean in a string":      {"f BOOL a", `{"a":"False"}`, "false", false},
		"a date before 1970":         {"f DATE a", `{"a":"0001-01-01"}`, "0001-01-01", false},
		"no date":                    {"f DATE a", `{"a":"2023-02-29"}`, "NULL", true},
		"a time":                     {"f TIMESTAMP a", `{"a":"2026-11-20T10:00:00.1234567+01:00"}`, "2026-11-20 09:00:00.123456", false},
		"a time in milliseconds":     {"f TIMESTAMP a", `{"a":1795258675123}`, "2026-11-21 10:57:55.123", false},
		"nested":                     {"f STRING a.b.c", `{"a":{"b":{"c":"x"}}}`, "x", false},
		"a list on the way":          {"f STRING a.b", `{"a":[{"b":"first"},{"b":"second"}]}`, "first", false},
		"no metadata":                {"f STRING a", `null`, "NULL", false},
	} {
		names = append(names, name)
		cases = append(cases, test)
	}
	stored, filled := openMemory(t), openMemory(t)
	plain, typed := make(sqlq.Tables, len(cases)), make(sqlq.Tables, len(cases))
	for i, test := range cases {
		plain[i], typed[i] = orders(), orders(test.field)
		plain[i].Name, plain[i].Aliases = "source_"+strconv.Itoa(i), nil
		typed[i].Name, typed[i].Aliases = plain[i].Name, nil
	}
	declare(t, stored, typed...)
	declare(t, filled, plain...)
	for i, test := range cases {
		mistyped := addTo(t, stored, plain[i].Name, 0, test.metadata)
		assert.Equal(t, test.mistyped, len(mistyped) > 0, names[i])
		addTo(t, filled, plain[i].Name, 0, test.metadata)
	}
	declare(t, filled, typed...)
	_, err := filled.Fill(t.Context(), nil)
	require.NoError(t, err)
	for i, test := range cases {
		assert.Equal(t, test.want, valuesOf(t, stored, plain[i].Name, "f"), names[i])
		assert.Equal(t, test.want, valuesOf(t, filled, plain[i].Name, "f"), "%s, filled", names[i])
	}
}

func fill(t *testing.T, store *logstore.Store) {
	t.Helper()
	filled, err := store.Fill(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"orders"}, filled)
}

// Several fields of one object are read together, also a field of an object and of a member in it.
func TestFieldsShareObjects(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	declare(t, store, orders("city STRING customer.address.city", "zip INT64 customer.address.zip", "again STRING customer.address.city", "customer STRING customer"))
	mistyped := addOrders(t, store, 0, `{"customer":{"address":{"zip":"12","city":"x"}}}`, `{"customer":"c"}`)
	assert.Equal(t, "x NULL", valuesIn(t, store, "city"))
	assert.Equal(t, "12 NULL", valuesIn(t, store, "zip"))
	assert.Equal(t, "x NULL", valuesIn(t, store, "again"))
	assert.Equal(t, "NULL c", valuesIn(t, store, "customer"))
	assert.Equal(t, map[eventrow.MistypedField]int{{Name: "customer", Want: "a string"}: 1}, mistyped)
}

// A store keeps what is declared, and so knows its tables without it. A field that is declared later is filled
// for the events from before; those that arrive before it is filled have it from the start.
func TestDeclareLater(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	declare(t, store, orders("amount INT64 amount"))
	addOrders(t, store, 0, `{"amount":1,"country":"de"}`, `{"amount":2}`)
	require.NoError(t, store.Close())

	store = open(t, directory)
	table, found := store.Tables().FindSource("shop.orders.prod")
	require.True(t, found)
	assert.Equal(t, "shop", table.ProjectMember)
	addOrders(t, store, 2, `{"amount":3,"country":"fr"}`)
	declare(t, store, orders("amount INT64 amount", "country STRING country"))
	addOrders(t, store, 3, `{"amount":4,"country":"it"}`)
	assert.Equal(t, "1 2 3 4", valuesIn(t, store, "amount"))
	assert.Equal(t, "NULL NULL NULL it", valuesIn(t, store, "country"))

	query := &sqlq.SavedQuery{SQL: "SELECT Country FROM orders", Tables: store.Tables()}
	other := &sqlq.SavedQuery{SQL: "SELECT amount FROM orders", Tables: store.Tables()}
	err := store.CheckFilled(query)
	require.EqualError(t, err, "the new field country of orders is being filled from the metadata of its events, of which 0 % are done; try again later")
	assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
	require.NoError(t, store.CheckFilled(other))
	require.NoError(t, store.Close())

	store = open(t, directory)
	assert.Zero(t, store.Filled("orders", "country"))
	require.Error(t, store.CheckFilled(query), "after a restart")
	fill(t, store)
	assert.Equal(t, "de NULL fr it", valuesIn(t, store, "country"))
	require.NoError(t, store.CheckFilled(query))
	assert.InDelta(t, 1, store.Filled("orders", "country"), 0)
	filled, err := store.Fill(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, filled)
	require.NoError(t, store.Close())
}

// A field that has stored values cannot disappear, or become another one, without being dropped.
func TestDeclareMistakes(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	declare(t, store, orders("a INT64 x.a", "b STRING b"))
	declare(t, store, orders("c INT64 c")) // it has no events
	declare(t, store, orders("a INT64 x.a", "b STRING b"))
	addOrders(t, store, 0, `{"x":{"a":1},"b":"x"}`)
	for _, test := range []struct {
		fields []string
		want   string
	}{
		{[]string{"a INT64 x.a"}, `tables/orders/table.yaml:1:7: the store has values of a field b (STRING, path metadata.b) that is not declared any more; declare it again, or remove the stored values with "savedq store drop-field orders.b"`},
		{[]string{"a FLOAT64 x.a", "b STRING b"}, `tables/orders/table.yaml:4:5: the stored values of the field a have the type INT64, not FLOAT64; give the field of the new type another name, or remove the stored values with "savedq store drop-field orders.a"`},
		{[]string{"a INT64 a", "b STRING b"}, `tables/orders/table.yaml:4:5: the stored values of the field a were read from metadata.x.a; give the field of the new path another name, or remove the stored values with "savedq store drop-field orders.a"`},
	} {
		require.EqualError(t, store.Declare(t.Context(), sqlq.Tables{orders(test.fields...)}), test.want)
	}
	require.NoError(t, store.DropField(t.Context(), "orders", "b"))
	declare(t, store, orders("a INT64 x.a", "b INT64 b"))
	fill(t, store)
	assert.Equal(t, "1", valuesIn(t, store, "a"))
	assert.Equal(t, "NULL", valuesIn(t, store, "b"))
	require.EqualError(t, store.DropField(t.Context(), "orders", "nosuch"), "the store has no field orders.nosuch")
	require.EqualError(t, store.DropField(t.Context(), "edge_logs", "id"), "the store has no field edge_logs.id")
}

// Filling can be interrupted after any step, and continues.
func TestFillIsInterrupted(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	declare(t, store, orders())
	var metadata, want []string
	const events, reopened = 40, 8
	for i := range events {
		metadata, want = append(metadata, fmt.Sprintf(`{"n":%d}`, i)), append(want, strconv.Itoa(i))
	}
	addOrders(t, store, 0, metadata...)
	declare(t, store, orders("n INT64 n"))
	errInterrupted := errors.New("interrupted")
	for attempt := 1; ; attempt++ {
		_, err := store.Fill(t.Context(), func(context.Context) error { return errInterrupted })
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errInterrupted)
		require.Less(t, attempt, 2*events)
		if attempt%reopened == 0 {
			require.NoError(t, store.Close())
			store = open(t, directory)
		}
	}
	assert.Equal(t, strings.Join(want, " "), valuesIn(t, store, "n"))
	require.NoError(t, store.Close())
}

// Own sources take part in all that the store does: deduplication, deletion by project, statistics, clustering.
func TestOwnSourceInTheStore(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	declare(t, store, orders("shop STRING shop", "n INT64 n"))
	var metadata []string
	const events = 4200
	for i := range events {
		metadata = append(metadata, fmt.Sprintf(`{"shop":"s%d","n":%d}`, i%3, i))
	}
	addOrders(t, store, 0, metadata...)
	addOrders(t, store, 0, metadata[0])
	before := valuesIn(t, store, "n")
	require.NoError(t, store.Cluster(t.Context(), logstore.Clustering{Before: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}))
	assert.Equal(t, before, valuesIn(t, store, "n"))
	var projects int
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM (SELECT shop, lag(shop) OVER (ORDER BY rowid) AS last FROM orders WHERE timestamp < '2026-11-21') WHERE shop IS DISTINCT FROM last").Scan(&projects))
	assert.Equal(t, 3, projects, "rows of a project are together")

	stats, err := store.Stats(t.Context(), time.Now())
	require.NoError(t, err)
	last := stats.Sources[len(stats.Sources)-1]
	assert.Equal(t, "orders", last.Source)
	assert.EqualValues(t, events, last.Events)

	table, _ := store.Tables().FindSource("orders")
	deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: table, Project: "s1"})
	require.NoError(t, err)
	assert.EqualValues(t, events/3, deleted)
}

// What is declared survives in JSON whose names must not change.
func TestDefinitionsStayReadable(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	declare(t, store, orders("a INT64 x.a"))
	var definition string
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT definition FROM own_tables").Scan(&definition))
	assert.JSONEq(t, `{"name":"orders","aliases":["shop.orders.prod"],"project_member":"shop","fields":[{"name":"a","type":"INT64","path":["x","a"]}]}`, definition)
	assert.True(t, json.Valid([]byte(definition)))
}

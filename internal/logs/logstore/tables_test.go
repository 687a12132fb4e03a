package logstore_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/eventrow"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// D22: nine sources, each under two names.
func TestFindSource(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	assert.Len(t, shippedTables(), 9)
	for _, source := range shippedTables() {
		for _, name := range []string{source.Name, source.Aliases[0]} {
			found, ok := store.Tables().FindSource(name)
			assert.True(t, ok)
			assert.Equal(t, source.Name, found.Name)
		}
	}
	for _, name := range []string{"", "EDGE_LOGS", "cloudflare", "store_info", "all_logs"} {
		_, ok := store.Tables().FindSource(name)
		assert.False(t, ok, name)
	}
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
	openBoth(t, func(t *testing.T, stored *logstore.Store, _ func()) {
		t.Helper()
		filled := openMemory(t)
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
	})
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

// A store keeps what is declared, and so knows its tables without it. A field that is declared later is filled for the
// events from before, also for those in memory; those that arrive before it is filled have it from the start.
func TestDeclareLater(t *testing.T) {
	t.Parallel()
	for name, inMemory := range map[string]bool{"in parts": false, "in memory": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			store := open(t, directory)
			arrive := func(from int, metadata ...string) {
				table, found := store.Tables().FindSource("orders")
				require.True(t, found)
				if inMemory {
					ingestEvents(t, store, table, ordersOf(t, from, metadata...)...)
				} else {
					addOrders(t, store, from, metadata...)
				}
			}
			reopen := func() {
				if !inMemory {
					require.NoError(t, store.Close())
					store = open(t, directory)
				}
			}
			declare(t, store, orders("amount INT64 amount"))
			arrive(0, `{"amount":1,"country":"de"}`, `{"amount":2}`)
			reopen()
			table, found := store.Tables().FindSource("shop.orders.prod")
			require.True(t, found)
			assert.Equal(t, "shop", table.ProjectMember)
			arrive(2, `{"amount":3,"country":"fr"}`)
			declare(t, store, orders("amount INT64 amount", "country STRING country"))
			arrive(3, `{"amount":4,"country":"it"}`)
			assert.Equal(t, "1 2 3 4", valuesIn(t, store, "amount"))
			assert.Equal(t, "NULL NULL NULL it", valuesIn(t, store, "country"))

			query := &sqlq.SavedQuery{SQL: "SELECT Country FROM orders", Tables: store.Tables()}
			other := &sqlq.SavedQuery{SQL: "SELECT amount FROM orders", Tables: store.Tables()}
			err := store.CheckFilled(query)
			require.ErrorContains(t, err, "the new field country of orders is being filled from the metadata of its events; ")
			require.ErrorContains(t, err, " parts of the store are left; try again later")
			assert.Equal(t, sqlq.Unavailable, sqlq.AsError(err).Code)
			require.NoError(t, store.CheckFilled(other))
			reopen()
			require.Error(t, store.CheckFilled(query), "after a restart")
			fill(t, store)
			assert.Equal(t, "de NULL fr it", valuesIn(t, store, "country"))
			require.NoError(t, store.CheckFilled(query))
			filled, err := store.Fill(t.Context(), nil)
			require.NoError(t, err)
			assert.Empty(t, filled)
			require.NoError(t, store.Close())
			store = open(t, directory)
			assert.Equal(t, "de NULL fr it", valuesIn(t, store, "country"))
			require.NoError(t, store.Close())
		})
	}
}

// A field that has stored values cannot disappear, or become another one, without being dropped.
func TestDeclareMistakes(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, _ func()) {
		t.Helper()
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
		assert.Equal(t, "x", valuesIn(t, store, "b"), "nothing has changed")
		require.NoError(t, store.DropField(t.Context(), "orders", "b"))
		declare(t, store, orders("a INT64 x.a", "b INT64 b"))
		assert.Equal(t, "NULL", valuesIn(t, store, "b"))
		fill(t, store)
		assert.Equal(t, "1", valuesIn(t, store, "a"))
		assert.Equal(t, "NULL", valuesIn(t, store, "b"))
		require.EqualError(t, store.DropField(t.Context(), "orders", "nosuch"), "the store has no field orders.nosuch")
		require.EqualError(t, store.DropField(t.Context(), "edge_logs", "id"), "the store has no field edge_logs.id")
	})
}

// Filling can be interrupted after any step, and continues.
func TestFillIsInterrupted(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	declare(t, store, orders())
	var want []string
	const events, reopened = 12, 4
	for i := range events { // a part each
		addOrders(t, store, i, fmt.Sprintf(`{"n":%d}`, i))
		want = append(want, strconv.Itoa(i))
	}
	declare(t, store, orders("n INT64 n"))
	errInterrupted := errors.New("interrupted")
	attempts := 0
	for {
		_, err := store.Fill(t.Context(), func(context.Context) error { return errInterrupted })
		if err == nil {
			break
		}
		require.ErrorIs(t, err, errInterrupted)
		attempts++
		require.Less(t, attempts, 2*events)
		assert.NotEqual(t, strings.Join(want, " "), valuesIn(t, store, "n"))
		if attempts%reopened == 0 {
			require.NoError(t, store.Close())
			store = open(t, directory)
		}
	}
	assert.Equal(t, events-1, attempts)
	assert.Equal(t, strings.Join(want, " "), valuesIn(t, store, "n"))
	require.NoError(t, store.Close())
}

// Own sources take part in all that the store does: deduplication, merging, deletion by project, statistics.
func TestOwnSourceInTheStore(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
		t.Helper()
		declare(t, store, orders("shop STRING shop", "n INT64 n"))
		var metadata []string
		const events = 4200
		for i := range events {
			metadata = append(metadata, fmt.Sprintf(`{"shop":"s%d","n":%d}`, i%3, i))
		}
		addOrders(t, store, 0, metadata...)
		addOrders(t, store, 0, metadata[0])
		before := valuesIn(t, store, "n")
		seal()
		_, err := store.Merge(t.Context(), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), nil)
		require.NoError(t, err)
		assert.Equal(t, before, valuesIn(t, store, "n"))
		assert.Equal(t, []string{strconv.Itoa(events)}, texts(t, store, "SELECT count(*)::VARCHAR FROM all_logs WHERE source = 'orders' AND source_alias = 'shop.orders.prod'"))

		stats, err := store.Stats(t.Context(), noon)
		require.NoError(t, err)
		last := stats.Sources[len(stats.Sources)-1]
		assert.Equal(t, "orders", last.Source)
		assert.EqualValues(t, events, last.Events)

		table, _ := store.Tables().FindSource("orders")
		deleted, err := store.Delete(t.Context(), logstore.Deletion{Source: table, Project: "s1"})
		require.NoError(t, err)
		assert.EqualValues(t, events/3, deleted)
		assert.Equal(t, []string{"s0", "s2"}, texts(t, store, "SELECT DISTINCT shop FROM orders ORDER BY ALL"))
	})
}

// A source can have any name that is not reserved, also one that the store uses for something else.
func TestNamesOfOwnSources(t *testing.T) {
	t.Parallel()
	openBoth(t, func(t *testing.T, store *logstore.Store, seal func()) {
		t.Helper()
		var own sqlq.Tables
		for _, name := range []string{"events", "records", "recent1", "recent2", "part1", "part2", "new1", "memory", "main", "state", "old", "temp", "system"} {
			if tables.IsReserved(name) {
				continue
			}
			table := orders("events STRING a", "records STRING a", "part1 STRING a", "source STRING a", "of_project STRING a", "accepted STRING a", "project_key STRING a")
			table.Name, table.Aliases = name, nil
			own = append(own, table)
		}
		require.NotEmpty(t, own)
		declare(t, store, own...)
		check := func() {
			t.Helper()
			for _, table := range own {
				for _, field := range table.Fields {
					assert.Equal(t, "x y", valuesOf(t, store, table.Name, table.Name+"."+field.Name), "%s.%s", table.Name, field.Name)
				}
			}
		}
		for i, value := range []string{"x", "y"} {
			for _, table := range own {
				addTo(t, store, table.Name, i, `{"a":"`+value+`"}`)
			}
		}
		check()
		seal()
		_, err := store.Merge(t.Context(), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), nil)
		require.NoError(t, err)
		check()
	})
}

// No table or field can have a name that DuckDB reads as something else, or that a table of the store has.
func TestReservedNames(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	names := texts(t, store, `SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category IN ('reserved', 'type_function')
		UNION SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' UNION SELECT view_name FROM duckdb_views() WHERE NOT internal AND NOT contains(view_name, '#')`) // no table has a name with one
	for _, name := range names {
		_, isSource := shippedTables().FindSource(name)
		assert.True(t, tables.IsReserved(name) || isSource, name)
	}
	assert.Greater(t, len(names), 90)
}

// Declarations are kept as JSON, whose names must not change.
func TestDefinitionsStayReadable(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store := open(t, directory)
	declare(t, store, orders("a INT64 x.a"))
	require.NoError(t, store.Close())
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	assert.JSONEq(t, `[{"name":"orders","aliases":["shop.orders.prod"],"project_member":"shop","fields":[{"name":"a","type":"INT64","path":["x","a"]}]}]`, string(manifest.Tables))
}

// A store whose tables change often has no more schemas in memory than it needs.
func TestDeclareOftenNeedsNoMemory(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	for i := range 20 {
		declare(t, store, orders("n INT64 n"))
		if i%2 == 1 {
			require.NoError(t, store.DropField(t.Context(), "orders", "n"))
		}
	}
	assert.Equal(t, []string{"1"}, texts(t, store, "SELECT count(*)::VARCHAR FROM duckdb_schemas() WHERE schema_name LIKE 'recent%'"))
}

// A field that is dropped and becomes another one while its events are written to a part has no old values there.
func TestFieldChangesWhileAPartIsWritten(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(store *logstore.Store){
		"seal": func(store *logstore.Store) {
			table, _ := store.Tables().FindSource("orders")
			ingestEvents(t, store, table, ordersOf(t, 0, `{"n":1,"m":2}`)...)
			_, err := store.Checkpoint(t.Context())
			require.NoError(t, err)
		},
		"load": func(store *logstore.Store) { addOrders(t, store, 0, `{"n":1,"m":2}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var store *logstore.Store
			changed := false
			store = open(t, t.TempDir(), logstore.WithSteps(func(step string) error {
				if step != "checkpoint a part" || changed {
					return nil
				}
				changed = true
				if err := store.DropField(t.Context(), "orders", "n"); err != nil {
					return err
				}
				return store.Declare(t.Context(), sqlq.Tables{orders("n STRING m")})
			}))
			declare(t, store, orders("n INT64 n"))
			write(store)
			require.True(t, changed)
			assert.Equal(t, "NULL", valuesIn(t, store, "n"))
			fill(t, store)
			assert.Equal(t, "2", valuesIn(t, store, "n"))
			require.NoError(t, store.Close())
		})
	}
}

// Rows of tests stay when tables are declared.
func TestDeclareKeepsRows(t *testing.T) {
	t.Parallel()
	store := openMemory(t)
	require.NoError(t, store.AddRow(t.Context(), "edge_logs", []string{"id", "timestamp"}, []any{"1", noon}))
	declare(t, store, orders())
	assert.Equal(t, []string{"1"}, texts(t, store, "SELECT id FROM edge_logs"))
}

// DuckDB's parser limits the depth of what it reads, and a server can have many tables.
func TestManyTables(t *testing.T) {
	t.Parallel()
	store := openFile(t)
	many := make(sqlq.Tables, 500)
	for i := range many {
		many[i] = orders("n INT64 n")
		many[i].Name, many[i].Aliases = fmt.Sprintf("orders_%d", i), nil
	}
	declare(t, store, many...)
	addTo(t, store, "orders_499", 0, `{"n":1}`)
	ingestEvents(t, store, many[0], ordersOf(t, 0, `{"n":2}`)...)
	_, err := store.Checkpoint(t.Context())
	require.NoError(t, err)
	stats, err := store.Stats(t.Context(), noon)
	require.NoError(t, err)
	assert.Len(t, stats.Sources, 9+len(many))
	newest, found, err := store.Newest(t.Context())
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), newest)
	assert.Equal(t, []string{"1"}, texts(t, store, "SELECT n::VARCHAR FROM orders_499"))
}

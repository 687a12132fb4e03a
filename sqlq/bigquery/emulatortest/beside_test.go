package emulatortest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/sqlq"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb"
	"savedq/sqlq/sqlqtest"
	"savedq/sqlq/tables"
)

// besideDuckDB is an engine that puts every question to DuckDB too, on the same
// logs, and fails if the results differ.
type besideDuckDB struct {
	sqlq.Engine
	duckDB  sqlq.Engine
	queries *catalog.Catalog
	// compared counts the results that were the same.
	compared *atomic.Int64
}

// Run returns the engine's result, which must be DuckDB's too.
func (b besideDuckDB) Run(ctx context.Context, statement sqlq.Statement) (*sqlq.Result, error) {
	result, err := b.Engine.Run(ctx, statement)
	if err != nil {
		return nil, err
	}
	name := statement.Query.Name
	query, found := b.queries.Find(name)
	if !found {
		return nil, fmt.Errorf("DuckDB has no saved query %s", name)
	}
	limited := *query
	limited.MaxRows = statement.Query.MaxRows
	statement.Query = &limited
	duckDBs, err := b.duckDB.Run(ctx, statement)
	if err != nil {
		return nil, fmt.Errorf("DuckDB: %w", err)
	}
	if difference := differenceOf(duckDBs, result); difference != "" {
		return nil, fmt.Errorf("%s: DuckDB and BigQuery differ: %s", name, difference)
	}
	b.compared.Add(1)
	return result, nil
}

// differenceOf returns how two results differ; empty when they do not.
func differenceOf(want, got *sqlq.Result) string {
	if want.Truncated != got.Truncated {
		return fmt.Sprintf("truncated: want %t, got %t", want.Truncated, got.Truncated)
	}
	if len(want.Rows) != len(got.Rows) {
		return fmt.Sprintf("number of rows: want %d, got %d", len(want.Rows), len(got.Rows))
	}
	for i := range want.Rows {
		for j, column := range want.Columns {
			if want, got := want.Rows[i][j], got.Rows[i][j]; !sameValue(want, got) {
				return fmt.Sprintf("row %d, column %s: want %v, got %v", i, column.Name, show(want), show(got))
			}
		}
	}
	return ""
}

// sameValue reports whether two engines mean the same value. Both percentiles are
// exact here, so that only a mean may differ, by the rounding of its sum; and
// typed metadata tells nothing that is missing from nothing that is there.
func sameValue(want, got any) bool {
	switch want := want.(type) {
	case float64:
		const relative = 1e-9
		got, isFloat := got.(float64)
		return isFloat && math.Abs(want-got) <= relative*max(math.Abs(want), math.Abs(got))
	case time.Time:
		got, isTime := got.(time.Time)
		return isTime && want.Equal(got)
	case json.RawMessage:
		got, isJSON := got.(json.RawMessage)
		return isJSON && reflect.DeepEqual(metadataOfText(want), metadataOfText(got))
	case nil:
		text, isJSON := got.(json.RawMessage)
		return got == nil || isJSON && string(text) == "[]"
	default:
		return want == got
	}
}

// metadataOfText reads JSON, its numbers as values and not as spellings, without
// the fields that are null or an empty list.
func metadataOfText(text json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return err // equals nothing but the same mistake
	}
	return withoutNothing(value)
}

func withoutNothing(value any) any {
	switch value := value.(type) {
	case json.Number:
		if number, isNumber := new(big.Rat).SetString(value.String()); isNumber {
			return number.RatString()
		}
		return value
	case map[string]any:
		maps.DeleteFunc(value, func(_ string, field any) bool {
			list, isList := field.([]any)
			return field == nil || isList && len(list) == 0
		})
		for name, field := range value {
			value[name] = withoutNothing(field)
		}
		return value
	case []any:
		for i, element := range value {
			value[i] = withoutNothing(element)
		}
		return value
	default:
		return value
	}
}

// show renders a value for a message.
func show(value any) string {
	if text, isJSON := value.(json.RawMessage); isJSON {
		return string(text)
	}
	return fmt.Sprintf("%T %v", value, value)
}

// openDuckDB returns DuckDB on a store that holds the logs.
func openDuckDB(tb testing.TB, logs sqlqtest.Logs) sqlq.Engine {
	tb.Helper()
	store, err := logstore.Open(tb.Context(), tb.TempDir(), "")
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, store.Close()) })
	transaction, err := store.Begin(tb.Context(), logstore.Sent)
	require.NoError(tb, err)
	for table, events := range logs {
		source, found := tables.Shipped().FindSource(table)
		require.True(tb, found, table)
		for _, event := range events {
			require.NoError(tb, transaction.Add(tb.Context(), source, logevent.Event(event)))
		}
	}
	require.NoError(tb, transaction.Commit(tb.Context()))
	return duckdb.New(store.DB())
}

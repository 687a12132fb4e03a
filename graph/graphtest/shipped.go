// Package graphtest holds the handwritten schema of the shipped saved queries and builds
// schemas for tests. Only tests may import it.
package graphtest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
)

// shipped reads the shipped saved queries once.
var shipped = sync.OnceValues(func() (*catalog.Catalog, error) { //nolint:gochecknoglobals // Only tests use it, and what it holds never changes.
	return graph.ReadCatalog(duckdbsql.Dialect{})
})

// Shipped returns the shipped saved queries with the names of the schema. All tests share them: one that
// changes a saved query must read a catalog of its own.
func Shipped(tb testing.TB) *catalog.Catalog {
	tb.Helper()
	read, err := shipped()
	require.NoError(tb, err)
	return read
}

// These build the schemas of the shipped saved queries once.
var (
	shippedSchema = sync.OnceValues(func() (*graph.Schema, error) { return build(graph.NewSchema) })      //nolint:gochecknoglobals // It is immutable.
	boundSchema   = sync.OnceValues(func() (*graph.Schema, error) { return build(graph.NewBoundSchema) }) //nolint:gochecknoglobals // It is immutable.
)

func build(schemaOf func(*catalog.Catalog) (*graph.Schema, error)) (*graph.Schema, error) {
	catalog, err := shipped()
	if err != nil {
		return nil, err
	}
	return schemaOf(catalog)
}

// ShippedSchema returns the schema of the shipped saved queries, which all tests share.
func ShippedSchema(tb testing.TB) *graph.Schema {
	tb.Helper()
	schema, err := shippedSchema()
	require.NoError(tb, err)
	return schema
}

// SchemaOf returns the schema of a catalog.
func SchemaOf(tb testing.TB, catalog *catalog.Catalog) *graph.Schema {
	tb.Helper()
	schema, err := graph.NewSchema(catalog)
	require.NoError(tb, err)
	return schema
}

// BoundShippedSchema returns the schema of the shipped saved queries for callers with bound parameters.
func BoundShippedSchema(tb testing.TB) *graph.Schema {
	tb.Helper()
	schema, err := boundSchema()
	require.NoError(tb, err)
	return schema
}

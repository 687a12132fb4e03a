// Package graphtest holds the handwritten schema of the shipped saved queries and builds
// schemas for tests. Only tests may import it.
package graphtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/graph"
	"savedq/sqlq/catalog"
	"savedq/sqlq/duckdb/duckdbsql"
	"savedq/sqlq/sqlqtest"
)

// ShippedSchema returns the schema of the shipped saved queries.
func ShippedSchema(tb testing.TB) *graph.Schema {
	tb.Helper()
	catalog := sqlqtest.Shipped(tb, duckdbsql.Dialect{})
	return SchemaOf(tb, catalog)
}

// SchemaOf returns the schema of a catalog.
func SchemaOf(tb testing.TB, catalog *catalog.Catalog) *graph.Schema {
	tb.Helper()
	schema, err := graph.NewSchema(catalog)
	require.NoError(tb, err)
	return schema
}

// BoundSchemaOf returns the schema of a catalog for callers with bound parameters.
func BoundSchemaOf(tb testing.TB, catalog *catalog.Catalog) *graph.Schema {
	tb.Helper()
	schema, err := graph.NewBoundSchema(catalog)
	require.NoError(tb, err)
	return schema
}

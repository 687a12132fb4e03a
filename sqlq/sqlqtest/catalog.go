package sqlqtest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"savedq/sqlq"
	"savedq/sqlq/catalog"
)

// catalogs are the shipped saved queries by dialect. Catalogs are immutable, and reading one
// takes longer than most tests.
var catalogs sync.Map //nolint:gochecknoglobals // Only tests use it, and what it holds never changes.

// Shipped returns the shipped saved queries in a dialect. All tests share them: one that changes a
// saved query must read a catalog of its own.
func Shipped(tb testing.TB, dialect sqlq.Dialect) *catalog.Catalog {
	tb.Helper()
	if known, ok := catalogs.Load(dialect); ok {
		return known.(*catalog.Catalog) //nolint:forcetypeassert // Nothing else is stored.
	}
	read, err := catalog.Read(dialect)
	require.NoError(tb, err)
	catalogs.Store(dialect, read)
	return read
}

package server

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/sqlq/duckdb/duckdbsql"
)

// The demo has a saved query whose alerts can be read, and which no other server has.
func TestAlertsOfTheDemo(t *testing.T) {
	t.Parallel()
	for _, isDemo := range []bool{false, true} {
		server := New(Config{Demo: isDemo, Logger: slog.New(slog.DiscardHandler)})
		read, mistakes, err := server.config.Queries.Read(duckdbsql.Dialect{})
		require.NoError(t, err)
		require.Empty(t, mistakes)
		query, found := read.Find("demo.server-errors")
		require.Equal(t, isDemo, found)
		if isDemo {
			assert.Len(t, query.Alerts, 2)
		}
		require.NoError(t, server.Close())
	}
}

// A demo that is restarted does not claim to have added something.
func TestFilled(t *testing.T) {
	t.Parallel()
	for events, want := range map[int]string{
		0: "./data already holds the demo events of the projects default, acme and globex.",
		1: "Added 1 demo event of the projects default, acme and globex in 3.1s.",
		2: "Added 2 demo events of the projects default, acme and globex in 3.1s.",
	} {
		assert.Equal(t, want, filled(events, "./data", 3120*time.Millisecond))
	}
}

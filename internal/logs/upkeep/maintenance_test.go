package upkeep_test

import (
	"database/sql/driver"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

// D22: sources have several names wherever operators name them. Rejected events can also have names that no
// source has.
func TestSourcesByAnyName(t *testing.T) {
	t.Parallel()
	store, err := logstore.OpenEmpty(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	require.NoError(t, store.Declare(t.Context(), sqlq.Tables{{Name: "orders", Aliases: []string{"shop.orders.prod"}}}))
	rejected := []logevent.Rejected{{Source: "edge_logs", Received: time.Now()}, {Source: "orders", Received: time.Now()}, {Source: "nothing", Received: time.Now()}}
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Rejected: rejected, Events: func(func(logstore.Accepted) bool) {}}))
	local := &upkeep.Local{Store: store, Clock: time.Now}
	for name, want := range map[string]string{"cloudflare.logs.prod": "edge_logs", "edge_logs": "edge_logs", "shop.orders.prod": "orders", "nothing": "nothing"} {
		var got []string
		require.NoError(t, local.Rejected(t.Context(), logstore.RejectedFilter{Source: name}, func(event logevent.Rejected) error {
			got = append(got, event.Source)
			return nil
		}))
		assert.Equal(t, []string{want}, got, name)
	}

	deleted, err := local.Delete(t.Context(), upkeep.Erasure{Project: "acme", Sources: []string{"orders", "shop.orders.prod", "gotrue.logs.prod"}})
	require.NoError(t, err)
	assert.Equal(t, []upkeep.Deleted{{Source: "orders"}, {Source: "auth_logs"}}, deleted)
	deleted, err = local.Delete(t.Context(), upkeep.Erasure{Project: "acme"})
	require.NoError(t, err)
	assert.Len(t, deleted, len(tables.Shipped())+1)
	_, err = local.Delete(t.Context(), upkeep.Erasure{Project: "acme", Sources: []string{"edge"}})
	require.EqualError(t, err, `sources: "edge" is not a log source; the log sources are `+tables.Shipped().SourceList()+", orders (shop.orders.prod)")
	_, err = local.Delete(t.Context(), upkeep.Erasure{Project: "acme", Sources: []string{"order"}})
	require.EqualError(t, err, `sources: "order" is not a log source; did you mean orders?`)
	assert.Equal(t, sqlq.InvalidArgument, sqlq.AsError(err).Code)
}

// Who deletes a project deletes what was asked about it, too, but not with the events of some sources only.
func TestDeleteRunsOfAProject(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		erasure upkeep.Erasure
		left    int
	}{
		"all":          {upkeep.Erasure{Project: "acme"}, 2},
		"before":       {upkeep.Erasure{Project: "acme", Before: at.Add(time.Second)}, 3},
		"some sources": {upkeep.Erasure{Project: "acme", Sources: []string{"edge_logs"}}, 4},
		"a dry run":    {upkeep.Erasure{Project: "acme", DryRun: true}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := logstore.OpenEmpty(t.Context())
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, store.Close()) })
			var runs [][]driver.Value
			for i, project := range []driver.Value{"acme", "acme", "globex", nil} {
				runs = append(runs, []driver.Value{at.Add(time.Duration(i) * time.Second), "logs.all", "rest", "t", "someone", project, "a", "HIT", int64(1), int64(1), 1.5, nil})
			}
			require.NoError(t, store.AddRuns(t.Context(), runs))
			_, err = (&upkeep.Local{Store: store, Clock: time.Now}).Delete(t.Context(), test.erasure)
			require.NoError(t, err)
			var left int
			require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM savedq_runs").Scan(&left))
			assert.Equal(t, test.left, left)
		})
	}
}

package upkeep_test

import (
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
	require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Rejected: rejected, Events: func(func(*sqlq.Table, logevent.Event) bool) {}}))
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

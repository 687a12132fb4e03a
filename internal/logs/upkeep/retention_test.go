package upkeep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/upkeep"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

const day = 24 * time.Hour

func parse(text string) (time.Duration, error) {
	if text == "90d" {
		return 90 * day, nil
	}
	duration, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration", text)
	}
	return duration, nil
}

// A source can have either of its names (D22).
func TestReadRetention(t *testing.T) {
	t.Parallel()
	durations, err := upkeep.ReadRetention("retention.yaml", []byte("# how long\nedge_logs: 90d\ngotrue.logs.prod: forever\n\"function_logs\": '1h'\n"), tables.Shipped(), parse)
	require.NoError(t, err)
	assert.Equal(t, map[string]time.Duration{"edge_logs": 90 * day, "auth_logs": 0, "function_logs": time.Hour}, durations)
	policy := upkeep.RetentionPolicy{Default: time.Hour, Sources: durations}
	for table, want := range map[string]time.Duration{"edge_logs": 90 * day, "auth_logs": 0, "postgres_logs": time.Hour} {
		source, _ := tables.Shipped().FindSource(table)
		assert.Equal(t, want, policy.Of(source), table)
	}
}

func TestReadRetentionReportsEveryMistake(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"empty":          {"", "retention.yaml: is empty"},
		"a list":         {"- edge_logs\n", "retention.yaml:1:1: must be a mapping with the keys edge_logs, cloudflare.logs.prod,"},
		"another source": {"edge_logs: 1h\nedge: 90d\n", `retention.yaml:2:1: unknown key "edge"; the keys are edge_logs, cloudflare.logs.prod,`},
		"twice":          {"edge_logs: 1h\nedge_logs: 2h\n", `retention.yaml:2:1: key "edge_logs" is given twice`},
		"by both names":  {"edge_logs: 1h\ncloudflare.logs.prod: 2h\n", "retention.yaml:2:23: cloudflare.logs.prod is the source edge_logs, which has a line already"},
		"no duration":    {"edge_logs: long\n", `retention.yaml:1:12: "long" is not a duration, or the word forever`},
		"a number":       {"edge_logs: 90\n", `retention.yaml:1:12: "90" is not a duration, or the word forever`},
		"nothing":        {"edge_logs:\n", `retention.yaml:1:12: "" is not a duration`},
		"a mapping":      {"edge_logs: {days: 1}\n", `retention.yaml:1:12: "" is not a duration`},
		"too short":      {"edge_logs: 59s\n", "retention.yaml:1:12: 59s is shorter than 1m0s; use a longer duration, or the word forever"},
		"negative":       {"edge_logs: -1h\n", "retention.yaml:1:12: -1h0m0s is shorter than 1m0s"},
		"two documents":  {"edge_logs: 1h\n---\nedge_logs: 2h\n", "retention.yaml:2:1: a retention file is one document; remove the second one"},
		"two mistakes":   {"edge_logs: x\nauth: 1h\n", "retention.yaml:1:12: \"x\" is not a duration, or the word forever\nretention.yaml:2:1: unknown key"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := upkeep.ReadRetention("retention.yaml", []byte(test.file), tables.Shipped(), parse)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestReadRetentionFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "retention.yaml")
	_, err := upkeep.ReadRetentionFile(path, tables.Shipped(), parse)
	require.EqualError(t, err, path+": cannot be read: no such file or directory")
	_, err = upkeep.ReadRetentionFile(t.TempDir(), tables.Shipped(), parse)
	require.ErrorContains(t, err, ": cannot be read: is a directory")
	require.NoError(t, os.WriteFile(path, []byte("#"+strings.Repeat(" ", 64<<10)), 0o600))
	_, err = upkeep.ReadRetentionFile(path, tables.Shipped(), parse)
	require.EqualError(t, err, path+": is larger than 65536 bytes")
}

// retentionStore records what a keeper does.
type retentionStore struct {
	sync.Mutex
	begun     time.Time
	deletions []string
	steps     int
	failing   error
	// ended is the number of deletions that have ended.
	ended int
}

func (*retentionStore) Tables() sqlq.Tables { return tables.Shipped() }

func (s *retentionStore) Delete(ctx context.Context, deletion logstore.Deletion) (int64, error) {
	s.Lock()
	s.deletions = append(s.deletions, deletion.Source.Name+" "+s.begun.Sub(deletion.Before).String())
	steps, failing := s.steps, s.failing
	s.Unlock()
	for range steps {
		if err := deletion.Between(ctx); err != nil {
			return 1, err
		}
	}
	s.Lock()
	defer s.Unlock()
	s.ended++
	return 2, failing
}

func (s *retentionStore) ForgetRejected(_ context.Context, before time.Time) error {
	s.Lock()
	defer s.Unlock()
	s.deletions = append(s.deletions, "rejected "+s.begun.Sub(before).String())
	return s.failing
}

func (s *retentionStore) Oldest(_ context.Context, source *sqlq.Table) (time.Time, bool, error) {
	s.Lock()
	defer s.Unlock()
	return s.begun, source.Name == "auth_logs", s.failing
}

type retentionCounts struct {
	sync.Mutex
	deleted map[string]int64
	oldest  map[string]time.Time
}

func (o *retentionCounts) EventsDeleted(source string, count int64) {
	o.Lock()
	defer o.Unlock()
	o.deleted[source] += count
}

func (o *retentionCounts) OldestEvent(source string, at time.Time) {
	o.Lock()
	defer o.Unlock()
	o.oldest[source] = at
}

// Each minute the keeper deletes what has become too old, by the policy of that moment.
func TestRetentionKeeper(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &retentionStore{begun: time.Now(), steps: 2}
		observer := &retentionCounts{deleted: make(map[string]int64), oldest: make(map[string]time.Time)}
		var log bytes.Buffer
		var policy atomic.Pointer[upkeep.RetentionPolicy]
		policy.Store(&upkeep.RetentionPolicy{Sources: map[string]time.Duration{"edge_logs": day, "auth_logs": 0}})
		ctx, stop := context.WithCancel(t.Context())
		keeper := upkeep.RetentionKeeper{Store: store, Policy: func() upkeep.RetentionPolicy { return *policy.Load() }, Clock: time.Now, Logger: slog.New(slog.NewTextHandler(&log, nil)), Observer: observer, Purge: func() {}}
		ended := make(chan struct{})
		go func() { keeper.Run(ctx); close(ended) }()
		synctest.Wait()
		time.Sleep(99 * time.Millisecond)
		synctest.Wait()
		store.Lock()
		assert.Zero(t, store.ended, "it pauses between steps")
		store.Unlock()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		store.Lock()
		observer.Lock()
		assert.Equal(t, []string{"edge_logs 24h0m0s"}, store.deletions)
		assert.Equal(t, 1, store.ended)
		assert.Equal(t, map[string]int64{"edge_logs": 2}, observer.deleted)
		assert.Len(t, observer.oldest, 9)
		assert.Equal(t, store.begun, observer.oldest["auth_logs"])
		assert.Zero(t, observer.oldest["edge_logs"])

		policy.Store(&upkeep.RetentionPolicy{Default: time.Hour, Sources: map[string]time.Duration{"postgres_logs": 0}})
		store.deletions, store.failing, store.steps = nil, errors.New("disk"), 0
		observer.Unlock()
		store.Unlock()
		time.Sleep(time.Minute)
		synctest.Wait()
		stop()
		<-ended
		assert.Len(t, store.deletions, 9, "it continues after a failure: %v", store.deletions)
		assert.Equal(t, "edge_logs 59m0s", store.deletions[0])
		assert.Equal(t, "rejected 59m0s", store.deletions[8])
		assert.Contains(t, log.String(), `level=WARN msg="old events were not deleted" error=disk`)
	})
}

// The cache is purged when another policy has deleted events, and not in every pass.
func TestRetentionKeeperPurges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var policy atomic.Pointer[upkeep.RetentionPolicy]
		policy.Store(&upkeep.RetentionPolicy{Default: day})
		purges, store := 0, &retentionStore{begun: time.Now(), failing: errors.New("disk")}
		ctx, stop := context.WithCancel(t.Context())
		keeper := upkeep.RetentionKeeper{
			Store: store, Policy: func() upkeep.RetentionPolicy { return *policy.Load() }, Clock: time.Now, Logger: slog.New(slog.DiscardHandler),
			Observer: &retentionCounts{deleted: make(map[string]int64), oldest: make(map[string]time.Time)}, Purge: func() { purges++ },
		}
		ended := make(chan struct{})
		go func() { keeper.Run(ctx); close(ended) }()
		synctest.Wait()
		for i, want := range []int{1, 2, 2, 3, 3} { // the first pass fails in part
			store.Lock()
			store.failing = nil
			store.Unlock()
			if i == 3 {
				policy.Store(&upkeep.RetentionPolicy{Default: day, Sources: map[string]time.Duration{"edge_logs": time.Hour}})
			}
			if i > 0 {
				time.Sleep(time.Minute)
			}
			synctest.Wait()
			assert.Equal(t, want, purges, i)
		}
		stop()
		<-ended
	})
}

// Stopping a server ends a deletion between two steps, without a warning.
func TestRetentionKeeperStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &retentionStore{begun: time.Now(), steps: 1_000_000}
		var log bytes.Buffer
		keeper := upkeep.RetentionKeeper{
			Store: store, Policy: func() upkeep.RetentionPolicy { return upkeep.RetentionPolicy{Default: day} }, Clock: time.Now, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Observer: &retentionCounts{deleted: make(map[string]int64), oldest: make(map[string]time.Time)}, Purge: func() {},
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		keeper.Run(ctx)
		assert.Equal(t, time.Second, time.Since(store.begun))
		assert.Empty(t, log.String())
	})
}

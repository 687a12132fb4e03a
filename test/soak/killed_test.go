package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/api/storehttp"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/internal/logs/upkeep"
)

const ingestSenders = 8

// killed is a data directory whose server is killed again and again, while senders send events, projects are deleted, old
// events are deleted, backups are made, parts are merged, and queries run.
type killed struct {
	t                          *testing.T
	binary, directory, queries string
	random                     *rand.Rand
	senders                    []*sender
	slowest                    time.Duration

	// Only one round at a time uses what follows.
	// undeleted are the projects of rounds whose deletion has not succeeded, and gone the ids of events that were
	// acknowledged before one that has.
	undeleted []string
	gone      map[string][]string
	// backup is the directory of the last backup that was complete, or "", and backedUp what was acknowledged before it.
	backup                     string
	backedUp                   map[string][]string
	deletions, backups, counts int
}

// countQuery counts the events that stay.
const countQuery = `SELECT 'edge_logs' AS source, COUNT(*) AS events, COUNT(DISTINCT id) AS ids FROM edge_logs WHERE project = 'kept' AND @caller IS NOT NULL
UNION ALL SELECT 'function_edge_logs', COUNT(*), COUNT(DISTINCT id) FROM function_edge_logs WHERE project = 'kept'`

func newKilled(t *testing.T) *killed {
	t.Helper()
	k := &killed{
		t: t, binary: program(t), directory: t.TempDir(), queries: t.TempDir(), gone: make(map[string][]string),
		random: rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano()))),
	}
	folder := filepath.Join(k.queries, "kept.count")
	require.NoError(t, os.Mkdir(folder, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.yaml"), []byte(`id: 00000000-0000-4000-8000-000000000001
name: kept.count
description: How many events there are of the project that stays.
cache: disabled
params: [{name: caller, type: INT64, required: true, description: Keeps the runs of callers apart.}]
columns:
  - {name: source, type: STRING, description: A source.}
  - {name: events, type: INT64, description: Its events.}
  - {name: ids, type: INT64, description: Their different ids.}
`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "query.sql"), []byte(countQuery), 0o600))
	for i := range ingestSenders {
		table := []string{"edge_logs", "function_edge_logs"}[i%2]
		k.senders = append(k.senders, &sender{name: strconv.Itoa(i), table: table, random: rand.New(rand.NewPCG(4, uint64(i))), acknowledged: make(map[string][]string)})
	}
	return k
}

// kept returns how many events that stay are acknowledged, by their table.
func (k *killed) kept() map[string]int {
	counts := make(map[string]int)
	for _, sender := range k.senders {
		counts[sender.table] += len(sender.of(keptProject))
	}
	return counts
}

// count asks a server how many of the events that stay it has, and checks that none is there twice. It returns nil if the
// server is dead or busy.
func (k *killed) count(ctx context.Context, url string) map[string]int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/endpoints/kept.count?caller=1", http.NoBody)
	if err != nil {
		assert.Fail(k.t, "a request", err)
		return nil
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusServiceUnavailable {
		return nil
	}
	var decoded struct {
		Result []struct {
			Source      string
			Events, IDs int
		}
	}
	if response.StatusCode != http.StatusOK || json.Unmarshal(body, &decoded) != nil {
		assert.Fail(k.t, "a response", "%s: %s", response.Status, body)
		return nil
	}
	counts := make(map[string]int)
	for _, row := range decoded.Result {
		assert.Equal(k.t, row.Events, row.IDs, "%s: no event is there twice", row.Source)
		counts[row.Source] = row.Events
	}
	return counts
}

// checkCounts counts until the server is dead. The counts include all that was acknowledged before the server started, and
// get no smaller.
func (k *killed) checkCounts(ctx context.Context, url string, least map[string]int) {
	for ctx.Err() == nil {
		counts := k.count(ctx, url)
		if counts == nil {
			continue
		}
		k.counts++
		for table, before := range least {
			assert.GreaterOrEqual(k.t, counts[table], before, "acknowledged events of %s are missing from a response", table)
		}
		least = counts
	}
}

// deleteProjects deletes the projects of earlier rounds, until the server is dead.
func (k *killed) deleteProjects(ctx context.Context, client *storehttp.Client) {
	for len(k.undeleted) > 0 && ctx.Err() == nil {
		project := k.undeleted[0]
		var before []string
		for _, sender := range k.senders {
			before = append(before, sender.of(project)...)
		}
		if _, err := client.Delete(ctx, upkeep.Erasure{Project: project}); err != nil {
			return // the next round deletes it again
		}
		k.gone[project] = before
		k.undeleted = k.undeleted[1:]
		k.deletions++
	}
}

// backUp makes backups until the server is dead.
func (k *killed) backUp(ctx context.Context, client *storehttp.Client) {
	for ctx.Err() == nil {
		directory := k.t.TempDir()
		acknowledged := make(map[string][]string)
		for _, sender := range k.senders {
			acknowledged[sender.table] = append(acknowledged[sender.table], sender.of(keptProject)...)
		}
		err := client.Backup(ctx, nil, func(file logstore.BackupFile) error {
			path := filepath.Join(directory, filepath.FromSlash(file.Name))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				return err
			}
			created, err := os.Create(path)
			if err != nil {
				return err
			}
			if _, err := io.Copy(created, file.Content); err != nil {
				_ = created.Close()
				return err
			}
			return created.Close()
		})
		if err != nil {
			return
		}
		k.backup, k.backedUp = directory, acknowledged
		k.backups++
	}
}

// moment returns a random time after which a server is killed. It adapts to the machine: a busy one takes long for a start
// and for a deletion.
func (k *killed) moment() time.Duration {
	const shortest = 800 * time.Millisecond
	return time.Duration(k.random.Int64N(int64(max(shortest, k.slowest))))
}

// round starts the server, lets everything run for some time, and ends the server.
func (k *killed) round(number int, duration time.Duration, end func(*testing.T, *ingestServer)) {
	t := k.t
	server := startIngest(t, k.binary, k.directory, "--retention", "1d", "--deduplicate", "1h", "--memory", "512MiB", "--queries", k.queries)
	k.slowest = max(k.slowest, server.started)
	ctx, stop := context.WithCancel(t.Context())
	least := k.kept()
	var working sync.WaitGroup
	for _, sender := range k.senders {
		working.Go(func() { assert.NoError(t, sender.send(ctx, server.url, number)) })
	}
	client := &storehttp.Client{HTTP: http.DefaultClient, URL: server.url}
	working.Go(func() { k.checkCounts(ctx, server.url, least) })
	working.Go(func() { k.deleteProjects(ctx, client) })
	working.Go(func() { k.backUp(ctx, client) })
	time.Sleep(duration)
	end(t, server)
	stop()
	working.Wait()
	if number%2 == 0 { // the events of other rounds stay
		k.undeleted = append(k.undeleted, roundProject(number))
	}
	if k.backup != "" {
		k.checkStore(k.backup, k.backedUp)
		require.NoError(t, os.RemoveAll(k.backup))
		k.backup = ""
	}
}

// killStarting kills a server that has not yet started for some time, most often while it reads what the one before has
// left.
func (k *killed) killStarting(after time.Duration) {
	command := ingestCommand(k.t.Context(), k.binary, k.directory)
	require.NoError(k.t, command.Start())
	time.Sleep(after)
	require.NoError(k.t, command.Process.Kill())
	_ = command.Wait()
}

// checkStore opens a store, and checks that it has some events of each table, each event once, and each with its record.
func (k *killed) checkStore(directory string, want map[string][]string) map[string]map[string]bool {
	t := k.t
	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	found := make(map[string]map[string]bool)
	for table, records := range recorded() {
		found[table] = make(map[string]bool)
		rows, err := store.DB().QueryContext(t.Context(), "SELECT id, count(*) FROM "+table+" GROUP BY id")
		require.NoError(t, err)
		for rows.Next() {
			var id string
			var count int
			require.NoError(t, rows.Scan(&id, &count))
			found[table][id] = true
			assert.Equal(t, 1, count, "event %s", id)
		}
		require.NoError(t, rows.Err())
		require.NoError(t, rows.Close())
		var recordRows int
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM "+records).Scan(&recordRows))
		assert.Len(t, found[table], recordRows, "each event of %s has its record", table)
		for _, id := range want[table] {
			if !found[table][id] {
				assert.Fail(t, "an acknowledged event is missing", "%s in %s", id, directory)
			}
		}
	}
	require.NoError(t, store.Close())
	checkFiles(t, directory)
	return found
}

// checkFiles checks that the files of the parts are right, and that no other file is left.
func checkFiles(t *testing.T, directory string) {
	t.Helper()
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	var want, got []string
	if manifest.State != 0 {
		want = append(want, manifest.StateName())
	}
	for i := range manifest.Parts {
		part := &manifest.Parts[i]
		wrong, err := part.Check(directory)
		require.NoError(t, err)
		assert.Empty(t, wrong)
		want = append(want, part.FileName(), part.IDName())
	}
	entries, err := os.ReadDir(filepath.Join(directory, parts.Directory))
	require.NoError(t, err)
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	slices.Sort(want)
	assert.Equal(t, want, got, "the files of the parts")
}

// TestKilledIngest kills a server at random moments while senders send events, projects and old events are deleted, and
// backups are made. Every acknowledged event must be there once, and each with its record (D30), in the store, in each
// response and in each backup; no event of a deleted project comes back, and no file is left over.
func TestKilledIngest(t *testing.T) {
	t.Parallel()
	kills := killsOf(t, 8, 300)
	k := newKilled(t)
	for number := range kills {
		if number%4 == 3 {
			k.killStarting(k.moment())
		}
		k.round(number, k.moment(), func(t *testing.T, server *ingestServer) { t.Helper(); server.kill(t) })
	}
	k.round(kills, k.slowest, func(t *testing.T, server *ingestServer) { t.Helper(); server.stop(t) })

	want, acknowledged := make(map[string][]string), 0
	for _, sender := range k.senders {
		for project, ids := range sender.acknowledged {
			var number int
			_, err := fmt.Sscanf(project, "round-%d", &number)
			if project == keptProject || err == nil && number%2 == 1 {
				want[sender.table] = append(want[sender.table], ids...)
				acknowledged += len(ids)
			}
		}
	}
	found := k.checkStore(k.directory, want)
	deleted, back := 0, []string(nil)
	for project, ids := range k.gone {
		for _, id := range ids {
			deleted++
			if found["edge_logs"][id] || found["function_edge_logs"][id] {
				back = append(back, project+"/"+id)
			}
		}
	}
	assert.Empty(t, back, "deleted events came back")
	t.Logf("%d kills, %d events acknowledged and kept, %d deleted by %d deletions, %d backups, %d counts, slowest start %s",
		kills, acknowledged, deleted, k.deletions, k.backups, k.counts, k.slowest)
	for _, happened := range []int{acknowledged, deleted, k.backups, k.counts} {
		assert.Positive(t, happened)
	}
}

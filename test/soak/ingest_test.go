package soak

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
)

// ingestKills is how often TestKilledIngest kills the server, without and with SOAK_SECONDS.
const (
	ingestKills     = 10
	soakIngestKills = 300
	ingestSenders   = 8
)

// ingestServer is a server that senders send events to.
type ingestServer struct {
	command *exec.Cmd
	url     string
	started time.Duration
}

// startIngest starts a server on a data directory, and waits until it serves.
func startIngest(t *testing.T, binary, directory string, flags ...string) *ingestServer {
	t.Helper()
	arguments := append([]string{"serve", "--no-auth", "--addr", "127.0.0.1:0", "--data", directory, "--log-level", "warn"}, flags...)
	server := &ingestServer{command: exec.CommandContext(t.Context(), binary, arguments...)}
	stdout, err := server.command.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	server.command.Stderr = &stderr
	began := time.Now()
	require.NoError(t, server.command.Start())
	lines := bufio.NewScanner(stdout)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
	for lines.Scan() {
		if server.url = address.FindString(lines.Text()); server.url != "" {
			server.started = time.Since(began)
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return server
		}
	}
	_ = server.command.Wait()
	require.FailNow(t, "the server did not start", stderr.String())
	return nil
}

// kill ends the server as a power failure would.
func (s *ingestServer) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, s.command.Process.Kill())
	_ = s.command.Wait()
}

// stop ends the server in order.
func (s *ingestServer) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, s.command.Process.Signal(os.Interrupt))
	require.NoError(t, s.command.Wait())
}

// sender sends batches until the server dies, and knows what was acknowledged.
type sender struct {
	name   string
	table  string
	random *rand.Rand
	next   int
	// unsure are the ids of a batch without a response. It is sent again.
	unsure       []string
	acknowledged []string
}

// send sends batches until one gets no response.
func (s *sender) send(ctx context.Context, url string) error {
	for ctx.Err() == nil {
		if s.unsure == nil {
			for range 1 + s.random.IntN(300) {
				s.unsure = append(s.unsure, fmt.Sprintf("%s-%d", s.name, s.next))
				s.next++
			}
		}
		ids := s.unsure
		if count := len(s.acknowledged); count > 0 && s.random.IntN(4) == 0 {
			ids = append([]string{s.acknowledged[s.random.IntN(count)]}, ids...) // a duplicate
		}
		var body strings.Builder
		for _, id := range ids {
			_, _ = fmt.Fprintf(&body, `{"id":%q,"event_message":"event of %s","project":"acme","metadata":%s}`+"\n", id, s.name, crashMetadata)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/logs?source="+s.table, strings.NewReader(body.String()))
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return nil //nolint:nilerr // The server is dead.
		}
		var result struct{ Accepted, Duplicates, Rejected int }
		err = json.NewDecoder(response.Body).Decode(&result)
		_ = response.Body.Close()
		switch {
		case err != nil:
			return nil //nolint:nilerr // The server has died.
		case response.StatusCode == http.StatusServiceUnavailable:
			continue
		case response.StatusCode != http.StatusOK:
			return fmt.Errorf("status %d", response.StatusCode)
		case result.Accepted+result.Duplicates != len(ids) || result.Rejected != 0:
			return fmt.Errorf("%d events sent, and the response is %+v", len(ids), result)
		}
		s.acknowledged = append(s.acknowledged, s.unsure...)
		s.unsure = nil
	}
	return nil
}

// TestKilledIngest kills a server at random moments while senders send events. Every
// acknowledged event must be there once, and each with its record (D30).
func TestKilledIngest(t *testing.T) {
	t.Parallel()
	kills := ingestKills
	if os.Getenv("SOAK_SECONDS") != "" {
		kills = soakIngestKills
	}
	binary := program(t)
	random := rand.New(rand.NewPCG(3, uint64(time.Now().UnixNano())))
	directory := t.TempDir()
	var senders []*sender
	for i := range ingestSenders {
		table := []string{"edge_logs", "function_edge_logs"}[i%2]
		senders = append(senders, &sender{name: strconv.Itoa(i), table: table, random: rand.New(rand.NewPCG(4, uint64(i)))})
	}
	var slowest time.Duration
	round := func(duration time.Duration, end func(*testing.T, *ingestServer)) {
		server := startIngest(t, binary, directory, "--retention", "1d", "--deduplicate", "1h")
		slowest = max(slowest, server.started)
		ctx, stop := context.WithCancel(t.Context())
		var sending sync.WaitGroup
		for _, sender := range senders {
			sending.Go(func() { assert.NoError(t, sender.send(ctx, server.url)) })
		}
		time.Sleep(duration)
		end(t, server)
		stop()
		sending.Wait()
	}
	for range kills {
		round(time.Duration(random.Int64N(int64(200*time.Millisecond))), func(t *testing.T, server *ingestServer) { t.Helper(); server.kill(t) })
	}
	round(200*time.Millisecond, func(t *testing.T, server *ingestServer) { t.Helper(); server.stop(t) })

	store, err := logstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	acknowledged := 0
	for table, records := range recorded() {
		found := make(map[string]int)
		rows, err := store.DB().QueryContext(t.Context(), "SELECT id, count(*) FROM "+table+" GROUP BY id")
		require.NoError(t, err)
		for rows.Next() {
			var id string
			var count int
			require.NoError(t, rows.Scan(&id, &count))
			found[id] = count
			assert.Equal(t, 1, count, "event %s", id)
		}
		require.NoError(t, rows.Err())
		var recordRows int
		require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM "+records).Scan(&recordRows))
		assert.Len(t, found, recordRows, "each event of %s has its record", table)
		for _, sender := range senders {
			if sender.table != table {
				continue
			}
			for _, id := range sender.acknowledged {
				if found[id] != 1 {
					assert.Fail(t, "an acknowledged event is missing", id)
				}
				acknowledged++
			}
		}
	}
	t.Logf("%d kills, %d events acknowledged, slowest start %s", kills, acknowledged, slowest)
	assert.Positive(t, acknowledged)
}

package cli

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq/tables"
)

// addDays adds a part for each of some days, which has ten edge logs, and returns the paths of the files of all parts. Their
// events arrive in an hour, so no part is due to be merged.
func addDays(t *testing.T, data string, days ...time.Time) (files []string) {
	t.Helper()
	store, err := logstore.Open(t.Context(), data, "")
	require.NoError(t, err)
	project, source := "acme", tables.Shipped()[0]
	for _, day := range days {
		var events []logstore.Accepted
		for i := range 10 {
			at := day.Add(time.Duration(i) * time.Second)
			event := &logevent.Event{ID: strconv.FormatInt(at.Unix(), 10), Timestamp: at, Project: &project}
			events = append(events, logstore.Accepted{Source: source, Event: event, ID: logevent.FingerprintOf(source, event.ID), At: time.Now().Add(time.Hour)})
		}
		require.NoError(t, store.Ingest(t.Context(), logstore.Ingestion{Events: slices.Values(events)}))
		_, err := store.Checkpoint(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, store.Close())
	manifest, err := parts.Read(data)
	require.NoError(t, err)
	for _, part := range manifest.Parts {
		files = append(files, filepath.Join(data, parts.Directory, part.FileName()))
	}
	return files
}

// recentDay returns the noon of a day some days ago.
func recentDay() time.Time {
	const day = 24 * time.Hour
	return time.Now().UTC().Truncate(day).Add(-4*day + day/2)
}

// A file that cannot be read is an error of the queries that need it, in every interface, and of no other. The log names
// the file.
func TestQueriesOfADamagedPart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	today := time.Now().UTC().Truncate(time.Hour)
	files := addDays(t, data, today.Add(-50*time.Hour), today.Add(-2*time.Hour))
	require.Len(t, files, 2)
	require.NoError(t, os.Remove(files[0]))
	address, log := serveLogged(t, "--no-auth", "--data", data)
	ask := func(path string) (status int, retryAfter, body string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, http.NoBody)
		require.NoError(t, err)
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		content, err := io.ReadAll(response.Body)
		require.NoError(t, errors.Join(err, response.Body.Close()))
		return response.StatusCode, response.Header.Get("Retry-After"), string(content)
	}
	const message = "log events of this time cannot be read, because a file of the store is damaged; queries of other times and sources work"
	status, retryAfter, body := ask("/api/endpoints/logs.all?project=acme&project_tier=PRO")
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, "60", retryAfter)
	assert.Contains(t, body, `"code":"UNAVAILABLE"`)
	assert.Contains(t, body, message)
	assert.NotContains(t, body, filepath.Base(files[0]))
	_, _, body = ask("/graphql?query=%7Blogs(project:%22acme%22,projectTier:PRO)%7Bid%7D%7D")
	assert.Contains(t, body, `"code":"UNAVAILABLE"`)
	assert.Contains(t, body, message)

	status, _, body = ask("/api/endpoints/logs.all?project=acme&project_tier=FREE")
	assert.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, strconv.FormatInt(today.Add(-2*time.Hour).Unix(), 10))
	status, _, body = ask("/api/endpoints/functions.list?project=acme")
	assert.Equal(t, http.StatusOK, status, body)

	status, _, body = ask("/metrics")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, body, "savedq_store_damaged_parts 1\n")
	for _, want := range []string{"a part of the store cannot be read", "request failed"} {
		assert.Regexp(t, want+".*"+filepath.Base(files[0]), log.String())
	}
}

// A file that opens, but has a block that cannot be read, is an error of the queries that read the block, and of no other.
func TestQueriesOfADamagedBlock(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	today := time.Now().UTC().Truncate(time.Hour)
	files := addDays(t, data, today.Add(-50*time.Hour), today.Add(-2*time.Hour))
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	content[len(content)-1000] ^= 1
	require.NoError(t, os.WriteFile(files[0], content, 0o600))
	address, log := serveLogged(t, "--no-auth", "--data", data)
	for range 3 {
		body := get(t, address+"/api/endpoints/logs.all?project=acme&project_tier=PRO", "")
		assert.Contains(t, body, `"code":"UNAVAILABLE"`)
		assert.Contains(t, body, "log events of this time cannot be read, because a file of the store is damaged; queries of other times and sources work")
		assert.Contains(t, get(t, address+"/api/endpoints/logs.all?project=acme&project_tier=FREE", ""), strconv.FormatInt(today.Add(-2*time.Hour).Unix(), 10))
	}
	assert.Contains(t, log.String(), `(\"savedq store check\" finds the file)`)
	assert.NotContains(t, log.String(), "reopen")
	stdout, _ := runStore(t, statusFailed, "check", "--data", data)
	assert.Contains(t, stdout, filepath.Base(files[0])+" is damaged: its checksum is wrong")
}

// The check of a store, which may be in use, lists what is damaged, with what the operator needs to restore it.
func TestStoreCheck(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	day := recentDay()
	files := addDays(t, data, day, day.AddDate(0, 0, 1), day.AddDate(0, 0, 2))
	require.Len(t, files, 3)
	serveData(t, data)
	assert.Equal(t, data+": no file is damaged or missing\n", check(t, data))

	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	content[len(content)/2] ^= 1
	require.NoError(t, os.WriteFile(files[0], content, 0o600))
	stdout, stderr := runStore(t, statusFailed, "check", "--data", data)
	first := filepath.Base(files[0]) + " is damaged: its checksum is wrong; it has 10 events of " + day.Format(time.DateOnly) + " (edge_logs)\n"
	assert.Equal(t, first, stdout)
	assert.Equal(t, "savedq: 1 file in "+filepath.Join(data, parts.Directory)+" is damaged or missing; restore it from a backup\n", stderr)

	ids := strings.TrimSuffix(files[2], ".events") + ".ids"
	require.NoError(t, os.Remove(ids))
	stdout, stderr = runStore(t, statusFailed, "check", "--data", data)
	assert.Equal(t, first+filepath.Base(ids)+" is damaged: it is missing; it has 10 events of "+day.AddDate(0, 0, 2).Format(time.DateOnly)+" (edge_logs)\n", stdout)
	assert.Contains(t, stderr, "2 files in ")
}

// A directory that has no store of this version is a mistake, and stays as it is.
func TestStoreCheckOfAWrongDirectory(t *testing.T) {
	t.Parallel()
	none := filepath.Join(t.TempDir(), "none")
	_, problems := runStore(t, statusFailed, "check", "--data", none)
	assert.Equal(t, "savedq: there is no store in "+none+"; name the --data directory of a server, or a backup\n", problems)
	assert.NoDirExists(t, none)
	old := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(old, "savedq.duckdb"), nil, 0o600))
	_, problems = runStore(t, statusFailed, "check", "--data", old)
	assert.Equal(t, "savedq: the store in "+old+" is of release 0.1.0, whose files have no checksums; start a server on it once, which converts it\n", problems)
	wrong := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(wrong, parts.ManifestName), []byte("{"), 0o600))
	_, problems = runStore(t, statusFailed, "check", "--data", wrong)
	assert.Contains(t, problems, "savedq: check the store in "+wrong+": ")
}

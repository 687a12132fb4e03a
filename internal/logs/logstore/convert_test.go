package logstore_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

const oldFile = "savedq.duckdb"

// oldData is a recorded store of an earlier version in a directory, and what it has; see testdata/old/README.md.
type oldData struct {
	directory string
	Program   string                       `json:"program"`
	ID        string                       `json:"id"`
	Position  uint64                       `json:"position"`
	Other     bool                         `json:"other_logs"`
	Columns   map[string][]string          `json:"columns"`
	Rows      map[string][]json.RawMessage `json:"rows"`
	IDs       []oldID                      `json:"recent_ids"`
}

type oldID struct {
	Accepted time.Time `json:"accepted"`
	High     uint64    `json:"high"`
	Low      uint64    `json:"low"`
}

// oldNames returns the names of the recorded stores.
func oldNames(t *testing.T) (found []string) {
	t.Helper()
	paths, err := filepath.Glob("testdata/old/*.tar.zst")
	require.NoError(t, err)
	for _, path := range paths {
		found = append(found, strings.TrimSuffix(filepath.Base(path), ".tar.zst"))
	}
	require.Len(t, found, 7)
	return found
}

// newOld puts a recorded store into a directory.
func newOld(t *testing.T, name string) *oldData {
	t.Helper()
	old := &oldData{directory: t.TempDir()}
	require.NoError(t, json.Unmarshal(decompressed(t, name+".json.zst"), old))
	files := tar.NewReader(bytes.NewReader(decompressed(t, name+".tar.zst")))
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return old
		}
		require.NoError(t, err)
		path := filepath.Join(old.directory, header.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		content, err := io.ReadAll(files)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}

func decompressed(t *testing.T, name string) []byte {
	t.Helper()
	compressed, err := os.ReadFile(filepath.Join("testdata", "old", name))
	require.NoError(t, err)
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	content, err := decoder.DecodeAll(compressed, nil)
	require.NoError(t, err)
	return content
}

// rows returns the rows of a view of a store as they were recorded.
func (o *oldData) rows(t *testing.T, store *logstore.Store, view string) []string {
	t.Helper()
	var values []string
	for _, name := range o.Columns[view] {
		column := `"` + name + `"`
		if name == "projects" { // a single one may be in the column project (D23)
			column = "list_sort(list_distinct(list_filter(coalesce(projects, [project]), lambda x: x IS NOT NULL)))"
		}
		values = append(values, column+"::VARCHAR")
	}
	rows := texts(t, store, "SELECT to_json(["+strings.Join(values, ", ")+"])::VARCHAR FROM "+view)
	slices.Sort(rows)
	return rows
}

// check checks that a store has what the old one has.
func (o *oldData) check(t *testing.T, store *logstore.Store) {
	t.Helper()
	for view, recorded := range o.Rows {
		want := make([]string, len(recorded))
		for i, row := range recorded {
			want[i] = string(row)
		}
		if got := o.rows(t, store, view); !slices.Equal(want, got) {
			missing, added := diff(want, got)
			require.Fail(t, "rows differ", "%s: missing %q, added %q", view, missing, added)
		}
	}
	id, err := store.ID(t.Context())
	require.NoError(t, err)
	assert.Equal(t, o.ID, id)
	assert.Equal(t, o.Position, store.SealedPosition())
	other, err := store.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	assert.Equal(t, o.Other, other)
	var ids []oldID
	require.NoError(t, store.RecentIDs(t.Context(), time.Time{}, func(id logstore.RecentID) {
		ids = append(ids, oldID{id.Accepted.UTC(), id.High, id.Low})
	}))
	assert.NotEmpty(t, ids)
	assert.ElementsMatch(t, o.IDs, ids)
	for _, name := range []string{oldFile, oldFile + ".wal", oldFile + ".tmp", "ids"} {
		assert.NoFileExists(t, filepath.Join(o.directory, name))
		assert.NoDirExists(t, filepath.Join(o.directory, name))
	}
	require.NoError(t, logstore.Check(t.Context(), o.directory, func(damaged logstore.DamagedPart) { t.Error(damaged) }))
}

// diff returns the first rows that only one of two sorted lists has.
func diff(want, got []string) (missing, added []string) {
	const most = 3
	for _, row := range want {
		if _, found := slices.BinarySearch(got, row); !found && len(missing) < most {
			missing = append(missing, row)
		}
	}
	for _, row := range got {
		if _, found := slices.BinarySearch(want, row); !found && len(added) < most {
			added = append(added, row)
		}
	}
	return missing, added
}

// A store of an earlier version has the same rows after its conversion, whatever it has.
func TestConversion(t *testing.T) {
	t.Parallel()
	for _, name := range oldNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := newOld(t, name)
			assert.True(t, logstore.Exists(old.directory))
			var last, all int64
			store, err := logstore.OpenExisting(t.Context(), old.directory, "512MiB", logstore.WithRecentBytes(100_000),
				logstore.WithConversionProgress(func(done, of int64) {
					assert.GreaterOrEqual(t, done, last)
					last, all = done, of
				}))
			require.NoError(t, err)
			events := 0
			for _, source := range store.Tables().Sources() {
				events += len(old.Rows[source.Name])
			}
			assert.Greater(t, events, 200)
			assert.Equal(t, int64(events), all)
			assert.Equal(t, all, last)
			old.check(t, store)
			_, err = store.Fill(t.Context(), nil)
			require.NoError(t, err)
			if strings.HasPrefix(name, "7-") {
				declare(t, store, orders("amount NUMERIC amount", "paid BOOL payment.paid", "day DATE day")) // the fields are known
				assert.NotContains(t, strings.Fields(valuesIn(t, store, "amount")), "")
			}
			_, err = store.Merge(t.Context(), start().AddDate(1, 0, 0), nil)
			require.NoError(t, err)
			require.NoError(t, store.Close())
			store, err = logstore.Open(t.Context(), old.directory, "512MiB")
			require.NoError(t, err)
			old.check(t, store)
			require.NoError(t, store.Close())
		})
	}
}

// changeOld runs statements on the DuckDB file of an old store.
func changeOld(t *testing.T, directory string, statements ...string) {
	t.Helper()
	db := openFiles(t)
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	statements = append([]string{"ATTACH '" + filepath.Join(directory, oldFile) + "' AS old", "USE old"}, statements...)
	for _, statement := range append(statements, "USE memory", "DETACH old") {
		_, err := conn.ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, conn.Close())
}

// Many events of the same time do not need more memory.
func TestConversionInSlices(t *testing.T) {
	t.Parallel()
	directory := newOld(t, "6-closed").directory
	changeOld(t, directory, "DELETE FROM auth_logs", "INSERT INTO auth_logs BY NAME SELECT i::VARCHAR AS id, TIMESTAMP '2026-11-01 10:00:00' + INTERVAL (CASE WHEN i < 150000 THEN 0 ELSE i // 100 END) SECOND AS timestamp, '[{}]' AS metadata FROM range(330000) t(i)")
	most, last := int64(0), int64(0)
	store, err := logstore.Open(t.Context(), directory, "512MiB", logstore.WithConversionProgress(func(done, _ int64) {
		most, last = max(most, done-last), done
	}))
	require.NoError(t, err)
	assert.LessOrEqual(t, most, int64(55_000), "at a time")
	assert.Equal(t, []string{"330000"}, texts(t, store, "SELECT count(DISTINCT id)::VARCHAR FROM auth_logs"))
	require.NoError(t, store.Close())
}

// Without room on the disk, the old store stays as it is. What is asked for is enough.
func TestConversionWithoutRoom(t *testing.T) {
	t.Parallel()
	for _, name := range oldNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := newOld(t, name)
			before := sums(t, old.directory)
			free := int64(1000)
			withFree := logstore.WithFree(func(string) (int64, bool) { return free, true })
			_, err := logstore.Open(t.Context(), old.directory, "512MiB", withFree)
			require.ErrorContains(t, err, "convert the store in "+old.directory+" to this version: this needs about ")
			require.ErrorContains(t, err, " MiB on its disk, and 0 MiB are free; free some and start again; it was not changed")
			assert.Equal(t, before, sums(t, old.directory))
			assert.NoFileExists(t, filepath.Join(old.directory, parts.ManifestName))
			number := regexp.MustCompile(`about (\d+) MiB`).FindStringSubmatch(err.Error())
			free, err = strconv.ParseInt(number[1], 10, 64)
			require.NoError(t, err)
			free <<= 20
			store, err := logstore.Open(t.Context(), old.directory, "512MiB", withFree)
			require.NoError(t, err)
			assert.Less(t, store.FileBytes(), free)
			old.check(t, store)
			require.NoError(t, store.Close())
		})
	}
}

// sums returns the checksums of the files of an old store.
func sums(t *testing.T, directory string) map[string][sha256.Size]byte {
	t.Helper()
	found := make(map[string][sha256.Size]byte)
	for _, name := range []string{oldFile, oldFile + ".wal"} {
		content, err := os.ReadFile(filepath.Join(directory, name))
		if err == nil {
			found[name] = sha256.Sum256(content)
		}
	}
	return found
}

// A store of another version, or of which nothing can be read is refused, and not changed.
func TestConversionRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(directory string)
		want   string
	}{
		"a later version": {func(directory string) {
			changeOld(t, directory, "UPDATE store_info SET value = '8' WHERE key = 'schema_version'", "INSERT OR REPLACE INTO store_info VALUES ('program', 'savedq 7')")
		}, "it has schema version 8, and this savedq reads versions 6 and 7; use the program that wrote it (savedq 7)"},
		"an earlier version": {func(directory string) {
			changeOld(t, directory, "UPDATE store_info SET value = '5' WHERE key = 'schema_version'")
		}, "it has schema version 5, and this savedq reads versions 6 and 7"},
		"not a store": {func(directory string) {
			require.NoError(t, os.WriteFile(filepath.Join(directory, oldFile), make([]byte, 20_000), 0o600))
		}, "restore it from a backup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := newOld(t, "6-closed").directory
			test.change(directory)
			checkRefused(t, directory, test.want)
		})
	}
}

// checkRefused checks that an old store is not converted, and not changed.
func checkRefused(t *testing.T, directory, want string) {
	t.Helper()
	before := sums(t, directory)
	_, err := logstore.Open(t.Context(), directory, "512MiB")
	require.ErrorContains(t, err, "convert the store in "+directory)
	require.ErrorContains(t, err, want)
	assert.Equal(t, before, sums(t, directory))
	assert.NoFileExists(t, filepath.Join(directory, parts.ManifestName))
}

// A flipped bit anywhere in DuckDB's log of an old store is found, and nothing is changed: a part of the log would be an
// earlier state of the store.
func TestConversionRefusesDamagedLog(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"6-killed", "7-interrupted-load"} {
		old := newOld(t, name)
		path := filepath.Join(old.directory, oldFile+".wal")
		log, err := os.ReadFile(path)
		require.NoError(t, err)
		const flips = 12
		for i := range flips {
			damaged := slices.Clone(log)
			at := len(log)*i/flips + 20
			damaged[at] ^= 4
			require.NoError(t, os.WriteFile(path, damaged, 0o600))
			checkRefused(t, old.directory, "its DuckDB log "+path+" is damaged")
		}
		require.NoError(t, os.WriteFile(path, log, 0o600))
		store := open(t, old.directory)
		old.check(t, store)
		require.NoError(t, store.Close())
	}
}

// killedConversion is set for the process of a conversion that is killed.
const killedConversion = "SAVEDQ_TEST_KILLED_CONVERSION"

// TestKilledConversionProcess is the process of TestKilledConversion.
func TestKilledConversionProcess(t *testing.T) {
	directory := os.Getenv(killedConversion)
	if directory == "" {
		t.Skip("it is run by TestKilledConversion")
	}
	fmt.Println("begins")
	_, err := logstore.Open(t.Context(), directory, "512MiB", logstore.WithRecentBytes(50_000))
	fmt.Println("opened", err)
}

// A conversion that is killed at any moment loses nothing: the next start begins again, or goes on with its result.
func TestKilledConversion(t *testing.T) {
	t.Parallel()
	template := newOld(t, "7-killed")
	before := sums(t, template.directory)
	begun, converted := 0, 0
	duration := 0
	for _, percent := range []int{100, 5, 20, 40, 60, 80, 90, 95, 100, 105} {
		old := *template
		old.directory = t.TempDir()
		require.NoError(t, os.CopyFS(old.directory, os.DirFS(template.directory)))
		process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledConversionProcess$")
		process.Env = append(os.Environ(), killedConversion+"="+old.directory)
		output, err := process.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, process.Start())
		_, err = output.Read(make([]byte, 6))
		require.NoError(t, err)
		// The moment of the kill is how many files the conversion has, of those that it has at the end.
		files := func() int {
			entries, _ := os.ReadDir(filepath.Join(old.directory, parts.Directory))
			return len(entries)
		}
		exited := make(chan struct{})
		go func() {
			_ = process.Wait()
			close(exited)
		}()
		running := true
		for running && (duration == 0 || files() < duration*percent/100) {
			select {
			case <-exited:
				running = false
			default:
			}
		}
		_ = process.Process.Signal(syscall.SIGKILL)
		<-exited
		if duration == 0 {
			duration = files()
			require.Greater(t, duration, 10)
		}
		if _, err := os.Stat(filepath.Join(old.directory, parts.ManifestName)); err != nil {
			begun++
			assert.Equal(t, before, sums(t, old.directory), "the old store is as it was")
		} else {
			converted++
		}
		store, err := logstore.Open(t.Context(), old.directory, "512MiB", logstore.WithRecentBytes(50_000))
		require.NoError(t, err)
		old.check(t, store)
		require.NoError(t, store.Close())
	}
	assert.Positive(t, begun)
	assert.Positive(t, converted)
}

// A kill while the old store is removed leaves some of its files behind, which the next start removes.
func TestKilledRemoval(t *testing.T) {
	t.Parallel()
	old := newOld(t, "6-killed")
	files := make(map[string][]byte)
	for _, name := range []string{oldFile, oldFile + ".wal"} {
		content, err := os.ReadFile(filepath.Join(old.directory, name))
		require.NoError(t, err)
		files[name] = content
	}
	require.NoError(t, open(t, old.directory).Close())
	manifest, err := parts.Read(old.directory)
	require.NoError(t, err)
	assert.Empty(t, manifest.Replaces)
	for _, left := range [][]string{{oldFile, oldFile + ".wal"}, {oldFile + ".wal"}, {oldFile}} {
		for _, name := range left {
			require.NoError(t, os.WriteFile(filepath.Join(old.directory, name), files[name], 0o600))
		}
		manifest.Replaces = oldFile
		require.NoError(t, manifest.Write(old.directory))
		store := open(t, old.directory)
		old.check(t, store)
		require.NoError(t, store.Close())
	}
	// A file that an operator has put there stays.
	require.NoError(t, os.WriteFile(filepath.Join(old.directory, oldFile), files[oldFile], 0o600))
	require.NoError(t, open(t, old.directory).Close())
	assert.FileExists(t, filepath.Join(old.directory, oldFile))
}

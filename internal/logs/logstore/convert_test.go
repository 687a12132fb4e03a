package logstore_test

import (
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	oldlogstore "savedq/internal/logs/oldlogstore"
	"savedq/internal/logs/parts"
	"savedq/sqlq"
	"savedq/sqlq/tables"
)

const oldFile = "savedq.duckdb"

// orders returns a source of an author.
func orders(fields ...sqlq.Field) *sqlq.Table {
	return &sqlq.Table{Name: "orders", Aliases: []string{"shop.orders.prod"}, ProjectMember: "shop", Fields: fields}
}

// Fields of the source.
func amount() sqlq.Field {
	return sqlq.Field{Name: "amount", Type: sqlq.Numeric, Path: []string{"amount"}}
}

func paid() sqlq.Field {
	return sqlq.Field{Name: "paid", Type: sqlq.Bool, Path: []string{"payment", "paid"}}
}

func dayField() sqlq.Field {
	return sqlq.Field{Name: "day", Type: sqlq.Date, Path: []string{"day"}}
}

// fillOld fills an old store at random, with all that one can have.
func fillOld(t *testing.T, store *oldlogstore.Store, seed uint64) {
	t.Helper()
	ctx, random, made, position := t.Context(), rand.New(rand.NewPCG(seed, 1)), 0, uint64(0)
	require.NoError(t, store.Declare(ctx, sqlq.Tables{orders(amount())}))
	event := func() (*sqlq.Table, logevent.Event) {
		made++
		all := store.Tables().Sources()
		source := all[random.IntN(len(all))]
		if random.IntN(3) == 0 {
			source, _ = store.Tables().FindSource([]string{"edge_logs", "function_edge_logs", "orders"}[random.IntN(3)])
		}
		event := logevent.Event{ID: fmt.Sprintf("id-%d-%d", seed, made), Timestamp: start().Add(time.Duration(random.IntN(100*3600_000_000)) * time.Microsecond)}
		if random.IntN(50) == 0 {
			event.Timestamp = []time.Time{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}[random.IntN(3)]
		}
		if random.IntN(9) > 0 {
			message := fmt.Sprintf("it's %d \u00e4\n", made)
			event.EventMessage = &message
		}
		if project := fmt.Sprintf("p%d", random.IntN(3)); random.IntN(4) > 0 {
			event.Project = &project
		}
		event.Metadata = json.RawMessage([]string{
			`[]`, `[{}]`, `[{"a":null}]`,
			`[{"project_ref":"p1","shop":"s1","amount":12.50,"payment":[{"paid":true}],"day":"2026-02-03","response":[{"status_code":503}],"request":[{"url":"u","path":"/a","method":"GET"}],"level":"error"}]`,
			`[{"project_ref":"p1","function_id":"f","execution_time_ms":1.5,"response":[{"status_code":200},{"status_code":400.5}],"request":[{"url":"u"},{"url":"v","path":"/b"}]},{"project_ref":"p2","shop":"s2","response":[{"status_code":1}],"request":[]}]`,
			`[{"project":"p2","shop":"s2","amount":"x","payment":{"paid":"false"},"day":5,"response":[{"status_code":"bad"}]}]`,
		}[random.IntN(6)])
		return source, event
	}
	for step := range 14 {
		switch step % 7 {
		case 0, 1, 4:
			position += 3
			ingestion := oldlogstore.Ingestion{Position: position}
			type pair struct {
				source *sqlq.Table
				event  logevent.Event
			}
			var pairs []pair
			for range random.IntN(400) {
				source, event := event()
				pairs = append(pairs, pair{source, event})
				ingestion.IDs = append(ingestion.IDs, oldlogstore.RecentID{Accepted: start().Add(time.Duration(made) * time.Second), Fingerprint: logevent.FingerprintOf(source, event.ID)})
			}
			ingestion.Events = func(yield func(*sqlq.Table, logevent.Event) bool) {
				for _, pair := range pairs {
					if !yield(pair.source, pair.event) {
						return
					}
				}
			}
			ingestion.Rejected = rejected(random.IntN(5))
			require.NoError(t, store.Ingest(ctx, ingestion))
		case 2:
			transaction, err := store.Begin(ctx, oldlogstore.Sent)
			require.NoError(t, err)
			if random.IntN(2) == 0 {
				transaction.Remember(start().Add(time.Hour))
			}
			for range random.IntN(500) {
				source, event := event()
				require.NoError(t, transaction.Add(ctx, source, event))
			}
			require.NoError(t, transaction.Commit(ctx))
		case 3:
			require.NoError(t, store.Declare(ctx, sqlq.Tables{orders(amount(), paid(), dayField())}))
			if random.IntN(2) == 0 {
				_, err := store.Fill(ctx, nil)
				require.NoError(t, err)
			}
		case 5:
			source, _ := event()
			_, err := store.Delete(ctx, oldlogstore.Deletion{Source: source, Project: "p1", Before: start().Add(time.Duration(random.IntN(100)) * time.Hour)})
			require.NoError(t, err)
		case 6:
			runs := make([][]driver.Value, random.IntN(6))
			for i := range runs {
				for _, column := range tables.Runs().Own {
					runs[i] = append(runs[i], runValue(column, i))
				}
			}
			require.NoError(t, store.AddRuns(ctx, runs))
		}
	}
}

func runValue(column sqlq.Column, i int) driver.Value {
	switch column.Type {
	case sqlq.Timestamp:
		return start().Add(time.Duration(i) * time.Second)
	case sqlq.String:
		return fmt.Sprintf("text %d", i)
	case sqlq.Float64:
		return float64(i)
	case sqlq.Bool:
		return i%2 == 0
	default:
		return int64(i)
	}
}

// contents has the rows of a store, by view and column.
type contents map[string][]string

// contentsOf reads all rows of an old store, or the same of another one.
func contentsOf(t *testing.T, db *sql.DB, columns map[string][]string) contents {
	t.Helper()
	found := make(contents) //nolint:sqlclosecheck // They are read to the end.
	for view, names := range columns {
		rows, err := db.QueryContext(t.Context(), "SELECT ["+strings.Join(quotedTexts(names), ", ")+"]::VARCHAR FROM "+view)
		require.NoError(t, err, view)
		found[view] = []string{}
		for rows.Next() {
			var row string
			require.NoError(t, rows.Scan(&row))
			found[view] = append(found[view], row)
		}
		require.NoError(t, rows.Err())
		slices.Sort(found[view])
	}
	return found
}

func quotedTexts(names []string) (texts []string) {
	for _, name := range names {
		column := `"` + name + `"`
		if name == "projects" { // a single one may be in the column project (D23)
			column = "list_sort(list_distinct(list_filter(coalesce(projects, [project]), lambda x: x IS NOT NULL)))"
		}
		texts = append(texts, "coalesce("+column+"::VARCHAR, '<null>')")
	}
	return texts
}

// columnsOfOld returns the columns of all that callers can read of an old store.
func columnsOfOld(t *testing.T, store *oldlogstore.Store) map[string][]string {
	t.Helper()
	columns := make(map[string][]string)
	names := append(store.Tables().Names(), "all_logs", "function_invocations", "edge_requests", "rejected_events", tables.RunsName)
	for _, view := range names {
		rows, err := store.DB().QueryContext(t.Context(), "SELECT column_name FROM duckdb_columns() WHERE table_name = ?", view) //nolint:sqlclosecheck // They are read to the end.
		require.NoError(t, err)
		for rows.Next() {
			var column string
			require.NoError(t, rows.Scan(&column))
			// The key is 0 in rows that are not clustered, and the project is compared with the projects.
			if column != "project_key" && (view != "all_logs" || column != "project") {
				columns[view] = append(columns[view], column)
			}
		}
		require.NoError(t, rows.Err())
	}
	return columns
}

// oldData is an old store in a directory, and what it has.
type oldData struct {
	directory string
	columns   map[string][]string
	rows      contents
	id        string
	position  uint64
	other     bool
	ids       map[logevent.Fingerprint]time.Time
}

// newOld makes an old store that is closed, or that was killed.
func newOld(t *testing.T, seed uint64, killed bool) *oldData {
	t.Helper()
	old := &oldData{directory: t.TempDir(), ids: make(map[logevent.Fingerprint]time.Time)}
	store, err := oldlogstore.Open(t.Context(), old.directory, "512MiB")
	require.NoError(t, err)
	fillOld(t, store, seed)
	_, err = store.Fill(t.Context(), nil)
	require.NoError(t, err)
	old.columns = columnsOfOld(t, store)
	old.rows = contentsOf(t, store.DB(), old.columns)
	old.id, err = store.ID(t.Context())
	require.NoError(t, err)
	old.position, err = store.IngestPosition(t.Context())
	require.NoError(t, err)
	old.other, err = store.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	present := make(map[logevent.Fingerprint]bool)
	for _, source := range store.Tables() {
		rows, err := store.DB().QueryContext(t.Context(), "SELECT id FROM "+source.Name) //nolint:sqlclosecheck // They are read to the end.
		require.NoError(t, err)
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			present[logevent.FingerprintOf(source, id)] = true
		}
		require.NoError(t, rows.Err())
	}
	require.NoError(t, store.RecentIDs(t.Context(), time.Time{}, func(id oldlogstore.RecentID) {
		if present[id.Fingerprint] {
			old.ids[id.Fingerprint] = id.Accepted
		}
	}))
	if killed {
		copied := t.TempDir()
		require.NoError(t, os.CopyFS(copied, os.DirFS(old.directory)))
		require.NoError(t, store.Close())
		old.directory = copied
		require.FileExists(t, filepath.Join(copied, oldFile+".wal"))
		return old
	}
	require.NoError(t, store.Close())
	return old
}

// check checks that a store has what the old one has.
func (o *oldData) check(t *testing.T, store *logstore.Store) {
	t.Helper()
	got := contentsOf(t, store.DB(), o.columns)
	for view, rows := range o.rows {
		if !slices.Equal(rows, got[view]) {
			missing, added := diff(rows, got[view])
			require.Fail(t, "rows differ", "%s: missing %q, added %q", view, missing, added)
		}
	}
	id, err := store.ID(t.Context())
	require.NoError(t, err)
	assert.Equal(t, o.id, id)
	assert.Equal(t, o.position, store.SealedPosition())
	other, err := store.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	assert.Equal(t, o.other, other)
	ids := make(map[logevent.Fingerprint]time.Time)
	require.NoError(t, store.RecentIDs(t.Context(), time.Time{}, func(id logstore.RecentID) { ids[id.Fingerprint] = id.Accepted }))
	assert.Equal(t, o.ids, ids)
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

// A store of release 0.1.0 has the same rows after its conversion, whatever it has.
func TestConversion(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			old := newOld(t, seed, seed%2 == 1)
			assert.True(t, logstore.Exists(old.directory))
			var last, all int64
			store, err := logstore.OpenExisting(t.Context(), old.directory, "512MiB", logstore.WithRecentBytes(100_000),
				logstore.WithConversionProgress(func(done, of int64) {
					assert.GreaterOrEqual(t, done, last)
					last, all = done, of
				}))
			require.NoError(t, err)
			assert.Equal(t, int64(len(old.rows["all_logs"])), all)
			assert.Equal(t, all, last)
			old.check(t, store)
			_, err = store.Fill(t.Context(), nil)
			require.NoError(t, err)
			require.NoError(t, store.Declare(t.Context(), sqlq.Tables{orders(amount(), paid(), dayField())}), "the fields are known")
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

// changeOld runs statements on an old store.
func changeOld(t *testing.T, directory string, statements ...string) {
	t.Helper()
	store, err := oldlogstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	for _, statement := range statements {
		_, err := store.DB().ExecContext(t.Context(), statement)
		require.NoError(t, err, statement)
	}
	require.NoError(t, store.Close())
}

// A store of the first schema version, which had no tables of authors and no runs, is converted, too.
func TestConversionOfFirstVersion(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	store, err := oldlogstore.Open(t.Context(), directory, "")
	require.NoError(t, err)
	transaction, err := store.Begin(t.Context(), oldlogstore.Generated)
	require.NoError(t, err)
	source, _ := tables.Shipped().FindSource("edge_logs")
	require.NoError(t, transaction.Add(t.Context(), source, logevent.Event{ID: "1", Timestamp: start(), Metadata: json.RawMessage(`[{"request":[{"url":"u"}]}]`)}))
	require.NoError(t, transaction.Commit(t.Context()))
	require.NoError(t, store.Close())
	changeOld(t, directory, "DROP VIEW all_logs", "DROP TABLE own_tables", "DROP TABLE unfilled_fields", "DROP TABLE "+tables.RunsName, "UPDATE store_info SET value = '6' WHERE key = 'schema_version'")
	converted := open(t, directory)
	var id, url string
	require.NoError(t, converted.DB().QueryRowContext(t.Context(), "SELECT id, url FROM edge_logs, edge_requests").Scan(&id, &url))
	assert.Equal(t, "1 u", id+" "+url)
	other, err := converted.HoldsOtherLogs(t.Context())
	require.NoError(t, err)
	assert.False(t, other)
	require.NoError(t, converted.Close())
}

// What an interrupted load left behind is not converted.
func TestConversionAfterInterruptedLoad(t *testing.T) {
	t.Parallel()
	old := newOld(t, 30, false)
	var journal, rows []string
	for _, table := range append([]string{"recent_ids", "function_invocations", "edge_requests", "orders"}, tables.Shipped().Names()...) {
		journal = append(journal, fmt.Sprintf("INSERT INTO load_journal SELECT '%[1]s', count(*) FROM %[1]s", table))
		switch table {
		case "recent_ids":
			rows = append(rows, "INSERT INTO recent_ids SELECT accepted + INTERVAL 1 HOUR, high, low FROM recent_ids")
		case "orders", "edge_logs", "postgres_logs":
			rows = append(rows, fmt.Sprintf("INSERT INTO %[1]s BY NAME SELECT id || 'x' AS id, timestamp, metadata FROM %[1]s", table))
		}
	}
	changeOld(t, old.directory, append(journal, rows...)...)
	store := open(t, old.directory)
	old.check(t, store)
	require.NoError(t, store.Close())
}

// Many events of the same time do not need more memory.
func TestConversionInSlices(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, func() error {
		store, err := oldlogstore.Open(t.Context(), directory, "")
		require.NoError(t, err)
		return store.Close()
	}())
	changeOld(t, directory, "INSERT INTO auth_logs BY NAME SELECT i::VARCHAR AS id, TIMESTAMP '2026-11-01 10:00:00' + INTERVAL (CASE WHEN i < 150000 THEN 0 ELSE i // 100 END) SECOND AS timestamp, '[{}]' AS metadata FROM range(330000) t(i)")
	most, last := int64(0), int64(0)
	store, err := logstore.Open(t.Context(), directory, "512MiB", logstore.WithConversionProgress(func(done, _ int64) {
		most, last = max(most, done-last), done
	}))
	require.NoError(t, err)
	assert.LessOrEqual(t, most, int64(55_000), "at a time")
	var count int
	require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(DISTINCT id) FROM auth_logs").Scan(&count))
	assert.Equal(t, 330_000, count)
	require.NoError(t, store.Close())
}

// Without room on the disk, the old store stays as it is.
func TestConversionWithoutRoom(t *testing.T) {
	t.Parallel()
	old := newOld(t, 31, true)
	before := sums(t, old.directory)
	free := int64(1000)
	withFree := logstore.WithFree(func(string) (int64, bool) { return free, true })
	_, err := logstore.Open(t.Context(), old.directory, "512MiB", withFree)
	require.ErrorContains(t, err, "the store in "+old.directory+" must be converted to this version, which needs about ")
	require.ErrorContains(t, err, " MiB on its disk, and 0 MiB are free")
	assert.Equal(t, before, sums(t, old.directory))
	assert.NoFileExists(t, filepath.Join(old.directory, parts.ManifestName))
	free = 1 << 30
	store, err := logstore.Open(t.Context(), old.directory, "512MiB", withFree)
	require.NoError(t, err)
	old.check(t, store)
	require.NoError(t, store.Close())
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

// A store of another version, in use, or of which nothing can be read is refused, and not changed.
func TestConversionRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(directory string)
		want   string
	}{
		"a later version": {func(directory string) {
			changeOld(t, directory, "UPDATE store_info SET value = '8' WHERE key = 'schema_version'", "INSERT OR REPLACE INTO store_info VALUES ('program', 'savedq 7')")
		}, "it has schema version 8, and this savedq reads versions 6 and 7; use the program that wrote it (savedq 7)"},
		"not a store": {func(directory string) {
			require.NoError(t, os.WriteFile(filepath.Join(directory, oldFile), make([]byte, 20_000), 0o600))
		}, "restore it from a backup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			store, err := oldlogstore.Open(t.Context(), directory, "")
			require.NoError(t, err)
			require.NoError(t, store.Close())
			test.change(directory)
			before := sums(t, directory)
			_, err = logstore.Open(t.Context(), directory, "512MiB")
			require.ErrorContains(t, err, "convert the store in "+directory)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, before, sums(t, directory))
			assert.NoFileExists(t, filepath.Join(directory, parts.ManifestName))
		})
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
	template := newOld(t, 32, true)
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
	old := newOld(t, 33, true)
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

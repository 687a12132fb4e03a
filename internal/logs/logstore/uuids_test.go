package logstore_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/logevent"
	"savedq/internal/logs/logstore"
	"savedq/internal/logs/parts"
)

// uuids returns ids that are stored as UUIDs, in ascending order.
func uuids(count int) []string {
	ids := make([]string, count)
	for i := range ids {
		ids[i] = uuid.NewSHA1(uuid.NameSpaceOID, []byte{byte(i)}).String()
	}
	slices.Sort(ids)
	return ids
}

// storesUUIDs returns for each part of a store whether its ids are stored as UUIDs.
func storesUUIDs(t *testing.T, directory string) (found []bool) {
	t.Helper()
	manifest, err := parts.Read(directory)
	require.NoError(t, err)
	for i := range manifest.Parts {
		found = append(found, manifest.Parts[i].UUIDs)
	}
	return found
}

// An id is the text that was sent, however it is stored.
func TestIDsStayTheirTexts(t *testing.T) {
	t.Parallel()
	const id = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
	for name, other := range map[string]string{
		"capitals":           "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D",
		"one capital":        "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4D",
		"braces":             "{0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d}",
		"no hyphens":         "0a1b2c3d4e5f4a6b8c7d9e0f1a2b3c4d",
		"other hyphens":      "0a1b2c3d4e5f-4a6b-8c7d-9e0f-1a2b3c4d",
		"a character less":   "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4",
		"a character more":   "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d0",
		"a letter":           "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4g",
		"a space before":     " 0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
		"a space after":      "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d ",
		"a URN":              "urn:uuid:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
		"a zero byte":        "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d\x00",
		"digits of Unicode":  "٠a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d",
		"no UUID at all":     "1",
		"the empty text":     "",
		"a number in quotes": "'1'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			store := open(t, directory)
			for _, one := range []string{id, other} {
				ingestEvents(t, store, source(t, "edge_logs"), logevent.Event{ID: one, Timestamp: noon})
				_, err := store.Checkpoint(t.Context())
				require.NoError(t, err)
			}
			assert.Equal(t, []bool{true, false}, storesUUIDs(t, directory))
			check := func() {
				t.Helper()
				assert.ElementsMatch(t, []string{id, other}, texts(t, store, "SELECT id FROM edge_logs"))
				assert.ElementsMatch(t, []string{id, other}, texts(t, store, "SELECT id FROM all_logs"))
				for _, one := range []string{id, other} {
					var count int
					require.NoError(t, store.DB().QueryRowContext(t.Context(), "SELECT count(*) FROM edge_logs WHERE id = ?", one).Scan(&count))
					assert.Equal(t, 1, count, one)
				}
				var recent []logevent.Fingerprint
				require.NoError(t, store.RecentIDs(t.Context(), time.Time{}, func(id logstore.RecentID) { recent = append(recent, id.Fingerprint) }))
				for _, one := range []string{id, other} {
					assert.Contains(t, recent, logevent.FingerprintOf(source(t, "edge_logs"), one))
				}
			}
			check()
			added, duplicates := add(t, store, logstore.Sent, other, id)
			assert.Equal(t, []int{0, 2}, []int{added, duplicates})
			_, err := store.Merge(t.Context(), noon.AddDate(1, 0, 0), nil)
			require.NoError(t, err)
			assert.Equal(t, []bool{false}, storesUUIDs(t, directory))
			check()
			added, duplicates = add(t, store, logstore.Sent, other, id)
			assert.Equal(t, []int{0, 2}, []int{added, duplicates})
			require.NoError(t, store.Close())
		})
	}
}

// A UUID that is stored as one is found only by the text that was sent, and sorts as that text does.
func TestUUIDsCompareAsTexts(t *testing.T) {
	t.Parallel()
	const count, high, low = 40, "ffffffff-ffff-4fff-bfff-ffffffffffff", "00000000-0000-4000-8000-000000000000"
	ids := append(append([]string{low}, uuids(count)...), high)
	directory := t.TempDir()
	store := open(t, directory)
	add(t, store, logstore.Sent, ids...)
	assert.Equal(t, []bool{true}, storesUUIDs(t, directory))
	assert.Equal(t, ids, texts(t, store, "SELECT id FROM edge_logs ORDER BY id"))
	assert.Equal(t, ids[30:], texts(t, store, "SELECT id FROM edge_logs WHERE id >= '"+ids[30]+"' ORDER BY id"))
	for _, condition := range []string{
		"id = upper('" + ids[3] + "')", "id = '" + "{" + high + "}'", "id IN ('FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF', 'x')",
		"id = 'ffffffffffff4fffbfffffffffffffff'", "id = 'no UUID'", "id > '" + high + "'", "id < '" + low + "'",
	} {
		assert.Empty(t, texts(t, store, "SELECT id FROM edge_logs WHERE "+condition), condition)
	}
	assert.Equal(t, []string{high}, texts(t, store, "SELECT id FROM edge_logs WHERE id LIKE 'ffffffff-%' AND length(id) = 36"))
	assert.Equal(t, []string{"VARCHAR"}, texts(t, store, "SELECT DISTINCT typeof(id) FROM all_logs"))
	require.NoError(t, store.Close())
}

// Parts with UUIDs become one with UUIDs, and so do those with texts once all that is left are UUIDs. The ids are found again
// when their file was lost.
func TestMergedUUIDs(t *testing.T) {
	t.Parallel()
	directory, ids, table := t.TempDir(), uuids(6), source(t, "edge_logs")
	store := open(t, directory)
	add(t, store, logstore.Sent, ids[:2]...)
	addEvents(t, store, table.Name, logevent.Event{ID: "old", Timestamp: noon.Add(-time.Hour)}, logevent.Event{ID: ids[2], Timestamp: noon}, logevent.Event{ID: ids[3], Timestamp: noon})
	add(t, store, logstore.Sent, ids[4:]...)
	require.NoError(t, store.Close())
	files, err := filepath.Glob(filepath.Join(directory, parts.Directory, "*.ids"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, file := range files {
		require.NoError(t, os.Remove(file))
	}
	store = open(t, directory)
	added, duplicates := add(t, store, logstore.Sent, append([]string{"old"}, ids...)...)
	assert.Equal(t, []int{0, 7}, []int{added, duplicates})
	_, err = store.Delete(t.Context(), logstore.Deletion{Source: table, Before: noon})
	require.NoError(t, err)
	merge := func() {
		_, err := store.Merge(t.Context(), noon.AddDate(1, 0, 0), nil)
		require.NoError(t, err)
	}
	merge()
	assert.Equal(t, []bool{true}, storesUUIDs(t, directory))
	add(t, store, logstore.Sent, uuids(8)...)
	merge()
	assert.Equal(t, []bool{true}, storesUUIDs(t, directory))
	assert.Equal(t, uuids(8), texts(t, store, "SELECT id FROM edge_logs ORDER BY id"))
	require.NoError(t, store.Close())
}

package parts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"savedq/internal/logs/parts"
)

func day(number int) time.Time { return time.Date(2026, 11, number, 12, 0, 0, 0, time.UTC) }

// part has events of two sources.
func part() parts.Part {
	return parts.Part{Number: 7, Sources: []parts.Source{
		{Name: "auth_logs", Events: 2, Oldest: day(10), Newest: day(12)},
		{Name: "edge_logs", Events: 3, Oldest: day(11), Newest: day(20)},
	}}
}

// A selection is noted only if the part can have events of it, and replaces those that select less.
func TestHide(t *testing.T) {
	t.Parallel()
	edge := func(project string, before time.Time) parts.Selection {
		return parts.Selection{Source: "edge_logs", Project: project, Before: before}
	}
	for name, test := range map[string]struct{ hide, want []parts.Selection }{
		"another source":               {[]parts.Selection{{Source: "storage_logs"}}, nil},
		"before its events":            {[]parts.Selection{edge("", day(11))}, nil},
		"some":                         {[]parts.Selection{edge("", day(12))}, []parts.Selection{edge("", day(12))}},
		"more":                         {[]parts.Selection{edge("", day(12)), edge("", day(13))}, []parts.Selection{edge("", day(13))}},
		"less":                         {[]parts.Selection{edge("", day(13)), edge("", day(12))}, []parts.Selection{edge("", day(13)), edge("", day(12))}},
		"all":                          {[]parts.Selection{edge("acme", day(13)), edge("", day(12)), edge("", time.Time{})}, []parts.Selection{edge("", time.Time{})}},
		"a project":                    {[]parts.Selection{edge("", day(12)), edge("acme", time.Time{})}, []parts.Selection{edge("", day(12)), edge("acme", time.Time{})}},
		"a project beside another one": {[]parts.Selection{edge("acme", day(12)), edge("globex", day(13))}, []parts.Selection{edge("acme", day(12)), edge("globex", day(13))}},
		"all before, after a project":  {[]parts.Selection{edge("acme", day(12)), edge("", day(13))}, []parts.Selection{edge("", day(13))}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			hidden := part()
			for _, selection := range test.hide {
				hidden = hidden.Hide(selection)
			}
			assert.Equal(t, test.want, hidden.Hidden)
			assert.Nil(t, part().Hidden)
		})
	}
}

// A part is removed once all of its sources are hidden as a whole.
func TestIsHidden(t *testing.T) {
	t.Parallel()
	isHidden := func(selections ...parts.Selection) bool {
		hidden := part()
		for _, selection := range selections {
			hidden = hidden.Hide(selection)
		}
		return hidden.IsHidden()
	}
	assert.False(t, isHidden())
	assert.False(t, isHidden(parts.Selection{Source: "edge_logs"}))
	assert.True(t, isHidden(parts.Selection{Source: "edge_logs"}, parts.Selection{Source: "auth_logs"}))
	assert.True(t, isHidden(parts.Selection{Source: "edge_logs", Before: day(21)}, parts.Selection{Source: "auth_logs", Before: day(13)}))
	assert.False(t, isHidden(parts.Selection{Source: "edge_logs", Before: day(20)}, parts.Selection{Source: "auth_logs", Before: day(13)}), "the newest event stays")
	assert.False(t, isHidden(parts.Selection{Source: "edge_logs", Project: "acme"}, parts.Selection{Source: "auth_logs"}))
}

// A manifest is read as it was written. One that cannot be read is not changed.
func TestReadManifest(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	_, err := parts.Read(directory)
	require.ErrorIs(t, err, os.ErrNotExist)
	written := parts.Manifest{Store: "s", Program: "savedq 0.2.0", Position: 9, Next: 8, State: 5, Parts: []parts.Part{part().Hide(parts.Selection{Source: "edge_logs"})}}
	require.False(t, written.IsIn(directory))
	require.NoError(t, written.Write(directory))
	require.True(t, written.IsIn(directory))
	read, err := parts.Read(directory)
	require.NoError(t, err)
	written.Format = read.Format
	assert.Equal(t, written, read)
	path := filepath.Join(directory, parts.ManifestName)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, test := range map[string]struct{ content, want string }{
		"cut off":  {string(content[:len(content)/2]), "is damaged; restore it from a backup, it was not changed"},
		"empty":    {"", "is damaged; restore it from a backup, it was not changed"},
		"no store": {"{}", "is damaged; restore it from a backup, it was not changed"},
		"later": {
			strings.Replace(string(content), `"format": 1`, `"format": 99`, 1),
			"was written by savedq 0.2.0 and has the format 99, but this savedq reads formats up to 1; use that program or a newer one, or choose another --data directory",
		},
	} {
		require.NoError(t, os.WriteFile(path, []byte(test.content), 0o600))
		_, err := parts.Read(directory)
		require.ErrorContains(t, err, test.want, name)
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, test.content, string(after), name)
	}
}

// Only files that a store gives its names are removed.
func TestRemoveOthers(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	manifest := parts.Manifest{State: 5, Parts: []parts.Part{{Number: 7}}}
	require.NoError(t, manifest.RemoveOthers(directory), "no part was written yet")
	require.NoError(t, os.Mkdir(filepath.Join(directory, parts.Directory), 0o700))
	kept := []string{"00000005.state", "00000007.events", "00000007.ids", "README", "notes.events", "8.txt"}
	for _, name := range append([]string{"00000004.state", "00000005.events", "00000008.events", "00000008.events.wal", "00000008.ids"}, kept...) {
		require.NoError(t, os.WriteFile(filepath.Join(directory, parts.Directory, name), nil, 0o600))
	}
	require.NoError(t, manifest.RemoveOthers(directory))
	entries, err := os.ReadDir(filepath.Join(directory, parts.Directory))
	require.NoError(t, err)
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	assert.ElementsMatch(t, kept, left)
}

// Errors name what is wrong with a file.
func TestCheckPart(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(directory, parts.Directory), 0o700))
	checked := part()
	path := filepath.Join(directory, parts.Directory, checked.FileName())
	check := func(want string) {
		t.Helper()
		wrong, err := checked.Check(directory)
		require.NoError(t, err)
		assert.Equal(t, want, wrong)
	}
	check("it is missing")
	require.NoError(t, os.WriteFile(path, []byte("abc"), 0o600))
	var err error
	checked.Bytes, checked.Checksum, err = parts.Sum(path)
	require.NoError(t, err)
	check("")
	require.NoError(t, os.WriteFile(path, []byte("abd"), 0o600))
	check("its checksum is wrong")
	require.NoError(t, os.WriteFile(path, []byte("ab"), 0o600))
	check("it has 2 bytes instead of 3")
}

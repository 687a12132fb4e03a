package writeahead

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// file is the path of the file that begins with a record, in a log whose files have one record each.
func file(directory string, first uint64) string {
	return filepath.Join(directory, fileName(first, first-1))
}

// fiveFiles returns the directory of a log with five files of one record each, of which the first
// two are stored and forgotten.
func fiveFiles(t *testing.T, store string) string {
	t.Helper()
	directory := filepath.Join(t.TempDir(), "log")
	log, err := Open(Config{Directory: directory, Store: store})
	require.NoError(t, err)
	_, err = log.Read(0, nil)
	require.NoError(t, err)
	log.fileBytes = 1
	for i := range 5 {
		appendAll(t, log, fmt.Sprint(store, i+1))
	}
	require.NoError(t, log.Forget(2))
	require.NoError(t, log.Close())
	return directory
}

func read(t *testing.T, config Config, after uint64) (log *Log, records []string, recovery Recovery, err error) {
	t.Helper()
	log, err = Open(config)
	require.NoError(t, err)
	recovery, err = log.Read(after, func(_ uint64, record []byte) error {
		records = append(records, string(record))
		return nil
	})
	return log, records, recovery, err
}

// A gap in the log of a store is an error that names it, and stays one until the
// operator accepts it. The rest is read then, and the next start needs no consent.
func TestWhatIsMissingIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		change  func(t *testing.T, directory string)
		missing string // a part of the error
		left    []string
	}{
		"nothing":  {change: func(*testing.T, string) {}, left: []string{"s3", "s4", "s5"}},
		"a middle": {change: remove(4), missing: "the records 4 to 4 before", left: []string{"s3", "s5"}},
		"a first":  {change: remove(3), missing: "the records 3 to 3 before", left: []string{"s4", "s5"}},
		"a last":   {change: remove(5), missing: "begins with record 5, is gone or empty", left: []string{"s3", "s4"}},
		"the last two": {change: func(t *testing.T, directory string) {
			t.Helper()
			remove(4)(t, directory)
			remove(5)(t, directory)
		}, missing: "begins with record 5, is gone or empty", left: []string{"s3"}},
		"all": {change: func(t *testing.T, directory string) {
			t.Helper()
			require.NoError(t, os.RemoveAll(directory))
		}, missing: "begins with record 5, is gone or empty"},
		"an emptied middle": {change: truncate(4, 0), missing: "the records 4 to 4 before", left: []string{"s3", "s5"}},
		"an emptied last":   {change: truncate(5, 0), missing: "begins with record 5, is gone or empty", left: []string{"s3", "s4"}},
		"a last cut off":    {change: truncate(5, len(fileHeader)), missing: "begins with record 5, is gone or empty", left: []string{"s3", "s4"}},
		"swapped": {change: func(t *testing.T, directory string) {
			t.Helper()
			rename(t, file(directory, 3), directory+"/aside")
			rename(t, file(directory, 5), file(directory, 3))
			rename(t, directory+"/aside", file(directory, 5))
		}, left: []string{"s3", "s4", "s5"}},
		"renamed": {change: func(t *testing.T, directory string) {
			t.Helper()
			rename(t, file(directory, 3), directory+"/zzz.log")
		}, left: []string{"s3", "s4", "s5"}},
		"another one in its place": {change: func(t *testing.T, directory string) {
			t.Helper()
			content, err := os.ReadFile(file(directory, 3))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(file(directory, 4), content, ownerOnly))
		}, missing: "the records 4 to 4 before", left: []string{"s3", "s5"}},
		"a foreign one in its place": {change: func(t *testing.T, directory string) {
			t.Helper()
			rename(t, file(fiveFiles(t, "other"), 4), file(directory, 4))
		}, missing: "there are events of another store in", left: []string{"s3", "s5"}},
		"a foreign one": {change: func(t *testing.T, directory string) {
			t.Helper()
			rename(t, file(fiveFiles(t, "other"), 5), file(directory, 6))
		}, missing: "there are events of another store in", left: []string{"s3", "s4", "s5"}},
	} {
		t.Run(name, func(t *testing.T) {
			directory := fiveFiles(t, "s")
			test.change(t, directory)
			strict := Config{Directory: directory, Store: "s"}
			for range 2 {
				_, records, _, err := read(t, strict, 2)
				if test.missing == "" {
					require.NoError(t, err)
					require.Equal(t, test.left, records)
					continue
				}
				require.ErrorContains(t, err, test.missing)
				require.ErrorContains(t, err, "--accept-missing-events")
			}
			lenient := strict
			lenient.AcceptMissing = true
			log, records, recovery, err := read(t, lenient, 2)
			require.NoError(t, err)
			assert.Equal(t, test.left, records)
			if test.missing != "" {
				assert.Contains(t, recovery.Missing[0], test.missing)
			}
			for _, config := range []Config{strict, lenient} { // before the first append and after it
				_, records, recovery, err = read(t, config, 2)
				require.NoError(t, err)
				assert.Equal(t, test.left, records)
				assert.Empty(t, recovery.Missing)
				appendAll(t, log, "new")
				require.NoError(t, log.Close())
				test.left = append(test.left, "new")
				log, _, _, err = read(t, strict, 2)
				require.NoError(t, err)
			}
		})
	}
}

func remove(first uint64) func(*testing.T, string) {
	return func(t *testing.T, directory string) {
		t.Helper()
		require.NoError(t, os.Remove(file(directory, first)))
	}
}

func truncate(first uint64, length int) func(*testing.T, string) {
	return func(t *testing.T, directory string) {
		t.Helper()
		require.NoError(t, os.Truncate(file(directory, first), int64(length)))
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.Rename(from, to))
}

// Damage is reported as damage. The gap that it leaves is no further reason.
func TestADamagedEndIsNotMissing(t *testing.T) {
	directory := fiveFiles(t, "s")
	content, err := os.ReadFile(file(directory, 4))
	require.NoError(t, err)
	content[len(content)-1] ^= 1
	require.NoError(t, os.WriteFile(file(directory, 4), content, ownerOnly))
	_, records, recovery, err := read(t, Config{Directory: directory, Store: "s"}, 2)
	require.NoError(t, err)
	assert.Equal(t, []string{"s3", "s5"}, records)
	assert.Len(t, recovery.Damages, 1)
}

// A store that was restored from an older backup lacks what has been forgotten since then.
func TestAnOlderStoreLacksRecords(t *testing.T) {
	_, _, _, err := read(t, Config{Directory: fiveFiles(t, "s"), Store: "s"}, 1)
	require.ErrorContains(t, err, "the records 2 to 2 before")
}

// Files of builds before the first release say nothing about their store.
func TestFilesOfEarlierBuildsAreRefused(t *testing.T) {
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(file(directory, 1), appendRecord([]byte(fileHeader), 1, []byte("s1")), ownerOnly))
	for _, accept := range []bool{false, true} {
		_, _, _, err := read(t, Config{Directory: directory, Store: "s", AcceptMissing: accept}, 0)
		require.ErrorContains(t, err, "a build before 0.1.0 wrote "+file(directory, 1))
	}
}

func TestANoteThatIsNone(t *testing.T) {
	directory := fiveFiles(t, "s")
	require.NoError(t, os.WriteFile(notePath(directory), []byte(`{"newest`), ownerOnly))
	config := Config{Directory: directory, Store: "s"}
	_, _, _, err := read(t, config, 2)
	require.ErrorContains(t, err, notePath(directory)+" is not what was written")
	config.AcceptMissing = true
	_, records, recovery, err := read(t, config, 2)
	require.NoError(t, err)
	assert.Equal(t, []string{"s3", "s4", "s5"}, records)
	assert.Len(t, recovery.Missing, 1)
	config.AcceptMissing = false
	_, _, _, err = read(t, config, 2)
	require.NoError(t, err)
}

// Without a note, a file is not begun: it could go missing without being missed.
func TestANoteThatCannotBeWritten(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "log")
	log, _, _, err := read(t, Config{Directory: directory, Store: "s"}, 0)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(notePath(directory), ownerOnlyFolder))
	_, err = log.Append([]byte("lost"))
	require.ErrorContains(t, err, "start a file of the write-ahead log")
	left, err := filepath.Glob(directory + "/*")
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, os.Remove(notePath(directory)))
	appendAll(t, log, "kept")
	_, records, _, err := read(t, Config{Directory: directory, Store: "s"}, 0)
	require.NoError(t, err)
	assert.Equal(t, []string{"kept"}, records)
}

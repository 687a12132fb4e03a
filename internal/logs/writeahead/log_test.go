package writeahead

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reopen opens the log in a directory and returns its records, as "sequence content".
func reopen(t *testing.T, directory string, after uint64) (*Log, []string, Recovery) {
	t.Helper()
	var records []string
	log, err := Open(Config{Directory: directory, Store: "store"})
	require.NoError(t, err)
	recovery, err := log.Read(after, func(sequence uint64, record []byte) error {
		records = append(records, fmt.Sprintf("%d %s", sequence, record))
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log, records, recovery
}

func appendAll(t *testing.T, log *Log, records ...string) uint64 {
	t.Helper()
	contents := make([][]byte, 0, len(records))
	for _, record := range records {
		contents = append(contents, []byte(record))
	}
	last, err := log.Append(contents...)
	require.NoError(t, err)
	return last
}

func TestRecordsSurviveReopening(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "new", "log")
	log, records, _ := reopen(t, directory, 0)
	assert.Empty(t, records)
	assert.EqualValues(t, 2, appendAll(t, log, "a", "b"))
	assert.EqualValues(t, 3, appendAll(t, log, ""))
	require.NoError(t, log.Close())

	log, records, recovery := reopen(t, directory, 0)
	assert.Equal(t, []string{"1 a", "2 b", "3 "}, records)
	assert.Empty(t, recovery.Damages)
	assert.EqualValues(t, 4, appendAll(t, log, "d"))
	require.NoError(t, log.Close())

	_, records, _ = reopen(t, directory, 2)
	assert.Equal(t, []string{"3 ", "4 d"}, records)
}

func TestNumbersContinueAfterWhatIsApplied(t *testing.T) {
	log, _, _ := reopen(t, t.TempDir(), 41)
	assert.EqualValues(t, 42, appendAll(t, log, "a"))
}

func TestFilesAreForgottenAsAWhole(t *testing.T) {
	directory := t.TempDir()
	log, _, _ := reopen(t, directory, 0)
	log.fileBytes = 200
	for range 10 {
		appendAll(t, log, strings.Repeat("x", 40)) // two records per file
	}
	before := log.Bytes()
	require.NoError(t, log.Forget(5))
	assert.Less(t, log.Bytes(), before)
	require.NoError(t, log.Close())
	_, records, _ := reopen(t, directory, 5)
	assert.Len(t, records, 5)
	_, records, _ = reopen(t, directory, 4)
	assert.Len(t, records, 6, "the file of the fifth record has the sixth, too")
}

func TestTheCurrentFileIsNotForgotten(t *testing.T) {
	directory := t.TempDir()
	log, _, _ := reopen(t, directory, 0)
	require.NoError(t, log.Forget(appendAll(t, log, "a")))
	appendAll(t, log, "b")
	_, records, _ := reopen(t, directory, 1)
	assert.Equal(t, []string{"2 b"}, records)
}

// A log whose records are all forgotten is small, and its numbers go on.
func TestAForgottenLogIsSmall(t *testing.T) {
	directory := t.TempDir()
	log, _, _ := reopen(t, directory, 0)
	appendAll(t, log, "a")
	large := appendAll(t, log, strings.Repeat("x", mostForgottenBytes))
	require.NoError(t, log.Forget(large-1))
	assert.Greater(t, log.Bytes(), int64(mostForgottenBytes))
	for range 2 {
		require.NoError(t, log.Forget(large))
		assert.Less(t, log.Bytes(), int64(1000))
	}
	require.NoError(t, log.Close())
	log, records, recovery := reopen(t, directory, large)
	assert.Empty(t, records)
	assert.Zero(t, recovery)
	next := appendAll(t, log, "b")
	assert.Greater(t, next, large)
	require.NoError(t, log.Close())
	_, records, recovery = reopen(t, directory, large)
	assert.Equal(t, []string{fmt.Sprintf("%d b", next)}, records)
	assert.Zero(t, recovery)
}

// written returns the content of a file with these records, and where its identity and each record
// end.
func written(t *testing.T, records ...string) (content []byte, start int, ends []int) {
	t.Helper()
	directory := t.TempDir()
	log, _, _ := reopen(t, directory, 0)
	require.NoError(t, log.openCurrent())
	start = int(log.Bytes())
	for _, record := range records {
		appendAll(t, log, record)
		ends = append(ends, int(log.Bytes()))
	}
	require.NoError(t, log.Close())
	content, err := os.ReadFile(filepath.Join(directory, fileName(1, 0)))
	require.NoError(t, err)
	return content, start, ends
}

func openContent(t *testing.T, content []byte) ([]string, Recovery, string) {
	t.Helper()
	directory := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(directory, fileName(1, 0)), content, ownerOnly))
	_, records, recovery := reopen(t, directory, 0)
	return records, recovery, directory
}

func TestEveryRecordBeforeACutSurvives(t *testing.T) {
	content, start, ends := written(t, "first", "second", "third")
	for length := range content {
		records, recovery, _ := openContent(t, content[:length])
		whole := 0
		for whole < len(ends) && ends[whole] <= length {
			whole++
		}
		require.Equal(t, []string{"1 first", "2 second", "3 third"}[:whole], append([]string{}, records...), "cut at %d", length)
		atEnd := length == len(fileHeader) || length == start || whole > 0 && ends[whole-1] == length || length == 0
		require.Equal(t, !atEnd, len(recovery.Damages) == 1, "cut at %d", length)
		for _, damage := range recovery.Damages {
			require.True(t, damage.Unfinished, "cut at %d", length)
			require.Contains(t, damage.String(), "never acknowledged")
		}
	}
}

func TestABitFlipHitsOneRecord(t *testing.T) {
	content, start, ends := written(t, "first", "second", "third")
	all := []string{"1 first", "2 second", "3 third"}
	for offset := len(fileHeader); offset < len(content); offset++ {
		bit := offset % 8
		flipped := bytes.Clone(content)
		flipped[offset] ^= 1 << bit
		left := slices.Clone(all)
		if offset >= start { // the name says the same as the identity
			hit := slices.IndexFunc(ends, func(end int) bool { return offset < end })
			left = slices.Delete(left, hit, hit+1)
		}
		records, recovery, _ := openContent(t, flipped)
		require.Equal(t, left, records, "bit %d of byte %d", bit, offset)
		require.Len(t, recovery.Damages, 1)
		require.Contains(t, recovery.Damages[0].String(), "is damaged")
	}
}

func TestADamagedFileHeaderLosesNothing(t *testing.T) {
	content, _, _ := written(t, "first", "second")
	content[3] ^= 1
	records, recovery, _ := openContent(t, content)
	assert.Equal(t, []string{"1 first", "2 second"}, records)
	assert.Len(t, recovery.Damages, 1)
}

func TestZerosAtTheEndAreAnUnfinishedRecord(t *testing.T) {
	content, _, _ := written(t, "first")
	records, recovery, _ := openContent(t, append(content, make([]byte, 4096)...))
	assert.Equal(t, []string{"1 first"}, records)
	require.Len(t, recovery.Damages, 1)
	assert.True(t, recovery.Damages[0].Unfinished)
}

func TestADamagedFileIsKept(t *testing.T) {
	content, _, ends := written(t, "first", "second")
	content[ends[0]-1] ^= 1
	_, _, directory := openContent(t, content)
	log, records, _ := reopen(t, directory, 0)
	assert.Equal(t, []string{"2 second"}, records)
	appendAll(t, log, "third")
	require.NoError(t, log.Forget(2))
	kept, err := os.ReadFile(filepath.Join(directory, fileName(1, 0)+damagedSuffix))
	require.NoError(t, err)
	assert.Equal(t, content, kept)
	_, records, recovery := reopen(t, directory, 2)
	assert.Equal(t, []string{"3 third"}, records)
	assert.Empty(t, recovery.Damages)
}

// A crash before the end of a file's first append leaves such a file, and so does a flipped bit in
// its only record.
func TestTheNameOfAFileWithoutIntactRecordsIsNotUsedAgain(t *testing.T) {
	flipped := appendRecord([]byte(fileHeader), 1, []byte("first"))
	flipped[len(flipped)-1] ^= 1
	for name, test := range map[string]struct {
		content []byte
		left    []string
	}{
		"empty":        {content: nil},
		"header only":  {content: []byte(fileHeader)},
		"unfinished":   {content: []byte(fileHeader + recordMark + "\x01")},
		"a bit flip":   {content: flipped, left: []string{fileName(1, 0) + damagedSuffix}},
		"not a record": {content: bytes.Repeat([]byte("something else "), 10), left: []string{fileName(1, 0) + damagedSuffix}},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			path := filepath.Join(directory, fileName(1, 0))
			require.NoError(t, os.WriteFile(path, test.content, ownerOnly))
			log, _, _ := reopen(t, directory, 0)
			stored := appendAll(t, log, "stored")
			require.NoError(t, log.Forget(stored))
			acknowledged := appendAll(t, log, "acknowledged")
			require.NoError(t, log.Forget(stored))
			require.NoError(t, log.Close())
			for _, file := range test.left {
				kept, err := os.ReadFile(filepath.Join(directory, file))
				require.NoError(t, err)
				assert.Equal(t, test.content, kept)
			}
			assert.NoFileExists(t, path)

			_, records, recovery := reopen(t, directory, stored)
			assert.Equal(t, []string{fmt.Sprint(acknowledged, " acknowledged")}, records)
			assert.Empty(t, recovery.Damages)
		})
	}
}

// A file that somebody has removed is not in the way of those after it.
func TestAMissingFileIsForgotten(t *testing.T) {
	directory := t.TempDir()
	log, _, _ := reopen(t, directory, 0)
	log.fileBytes = 1
	appendAll(t, log, "first")
	appendAll(t, log, "second")
	require.NoError(t, os.Remove(filepath.Join(directory, fileName(1, 0))))
	appendAll(t, log, "third")
	require.NoError(t, log.Forget(2))
	assert.NoFileExists(t, filepath.Join(directory, fileName(2, 1)))
	assert.FileExists(t, filepath.Join(directory, fileName(3, 2)))
}

// The newest file stays, because the note names it.
func TestTheNewestFileIsNotForgotten(t *testing.T) {
	directory := t.TempDir()
	log, _, _ := reopen(t, directory, 0)
	log.fileBytes = 1 // so that no file stays open
	require.NoError(t, log.Forget(appendAll(t, log, "a")))
	_, records, _ := reopen(t, directory, 0)
	assert.Equal(t, []string{"1 a"}, records)
}

func TestAFailedAppendCountsAsNotDone(t *testing.T) {
	for _, before := range []int{0, 2} {
		t.Run(fmt.Sprint(before, " records before"), func(t *testing.T) {
			directory := t.TempDir()
			log, _, _ := reopen(t, directory, 0)
			for range before {
				appendAll(t, log, "before")
			}
			require.NoError(t, log.openCurrent())
			require.NoError(t, log.current.Close()) // so that writing fails
			_, err := log.Append([]byte("lost"))
			require.ErrorContains(t, err, "append to the write-ahead log")
			appendAll(t, log, "after")
			_, records, recovery := reopen(t, directory, uint64(before))
			assert.Equal(t, []string{fmt.Sprint(before+2, " after")}, records)
			assert.Empty(t, recovery.Damages)
		})
	}
}

// A write can reach the disk although it failed, and truncating the file can fail, too. The records
// were sent again, so those of the failed append must not come back beside them.
func TestWhatAFailedAppendLeavesBehindDoesNotCount(t *testing.T) {
	for _, before := range []int{0, 2} {
		t.Run(fmt.Sprint(before, " records before"), func(t *testing.T) {
			directory := t.TempDir()
			log, _, _ := reopen(t, directory, 0)
			for range before {
				appendAll(t, log, "before")
			}
			for range 2 { // the second failure leaves a file without a record that counts
				require.NoError(t, log.openCurrent())
				file, sequence := log.current.Name(), log.next
				content, err := os.ReadFile(file)
				require.NoError(t, err)
				require.NoError(t, log.current.Close()) // so that writing fails
				_, err = log.Append([]byte("failed"), []byte("failed"))
				require.Error(t, err)
				content = appendRecord(content, sequence, []byte("failed"))
				require.NoError(t, os.WriteFile(file, content, ownerOnly))
			}
			_, records, _ := reopen(t, directory, uint64(before))
			assert.Len(t, records, 1, "the last one may count: nobody has sent it again")

			last := appendAll(t, log, "sent again")
			_, records, recovery := reopen(t, directory, uint64(before))
			assert.Equal(t, []string{fmt.Sprint(last, " sent again")}, records)
			assert.Empty(t, recovery.Damages)
			log, records, _ = reopen(t, directory, 0)
			assert.Len(t, records, before+1)
			last = appendAll(t, log, "after a restart")
			_, records, _ = reopen(t, directory, 0)
			assert.Len(t, records, before+2)
			assert.Equal(t, fmt.Sprint(last, " after a restart"), records[before+1])
		})
	}
}

func TestADirectoryThatCannotBeUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, ownerOnly))
	_, err := Open(Config{Directory: path})
	require.ErrorContains(t, err, "create the directory of the write-ahead log")
}

func TestADirectoryThatDisappears(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "log")
	log, _, _ := reopen(t, directory, 0)
	require.NoError(t, os.RemoveAll(directory))
	_, err := log.Append([]byte("a"))
	require.ErrorContains(t, err, "start a file of the write-ahead log")
	require.NoError(t, os.Mkdir(directory, ownerOnlyFolder))
	appendAll(t, log, "b")
	_, records, _ := reopen(t, directory, 0)
	assert.Len(t, records, 1)
}

// Whatever a file holds, an intact record at its end is read, and records that are appended later are
// not lost with it.
func FuzzOpen(f *testing.F) {
	identified, err := identity{First: 1}.newFile()
	require.NoError(f, err)
	f.Add(identified, 0)
	f.Add(bytes.Repeat([]byte("x"), len(fileHeader)), 204) // a damaged header
	f.Add(appendRecord(identified, 1, []byte("first")), 120)
	f.Fuzz(func(t *testing.T, content []byte, cut int) {
		whole := appendRecord(content, 1<<40, []byte("intact"))
		if rest, hasHeader := bytes.CutPrefix(whole, []byte(fileHeader)); hasHeader {
			if first, condition := parseRecord(rest); condition == intact && first.sequence != 0 {
				t.Skip("a file without an identity is an error")
			}
		}
		records, _, _ := openContent(t, whole)
		require.NotEmpty(t, records)
		require.Contains(t, records[len(records)-1], "intact")
		_, _, directory := openContent(t, whole[:max(0, min(cut, len(whole)))])
		log, _, _ := reopen(t, directory, 0)
		stored := appendAll(t, log, "stored")
		require.NoError(t, log.Forget(stored))
		acknowledged := appendAll(t, log, "acknowledged")
		require.NoError(t, log.Forget(stored))
		_, records, _ = reopen(t, directory, stored)
		require.Equal(t, []string{fmt.Sprint(acknowledged, " acknowledged")}, records)
	})
}

// Records are read again while others are appended, from whatever files they are in: also after an append that failed
// has left a record that does not count.
func TestReadAgain(t *testing.T) {
	t.Parallel()
	directory := filepath.Join(t.TempDir(), "log")
	log, err := Open(Config{Directory: directory, Store: "s"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, log.Close()) })
	log.fileBytes = 300 // each file has a few records
	_, err = log.Read(0, func(uint64, []byte) error { return nil })
	require.NoError(t, err)
	appendOne := func(content string) (uint64, error) { return log.Append([]byte(content)) }
	for i := range 20 {
		_, err := appendOne(fmt.Sprint("record ", i+1))
		require.NoError(t, err)
	}
	file := log.files[len(log.files)-1]
	if log.current == nil {
		_, err = appendOne("record 21")
		require.NoError(t, err)
		file = log.files[len(log.files)-1]
	}
	last := log.last
	failed, err := os.OpenFile(file.path, os.O_WRONLY|os.O_APPEND, 0)
	require.NoError(t, err)
	_, err = failed.Write(appendRecord(nil, log.next, []byte("not acknowledged")))
	require.NoError(t, errors.Join(err, failed.Close(), log.closeCurrent()))
	log.next++
	_, err = appendOne(fmt.Sprint("record ", last+2))
	require.NoError(t, err)
	for after := range last + 1 {
		want := after
		require.NoError(t, log.ReadAgain(after, last+2, func(sequence uint64, content []byte) error {
			if want++; want == last+1 {
				want++
			}
			assert.Equal(t, want, sequence)
			assert.Equal(t, fmt.Sprint("record ", want), string(content))
			return nil
		}))
		assert.Equal(t, want, last+2)
	}
	count := 0
	require.NoError(t, log.ReadAgain(3, 5, func(uint64, []byte) error { count++; return nil }))
	assert.Equal(t, 2, count, "later ones are left out")
	require.NoError(t, log.Forget(last))
	_, err = appendOne("more")
	require.NoError(t, err)
}

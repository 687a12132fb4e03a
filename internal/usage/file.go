package usage

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"savedq/internal/durable"
)

const (
	fileSuffix, partSuffix                 = ".ndjson", ".part"
	ownerOnly, ownerOnlyFolder fs.FileMode = 0o600, 0o700
	// compactAbove is the size up to which a file is not compacted.
	compactAbove = 1 << 20
	maxLineBytes = 64 << 10
)

// line is a line of the file of a day: the totals of a row, or what an id has spent of its
// budget. A line replaces earlier ones about the same.
type line struct {
	ID

	Endpoint string `json:"endpoint,omitempty"`
	*Totals

	Spent *spent `json:"spent,omitempty"`
}

// spent is what an id has spent in the last hour in which it spent anything, and in the day.
type spent struct {
	Hour   int     `json:"hour"`
	OfHour Amounts `json:"of_hour"`
	OfDay  Amounts `json:"of_day"`
}

func appendLine(dst []byte, l line) []byte {
	encoded, err := json.Marshal(l)
	if err != nil { // cannot happen with strings and numbers
		panic(fmt.Sprintf("usage: encode a line: %v", err))
	}
	return append(append(dst, encoded...), '\n')
}

// pathOf returns the path of the file of a day.
func pathOf(directory string, day time.Time) string {
	return filepath.Join(directory, day.Format(time.DateOnly)+fileSuffix)
}

// readFile calls each for the lines of a file, in their order. It returns how many lines could
// not be read. A file that does not exist has no lines.
func readFile(path string, each func(line)) (damaged int, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = file.Close() }()
	reader := bufio.NewReaderSize(file, maxLineBytes)
	for {
		text, err := reader.ReadSlice('\n')
		var read line
		switch {
		case errors.Is(err, io.EOF) && len(text) == 0:
			return damaged, nil
		case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull):
			return damaged, err
		case err != nil || json.Unmarshal(bytes.TrimSpace(text), &read) != nil || read.Token == "":
			damaged++ // the last line after a crash has no end
		default:
			each(read)
		}
	}
}

// journal is the file of a day that lines are appended to.
type journal struct {
	path string
	// file is nil if the next write replaces the whole file.
	file *os.File
	// bytes is the size of the file, and compacted what it was after it was last replaced.
	bytes, compacted int64
}

// write writes what has changed of a day, and returns once it is on the disk. After an error
// the next call writes everything.
func (j *journal) write(of *day) error {
	if j.file != nil && j.bytes > 2*j.compacted+compactAbove {
		j.close()
	}
	if j.file == nil {
		return j.replace(of)
	}
	lines := of.appendLines(nil, false)
	if len(lines) == 0 {
		return nil
	}
	_, err := j.file.Write(lines)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.close()
		return err
	}
	j.bytes += int64(len(lines))
	return nil
}

// replace replaces the file with all lines of a day. It writes no file without lines.
func (j *journal) replace(of *day) error {
	lines := of.appendLines(nil, true)
	if len(lines) == 0 {
		return nil
	}
	file, err := os.OpenFile(j.path+partSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, ownerOnly)
	if err != nil {
		return err
	}
	_, err = file.Write(lines)
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = os.Rename(j.path+partSuffix, j.path)
	}
	if err == nil {
		err = durable.SyncDirectory(filepath.Dir(j.path))
	}
	if err != nil {
		_ = file.Close()
		return err
	}
	j.file, j.bytes, j.compacted = file, int64(len(lines)), int64(len(lines))
	return nil
}

// close closes the file. The next write replaces it.
func (j *journal) close() {
	if j.file != nil {
		_ = j.file.Close() // everything has been synced, or is written again
		j.file = nil
	}
}

// removeBefore removes the files of the days before one.
func removeBefore(directory string, first time.Time) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		day, err := time.Parse(time.DateOnly, strings.TrimSuffix(entry.Name(), fileSuffix))
		if err == nil && day.Before(first) {
			if err := os.Remove(filepath.Join(directory, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

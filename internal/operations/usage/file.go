package usage

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"savedq/internal/files/durable"
)

const (
	fileSuffix                             = ".ndjson"
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

// encode returns the text of lines.
func encode(lines []line) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, line := range lines {
		_ = encoder.Encode(line) // strings and numbers can be encoded
	}
	return text.Bytes()
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
	// file is nil if the next write replaces the whole file.
	file *os.File
	// bytes is the size of the file, and compacted what it was after it was last replaced.
	bytes, compacted int64
}

// write writes what has changed of a day, and returns once it is on the disk. After an error
// the next call writes everything.
func (d *day) write(path string) (err error) {
	j := &d.journal
	if j.file != nil && j.bytes > 2*j.compacted+compactAbove {
		j.close()
	}
	everything := j.file == nil
	lines := encode(d.lines(everything, true))
	if len(lines) == 0 {
		return nil
	}
	if everything {
		if err = durable.WriteFile(path, lines); err == nil {
			j.file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		}
		j.bytes, j.compacted = 0, int64(len(lines))
	} else if _, err = j.file.Write(lines); err == nil {
		err = j.file.Sync()
	}
	j.bytes += int64(len(lines))
	if err != nil {
		j.close()
	}
	return err
}

// close closes the file. The next write replaces it.
func (j *journal) close() {
	if j.file != nil {
		_ = j.file.Close() // everything has been synced, or is written again
		j.file = nil
	}
}

// IsFile reports whether the file of a day has a name.
func IsFile(name string) bool {
	_, is := dayOfFile(name)
	return is
}

// dayOfFile returns the day of a file, and reports whether it is the file of one.
func dayOfFile(name string) (time.Time, bool) {
	text, found := strings.CutSuffix(name, fileSuffix)
	day, err := time.Parse(time.DateOnly, text)
	return day, found && err == nil
}

// removeBefore removes the files of the days before one.
func removeBefore(directory string, first time.Time) error {
	entries, err := os.ReadDir(directory)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if day, is := dayOfFile(entry.Name()); is && day.Before(first) {
			if err := os.Remove(filepath.Join(directory, entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

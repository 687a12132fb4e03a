// Package writeahead is a write-ahead log: a directory of files to which records are
// appended. An appended record survives a crash of the process and of the machine. Damage to
// a file affects only the records that it hits.
package writeahead

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// fileBytes is the size at which the log starts a new file.
const fileBytes = 16 << 20

const (
	ownerOnly       = 0o600 // logs may hold secrets
	ownerOnlyFolder = 0o700
)

// Log is an open write-ahead log. It is safe for concurrent use.
type Log struct {
	directory string
	// fileBytes is the constant, except in tests.
	fileBytes int64

	// unread are the paths of the files that Read has to read.
	unread []string

	mutex sync.Mutex
	// files are in the order of their records. Only the last one can be current.
	files []*logFile
	// current is open for appending, or nil if the next record starts a new file.
	current *os.File
	// next is the sequence number of the next record, and last that of the last one that was
	// appended without an error.
	next, last uint64
	buffer     []byte
}

// logFile is a file of the log.
type logFile struct {
	path string
	// last is the sequence number of the last record, or 0 if the file has none.
	last uint64
	// bytes is the length of its intact content.
	bytes int64
	// damaged reports whether records in the middle of the file cannot be read.
	damaged bool
}

// Open opens the log in a directory, which it creates if it does not exist. [Log.Read] must be
// called before [Log.Append].
func Open(directory string) (*Log, error) {
	if err := os.MkdirAll(directory, ownerOnlyFolder); err != nil {
		return nil, fmt.Errorf("create the directory of the write-ahead log: %w", err)
	}
	paths, err := filepath.Glob(filepath.Join(directory, "*"+fileSuffix))
	if err != nil {
		return nil, fmt.Errorf("list the files of the write-ahead log: %w", err)
	}
	slices.Sort(paths)
	return &Log{directory: directory, fileBytes: fileBytes, unread: paths}, nil
}

// Read calls each for every record with a sequence number above after, in order. The record is
// only valid during the call. Read changes no file: what is damaged stays as it is, and is
// described in the returned [Recovery]. The error may be one of each.
func (l *Log) Read(after uint64, each func(sequence uint64, record []byte) error) (Recovery, error) {
	var recovery Recovery
	last := after
	limits := limitsOf(l.unread)
	for i, path := range l.unread {
		file, err := readFile(path, &recovery, func(sequence uint64, record []byte) error {
			if sequence <= last || sequence > limits[i] {
				return nil // applied, or from an append that failed
			}
			last = sequence
			recovery.Records++
			return each(sequence, record)
		})
		if err != nil {
			return Recovery{}, fmt.Errorf("read the write-ahead log: %w", err)
		}
		l.noteRead(file)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.last = max(l.next, after)
	l.next = l.last + 1
	return recovery, nil
}

// limitsOf returns the highest sequence number that counts in each of these files. Later files have
// it in their names.
func limitsOf(paths []string) []uint64 {
	limits := make([]uint64, len(paths))
	limit := uint64(math.MaxUint64)
	for i, path := range slices.Backward(paths) {
		limits[i] = limit
		_, last := parseFileName(path)
		limit = min(limit, last)
	}
	return limits
}

// noteRead notes what a file has. Forget may delete it now.
func (l *Log) noteRead(file *logFile) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.files = append(l.files, file)
	first, _ := parseFileName(file.path)
	l.next = max(l.next, file.last, first)
}

// Append appends records, and returns once they are on the disk. The result is the sequence
// number of the last one; they are consecutive. After an error, none of the records counts
// as appended. The next Open may return them, unless a later append succeeds.
func (l *Log) Append(records ...[]byte) (uint64, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if err := l.openCurrent(); err != nil {
		return 0, fmt.Errorf("start a file of the write-ahead log: %w", err)
	}
	l.buffer = l.buffer[:0]
	for _, record := range records {
		l.buffer = appendRecord(l.buffer, l.next, record)
		l.next++ // even if writing fails: a number is never used for two records
	}
	file := l.files[len(l.files)-1]
	_, err := l.current.Write(l.buffer)
	if err == nil {
		err = l.current.Sync()
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("append to the write-ahead log: %w", err), l.abandonCurrent(file))
	}
	file.bytes += int64(len(l.buffer))
	file.last = l.next - 1
	if file.bytes >= l.fileBytes {
		err := l.current.Close()
		l.current = nil
		if err != nil {
			return 0, fmt.Errorf("close a file of the write-ahead log: %w", err)
		}
	}
	const usualBytes = 1 << 20
	if cap(l.buffer) > usualBytes {
		l.buffer = nil
	}
	l.last = file.last
	return l.last, nil
}

// openCurrent opens a new file unless one is open. The file is in its directory after a
// crash, too. After an error, the next file has another name.
func (l *Log) openCurrent() error {
	if l.current != nil {
		return nil
	}
	path := filepath.Join(l.directory, fileName(l.next, l.last))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err != nil {
		l.next++
		return err
	}
	_, err = file.WriteString(fileHeader)
	if err == nil {
		err = syncDirectory(l.directory)
	}
	if err != nil {
		l.next++
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	l.current = file
	l.files = append(l.files, &logFile{path: path, bytes: int64(len(fileHeader))})
	return nil
}

// abandonCurrent ends the current file after a failed append. After a failed fsync, the
// content of its pages is unknown, so that the file is never written to again.
func (l *Log) abandonCurrent(file *logFile) error {
	_ = l.current.Truncate(file.bytes) // best effort: the numbers of the records are not used again
	err := l.current.Close()
	l.current = nil
	if file.last == 0 {
		l.files = l.files[:len(l.files)-1]
		err = errors.Join(err, os.Remove(file.path))
	}
	return err
}

// Forget deletes files that have been read, whose records all have sequence numbers up to and
// including through.
// Files with damaged records are renamed instead, for somebody to look at.
func (l *Log) Forget(through uint64) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for len(l.files) > 0 {
		oldest := l.files[0]
		isCurrent := l.current != nil && len(l.files) == 1
		if isCurrent || oldest.last > through {
			return nil
		}
		if err := oldest.remove(); err != nil {
			return fmt.Errorf("delete a file of the write-ahead log: %w", err)
		}
		l.files = l.files[1:]
	}
	return nil
}

// remove deletes or renames the file. Somebody else may have removed it.
func (f *logFile) remove() error {
	var err error
	if f.damaged {
		err = os.Rename(f.path, f.path+damagedSuffix)
	} else {
		err = os.Remove(f.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Bytes returns the size of the log, as far as it has been read.
func (l *Log) Bytes() int64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var bytes int64
	for _, file := range l.files {
		bytes += file.bytes
	}
	return bytes
}

// Close closes the log. Records stay for the next Open.
func (l *Log) Close() error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.current == nil {
		return nil
	}
	err := l.current.Close()
	l.current = nil
	return err
}

// syncDirectory makes the names of new files durable.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

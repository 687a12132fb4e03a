// Package writeahead is a write-ahead log: a directory of files to which records are
// appended. An appended record survives a crash of the process and of the machine. Damage to
// a file affects only the records that it hits.
package writeahead

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"savedq/internal/files/durable"
)

// fileBytes is the size at which the log starts a new file.
const fileBytes = 16 << 20

const (
	ownerOnly       = 0o600 // logs may hold secrets
	ownerOnlyFolder = 0o700
)

// Log is an open write-ahead log. It is safe for concurrent use.
type Log struct {
	config Config
	// fileBytes is the constant, except in tests.
	fileBytes int64

	// keeping is held while files must not be deleted.
	keeping sync.RWMutex

	mutex sync.Mutex
	// note is what the file beside the directory says.
	note note
	// files are in the order of their records. Only the last one can be current.
	files []*logFile
	// current is open for appending, or nil if the next record starts a new file.
	current *os.File
	// next is the sequence number of the next record, and last the number of the last one that was
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

// Config says which log to open.
type Config struct {
	// Directory holds the files. Beside it is a file with its name and .json, which says which of
	// them is the newest.
	Directory string
	// Store is the id of the store whose events the log holds.
	Store string
	// AcceptMissing makes Read go on without records that are missing, and renames files of
	// another store.
	AcceptMissing bool
}

// Open opens a log, whose directory it creates if it does not exist. [Log.Read] must be called
// before [Log.Append].
func Open(config Config) (*Log, error) {
	if err := os.MkdirAll(config.Directory, ownerOnlyFolder); err != nil {
		return nil, fmt.Errorf("create the directory of the write-ahead log: %w", err)
	}
	return &Log{config: config, fileBytes: fileBytes}, nil
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
		if err := l.closeCurrent(); err != nil {
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
	self := identity{Store: l.config.Store, First: l.next, After: l.last}
	content, err := self.newFile()
	if err != nil {
		return err
	}
	path := filepath.Join(l.config.Directory, fileName(self.First, self.After))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, ownerOnly)
	if err != nil {
		l.next++
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = errors.Join(file.Sync(), durable.SyncDirectory(l.config.Directory))
	}
	if err != nil {
		l.next++
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	noted := l.note
	noted.Newest = self.First
	if err := noted.write(notePath(l.config.Directory)); err != nil {
		l.next++
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	// The note may name no file before this one any more.
	l.note = noted
	l.files = append(slices.DeleteFunc(l.files, (*logFile).removeWithoutRecords), &logFile{path: path, bytes: int64(len(content))})
	if err := durable.SyncDirectory(filepath.Dir(l.config.Directory)); err != nil {
		l.next++
		return errors.Join(err, file.Close())
	}
	l.current = file
	return nil
}

// abandonCurrent ends the current file after a failed append. After a failed fsync, the
// content of its pages is unknown, so that the file is never written to again.
func (l *Log) abandonCurrent(file *logFile) error {
	_ = l.current.Truncate(file.bytes) // best effort: the numbers of the records are not used again
	return l.closeCurrent()
}

func (l *Log) closeCurrent() error {
	err := l.current.Close()
	l.current = nil
	return err
}

// mostForgottenBytes is how large the newest file may be when all of its records are forgotten.
const mostForgottenBytes = 1 << 20

// Forget deletes files that have been read, whose records all have sequence numbers up to and
// including through. If all records have, an empty file takes the place of a large one; otherwise the newest file
// stays, because the note names it. Files with damaged records are renamed instead, for somebody to look at.
func (l *Log) Forget(through uint64) error {
	l.keeping.Lock()
	defer l.keeping.Unlock()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.current != nil && l.last <= through && l.files[len(l.files)-1].bytes > mostForgottenBytes {
		if err := errors.Join(l.closeCurrent(), l.openCurrent()); err != nil {
			return fmt.Errorf("start a file of the write-ahead log: %w", err)
		}
	}
	for len(l.files) > 1 {
		oldest := l.files[0]
		if oldest.last > through {
			return nil
		}
		if err := oldest.remove(); err != nil {
			return fmt.Errorf("delete a file of the write-ahead log: %w", err)
		}
		l.files = l.files[1:]
	}
	return nil
}

// removeWithoutRecords deletes a file that has no records, and reports whether it is gone.
func (f *logFile) removeWithoutRecords() bool {
	return f.last == 0 && !f.damaged && f.remove() == nil
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
	return l.closeCurrent()
}

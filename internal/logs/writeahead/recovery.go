package writeahead

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"savedq/internal/files/durable"
)

// Recovery is what opening a log found.
type Recovery struct {
	// Damages are the parts of files that cannot be read.
	Damages []Damage
	// Missing describes what is missing or foreign with the operator's consent.
	Missing []string
}

// missingError reports records that are missing, or files that belong to another store.
type missingError struct{ what string }

// Error says what is missing, and what can be done.
func (e *missingError) Error() string {
	return "the write-ahead log does not hold the acknowledged events that it must: " + e.what +
		"; put its files back, or start the server once with --accept-missing-events to go on without these events"
}

// foreignSuffix marks accepted files of another store.
const foreignSuffix = ".foreign"

// Read calls each for every record with a sequence number above after, in order. The record is
// only valid during the call. What is damaged stays as it is, and is described in the returned
// [Recovery]. The error may be one of each, or name records that are missing: every file says which
// records come before it, and the note says which file is the newest.
func (l *Log) Read(after uint64, each func(sequence uint64, record []byte) error) (Recovery, error) {
	recovery, err := l.read(after, each)
	if err != nil {
		return Recovery{}, fmt.Errorf("read the write-ahead log: %w", err)
	}
	return recovery, nil
}

func (l *Log) read(after uint64, each func(sequence uint64, record []byte) error) (recovery Recovery, err error) {
	if l.note, err = readNote(notePath(l.config.Directory), l.config.Store); err != nil {
		if err := l.accept(&recovery, err.Error(), 0); err != nil {
			return recovery, err
		}
	}
	files, err := l.unreadFiles(&recovery)
	if err != nil {
		return recovery, err
	}
	last, next := after, max(after, l.note.Newest)
	accounted, damaged := max(after, l.note.Accepted), false
	limits := limitsOf(files)
	for i, unread := range files {
		accounted = max(accounted, last)
		if unread.isLimited() && unread.After > accounted {
			if !damaged { // else they can be among what cannot be read, and that is described
				what := fmt.Sprintf("the records %d to %d before %s are missing", accounted+1, unread.After, unread.path)
				if err := l.accept(&recovery, what, unread.After); err != nil {
					return recovery, err
				}
			}
			accounted = unread.After
		}
		file, err := readFile(unread.path, &recovery, func(sequence uint64, record []byte) error {
			if sequence <= last || sequence > limits[i] {
				return nil // applied, or from an append that failed
			}
			last = sequence
			return each(sequence, record)
		})
		if err != nil {
			return recovery, err
		}
		damaged = file.damaged
		next = max(next, file.last, unread.First)
		l.noteRead(file)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.last, l.next = last, next+1
	return recovery, l.syncNewest()
}

// unreadFiles returns the files of the store in the order of their records, whatever their names
// are.
func (l *Log) unreadFiles(recovery *Recovery) ([]unreadFile, error) {
	files, foreign, err := l.identifyAll()
	if err != nil {
		return nil, err
	}
	if len(foreign) > 0 {
		if err := l.accept(recovery, "there are events of another store in "+strings.Join(foreign, ", "), 0); err != nil {
			return nil, err
		}
		for _, path := range foreign {
			if err := os.Rename(path, path+foreignSuffix); err != nil {
				return nil, err
			}
		}
	}
	isNewest := func(file unreadFile) bool { return file.First == l.note.Newest && !file.empty }
	if l.note.Newest > l.note.Accepted && !slices.ContainsFunc(files, isNewest) {
		what := fmt.Sprintf("the newest file of %s, which begins with record %d, is gone or empty", l.config.Directory, l.note.Newest)
		if err := l.accept(recovery, what, l.note.Newest); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// identifyAll returns the files of the store in the order of their records, and the paths of other stores' files.
func (l *Log) identifyAll() (files []unreadFile, foreign []string, err error) {
	paths, err := filepath.Glob(filepath.Join(l.config.Directory, "*"+fileSuffix))
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		file, err := identify(path)
		switch {
		case err != nil:
			return nil, nil, err
		case file.Store != "" && file.Store != l.config.Store:
			foreign = append(foreign, path)
		default:
			files = append(files, file)
		}
	}
	slices.SortStableFunc(files, func(a, b unreadFile) int { return cmp.Compare(a.First, b.First) })
	return files, foreign, nil
}

// accept notes that something is missing, up to a record, if the operator accepts that.
func (l *Log) accept(recovery *Recovery, what string, through uint64) error {
	if !l.config.AcceptMissing {
		return &missingError{what}
	}
	recovery.Missing = append(recovery.Missing, what)
	l.note.Accepted = max(l.note.Accepted, through)
	path := notePath(l.config.Directory)
	return errors.Join(l.note.write(path), durable.SyncDirectory(filepath.Dir(path)))
}

// limitsOf returns the highest sequence number that counts in each of these files: later files say
// which records come before them.
func limitsOf(files []unreadFile) []uint64 {
	limits := make([]uint64, len(files))
	limit := uint64(math.MaxUint64)
	for i, file := range slices.Backward(files) {
		limits[i] = limit
		limit = min(limit, file.After)
	}
	return limits
}

// noteRead notes what a file has. Forget may delete it now.
func (l *Log) noteRead(file *logFile) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.files = append(l.files, file)
}

// syncNewest makes what was read durable, as far as only a killed process has written it: the next
// file says that these records come before it.
func (l *Log) syncNewest() error {
	if len(l.files) == 0 {
		return nil
	}
	file, err := os.Open(l.files[len(l.files)-1].path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Damage is a part of a file that holds no intact record.
type Damage struct {
	Path string
	// Offset and Bytes are its place in the file.
	Offset, Bytes int64
	// Unfinished is true if the file ends with the beginning of a record. A crash during an
	// append leaves that, and the record was never acknowledged. A file that was cut off
	// looks the same.
	Unfinished bool
}

// String describes the damage for the operator.
func (d Damage) String() string {
	if d.Unfinished {
		return fmt.Sprintf("%s ends with %d bytes of an unfinished record at byte %d: a crash interrupted a write that was never acknowledged, or the file was cut off; every record before it is kept",
			d.Path, d.Bytes, d.Offset)
	}
	return fmt.Sprintf("%s is damaged: %d bytes at byte %d are not what was written; every record before and after them is kept, and the file is kept as %s once its records are stored",
		d.Path, d.Bytes, d.Offset, d.Path+damagedSuffix)
}

package usage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// EachFile receives a file of a backup: its name, its size, and its content, which is valid until
// the function returns.
type EachFile func(name string, size int64, content io.Reader) error

// Backup writes all changes, and calls each for the files of a copy, by day. Counting and writing
// go on meanwhile. What is written later is not in the copy.
func (l *Ledger) Backup(ctx context.Context, each EachFile) error {
	if err := l.write(); err != nil {
		return err
	}
	return backUp(ctx, l.config.Directory, &l.writing, each)
}

// Backup calls each for the files of a directory that no ledger uses, by day. A directory that
// does not exist has none.
func Backup(ctx context.Context, directory string, each EachFile) error {
	return backUp(ctx, directory, &sync.Mutex{}, each)
}

// IsFile reports whether the file of a day has a name.
func IsFile(name string) bool {
	day, found := strings.CutSuffix(name, fileSuffix)
	_, err := time.Parse(time.DateOnly, day)
	return found && err == nil
}

// backUp calls each for the files of a directory. A file is opened between two writes, and read up
// to its size at that time: later lines are added to its end, or to a file that replaces it.
func backUp(ctx context.Context, directory string, writing sync.Locker, each EachFile) error {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if !IsFile(entry.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := backUpFile(filepath.Join(directory, entry.Name()), writing, each); err != nil {
			return err
		}
	}
	return nil
}

func backUpFile(path string, writing sync.Locker, each EachFile) error {
	writing.Lock()
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // it has become too old
		writing.Unlock()
		return nil
	}
	var info fs.FileInfo
	if err == nil {
		info, err = file.Stat()
	}
	writing.Unlock()
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return each(filepath.Base(path), info.Size(), io.LimitReader(file, info.Size()))
}

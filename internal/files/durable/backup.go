package durable

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// EachFile receives a file of a backup: its name, its size, and its content, which is valid until
// the function returns.
type EachFile func(name string, size int64, content io.Reader) error

// Backup calls each for the files of a directory whose names isFile accepts, by name. A directory
// that does not exist has none. A file is opened between two writes, and read up to its size at that
// time: later writes add to its end, or to a file that replaces it.
func Backup(ctx context.Context, directory string, isFile func(name string) bool, writing sync.Locker, each EachFile) error {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if !isFile(entry.Name()) {
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
	if errors.Is(err, fs.ErrNotExist) { // it was removed meanwhile
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

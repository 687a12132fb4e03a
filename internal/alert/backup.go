package alert

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Backup calls each for the files of the store in a directory, with their names and sizes. The content is valid until each
// returns. Changes go on meanwhile: each file is whole, as it was before or after one. A directory that does not exist has
// no files.
func Backup(ctx context.Context, directory string, each func(name string, size int64, content io.Reader) error) error {
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if !IsFile(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(directory, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) { // the alert was removed
			continue
		}
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if err := each(entry.Name(), int64(len(text)), bytes.NewReader(text)); err != nil {
			return err
		}
	}
	return nil
}

// IsFile reports whether the record of an alert has a file of that name.
func IsFile(name string) bool {
	return strings.HasSuffix(name, fileSuffix) && filepath.IsLocal(name) && filepath.Base(name) == name
}

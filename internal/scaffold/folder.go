package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a folder that appears in its directory with all its files, or not at all, because
// a server can watch the directory.
type Folder struct {
	directory, name string
	// Staging is the directory that holds the folder until it is moved.
	Staging string
}

// CreateFolder writes the files of a folder to a staging directory, which readers of saved
// queries skip. Callers must call Remove.
func CreateFolder(directory, name string, files map[string][]byte) (_ *Folder, err error) {
	staging, err := os.MkdirTemp(directory, ".new-*")
	if err != nil {
		return nil, err
	}
	folder := &Folder{directory: directory, name: name, Staging: staging}
	defer func() {
		if err != nil {
			err = errors.Join(err, folder.Remove())
		}
	}()
	return folder, writeFolder(filepath.Join(staging, name), files)
}

// writeFolder writes a folder with files.
func writeFolder(folder string, files map[string][]byte) error {
	const mode, fileMode = 0o755, 0o644 // as for any source file
	if err := os.Mkdir(folder, mode); err != nil {
		return err
	}
	for file, data := range files {
		if err := os.WriteFile(filepath.Join(folder, file), data, fileMode); err != nil {
			return err
		}
	}
	return nil
}

// Publish moves the folder to its place. It never replaces anything.
func (f *Folder) Publish() error {
	target := filepath.Join(f.directory, f.name)
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already; it is not changed", target)
	}
	return os.Rename(filepath.Join(f.Staging, f.name), target)
}

// Remove removes the staging directory.
func (f *Folder) Remove() error { return os.RemoveAll(f.Staging) }

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
	const mode, fileMode = 0o755, 0o644 // as for any source file
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
	if err := os.Mkdir(filepath.Join(staging, name), mode); err != nil {
		return nil, err
	}
	for file, data := range files {
		if err := os.WriteFile(filepath.Join(staging, name, file), data, fileMode); err != nil {
			return nil, err
		}
	}
	return folder, nil
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

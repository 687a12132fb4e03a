package scaffold

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"savedq/sqlq"
)

// Replacement is a directory of saved queries with new folders, some of which replace others. Each new
// folder appears in the directory with all its files, or not at all.
type Replacement struct {
	directory string
	// Staging is a directory with the folders as they are, by links, and the new ones.
	Staging string
}

// OpenReplacement returns the folders of a directory. Staging is in the directory near, or among temporary
// files if that is empty. Callers must call Close.
func OpenReplacement(directory, near string) (_ *Replacement, err error) {
	absolute, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	staging, err := os.MkdirTemp(near, ".new-*")
	if err != nil {
		return nil, err
	}
	r := &Replacement{directory: directory, Staging: staging}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := os.Symlink(filepath.Join(absolute, entry.Name()), filepath.Join(staging, entry.Name())); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	return r, nil
}

// Write writes the folder of a saved query to the staging directory, in place of one that exists.
func (r *Replacement) Write(query *Query) error {
	folder := filepath.Join(r.Staging, query.Name)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return writeFolder(folder, query.Files())
}

// Rewrite copies a folder to the staging directory, with another content of one of its files. The error is
// [fs.ErrNotExist] if there is no such folder, or it has no such file.
func (r *Replacement) Rewrite(name, file string, data []byte) error {
	existing := filepath.Join(r.directory, name)
	if _, err := os.Stat(filepath.Join(existing, file)); err != nil {
		return err
	}
	folder := filepath.Join(r.Staging, name)
	if err := os.Remove(folder); err != nil { // the link to it
		return err
	}
	if err := os.CopyFS(folder, os.DirFS(existing)); err != nil {
		return err
	}
	const mode = 0o644 // as for any source file
	return os.WriteFile(filepath.Join(folder, file), data, mode)
}

// Discard removes a new folder from the staging directory. The one that exists is there again.
func (r *Replacement) Discard(name string) error {
	folder := filepath.Join(r.Staging, name)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	existing, err := filepath.Abs(filepath.Join(r.directory, name))
	if err != nil {
		return err
	}
	if _, err := os.Lstat(existing); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.Symlink(existing, folder)
}

// Publish moves a new folder to its place. A folder that was there before is removed.
func (r *Replacement) Publish(name string) error {
	staged, target, old := filepath.Join(r.Staging, name), filepath.Join(r.directory, name), filepath.Join(r.Staging, ".old-"+name)
	err := os.Rename(target, old)
	replaces := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(staged, target); err != nil {
		if replaces {
			err = errors.Join(err, os.Rename(old, target))
		}
		return err
	}
	return r.Discard(name)
}

// Add writes a folder with files to the staging directory. The error is [fs.ErrExist] if there is one, or anything
// else with its name.
func (r *Replacement) Add(name string, files map[string][]byte) error {
	return writeFolder(filepath.Join(r.Staging, name), files)
}

// Create moves a new folder to its place, unless something is there already.
func (r *Replacement) Create(name string) error {
	target := filepath.Join(r.directory, name)
	if _, err := os.Lstat(target); err == nil {
		return fs.ErrExist
	}
	return os.Rename(filepath.Join(r.Staging, name), target) // it replaces nothing but an empty directory
}

// Mistakes returns the mistakes about a new folder, with the path that it gets in a directory. If that is empty, the
// path begins with the folder.
func (r *Replacement) Mistakes(found sqlq.FileErrors, name, directory string) (own sqlq.FileErrors) {
	staging, shown := inDirectory(r.Staging), inDirectory(directory)
	for _, mistake := range found {
		if strings.Contains(mistake.Error(), filepath.Join(r.Staging, name)+string(filepath.Separator)) {
			moved := *mistake
			moved.File, moved.Message = strings.ReplaceAll(mistake.File, staging, shown), strings.ReplaceAll(mistake.Message, staging, shown)
			own = append(own, &moved)
		}
	}
	return own
}

// inDirectory returns how paths in a directory begin.
func inDirectory(path string) string {
	const file = "file"
	return strings.TrimSuffix(filepath.Join(path, file), file)
}

// Close removes the staging directory, with what was replaced.
func (r *Replacement) Close() error { return os.RemoveAll(r.Staging) }

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

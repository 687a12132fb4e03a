// Package regularfile reads files that people configure. They must be regular files of bounded
// size: opening a pipe would wait for its writer, and reading a device may never end.
package regularfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MaxBytes is the largest size of a file.
const MaxBytes = 16 << 20

// ErrKind is the error of a file that is neither regular nor a directory.
var ErrKind = errors.New("it is not a regular file but a pipe, a socket or a device; write its content to a file")

// Read returns the content of a file, or of the one that a symbolic link leads to.
func Read(path string) ([]byte, error) {
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // the file was only read
	content, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > MaxBytes: // it has grown since it was opened
		return nil, pathError(path, tooLarge())
	}
	return content, nil
}

// Open opens a regular file of any size, or the one that a symbolic link leads to, without waiting.
func Open(path string) (*os.File, fs.FileInfo, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = pathError(path, ErrKind)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// ReleasePipe lets those go on who wait for somebody to write to the pipe at a path, and reports whether a pipe is there. They read
// its end.
func ReleasePipe(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return false
	}
	pipe, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err == nil {
		_ = pipe.Close()
	}
	return true
}

// DirFS returns a directory as a file system, as [os.DirFS] does, of which only directories and
// regular files can be opened.
func DirFS(directory string) fs.FS { return dirFS(directory) }

type dirFS string

var _ fs.ReadFileFS = dirFS("")

// Open opens a directory or a regular file.
func (d dirFS) Open(name string) (fs.File, error) {
	path, err := d.path("open", name)
	if err != nil {
		return nil, err
	}
	return open(path)
}

// ReadFile returns the content of a file; see [Read].
func (d dirFS) ReadFile(name string) ([]byte, error) {
	path, err := d.path("read", name)
	if err != nil {
		return nil, err
	}
	return Read(path)
}

func (d dirFS) path(operation, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: operation, Path: name, Err: fs.ErrInvalid}
	}
	return filepath.Join(string(d), filepath.FromSlash(name)), nil
}

// open opens a directory or a regular file without waiting.
func open(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular() && !info.IsDir():
		err = pathError(path, ErrKind)
	case info.Mode().IsRegular() && info.Size() > MaxBytes:
		err = pathError(path, tooLarge())
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Stamp returns a text that differs for every change of a file.
func Stamp(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d %s", info.Size(), info.ModTime().UnixNano(), identity(info))
}

func tooLarge() error { return fmt.Errorf("it is larger than %d MiB", MaxBytes>>20) }

func pathError(path string, err error) error { return &fs.PathError{Op: "open", Path: path, Err: err} }

// Package secretfile reads files that decide who may do what, such as the file of
// tokens: regular files that nobody else can change.
package secretfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Permissions that others must not have. Who is in the file's group counts as others.
const (
	writableByOthers  fs.FileMode = 0o022
	writableByAnybody fs.FileMode = 0o002
	readableByAnybody fs.FileMode = 0o004
)

// Exposure is what others can do with a file that is in order otherwise.
type Exposure struct {
	// Readable reports whether every user of the machine can read the file.
	Readable bool
}

// Read reads at most limit bytes of a file, after the checks of [Check]. These are of
// the file that is read, even if another one takes its place meanwhile.
func Read(path string, limit int64) ([]byte, Exposure, error) {
	if _, err := Check(path); err != nil {
		return nil, Exposure{}, err // a FIFO must not be opened at all
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Exposure{}, withoutPath(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, Exposure{}, withoutPath(err)
	}
	exposure, err := checkMode(path, info.Mode())
	if err != nil {
		return nil, Exposure{}, err
	}
	data, err := io.ReadAll(io.LimitReader(file, limit))
	return data, exposure, withoutPath(err)
}

// Check returns an error that says what is wrong with a file, but not which one, and how
// to mend it: it must be a regular file, or a symbolic link to one, as Kubernetes mounts
// secrets; nobody but its owner may write it, and not everybody may replace it. Modes
// are looked at, so that the checks hold for root as well.
func Check(path string) (Exposure, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Exposure{}, withoutPath(err)
	}
	exposure, err := checkMode(path, info.Mode())
	if err != nil {
		return Exposure{}, err
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return Exposure{}, withoutPath(err)
	}
	for _, name := range []string{path, target} {
		directory := filepath.Dir(name)
		info, err := os.Stat(directory)
		if err != nil {
			return Exposure{}, withoutPath(err)
		}
		// In a directory with the sticky bit, such as /tmp, only the owner replaces a file.
		if mode := info.Mode(); mode&writableByAnybody != 0 && mode&fs.ModeSticky == 0 {
			return Exposure{}, fmt.Errorf("every user of this machine can replace it, because its directory %s has the mode %04o; run: chmod o-w %s", directory, mode.Perm(), directory)
		}
	}
	return exposure, nil
}

func checkMode(path string, mode fs.FileMode) (Exposure, error) {
	switch {
	case mode.IsDir():
		return Exposure{}, errors.New("it is a directory; name the file in it")
	case !mode.IsRegular():
		return Exposure{}, errors.New("it is not a regular file but a pipe, a socket or a device; write its content to a file")
	case mode&writableByOthers != 0:
		return Exposure{}, fmt.Errorf("others can write to it, because it has the mode %04o; run: chmod go-w %s", mode.Perm(), path)
	}
	return Exposure{Readable: mode&readableByAnybody != 0}, nil
}

// withoutPath returns the cause of a failure: callers name the file themselves.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

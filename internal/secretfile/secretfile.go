// Package secretfile reads files that control access, such as the tokens file. They must be
// regular files that only their owner can change.
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

// Permission bits for others. Members of the file's group count as others.
const (
	writableByOthers  fs.FileMode = 0o022
	writableByAnybody fs.FileMode = 0o002
	readableByAnybody fs.FileMode = 0o004
)

// Exposure describes what others can do with a file that passes the checks.
type Exposure struct {
	// Readable reports whether every user of the machine can read the file.
	Readable bool
}

// Read reads at most limit bytes of a file after the checks of [Check]. It checks the mode
// of the opened file again, in case the file was replaced meanwhile.
func Read(path string, limit int64) ([]byte, Exposure, error) {
	if _, err := Check(path); err != nil {
		return nil, Exposure{}, err // a FIFO must not be opened at all
	}
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Exposure{}, withoutPath(err)
	}
	defer file.Close() //nolint:errcheck // the file was only read
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

// Check returns an error unless a file is safe to use. It must be a regular file, or a
// symbolic link to one, as Kubernetes mounts secrets. Only its owner may write to it, and
// its directory must not let every user replace it. The error says how to fix the file, but
// does not name it. Check looks at modes, so that the checks also apply to root.
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
		// In a directory with the sticky bit, such as /tmp, only the owner can replace a file.
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

// withoutPath removes the path from an error, because callers name the file themselves.
func withoutPath(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

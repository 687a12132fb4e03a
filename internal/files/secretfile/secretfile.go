// Package secretfile reads files that control access, such as the tokens file. They must be
// regular files that only their owner can change.
package secretfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"savedq/internal/files/regularfile"
	"savedq/sqlq"
)

// Permission bits for others. Members of the file's group count as others.
const (
	writableByOthers   fs.FileMode = 0o022
	writableByAnybody  fs.FileMode = 0o002
	readableByAnybody  fs.FileMode = 0o004
	enterableByAnybody fs.FileMode = 0o001
)

// Read returns the content of a file after the checks of [Check].
func Read(path string) (content []byte, readable bool, err error) {
	if readable, err = Check(path); err != nil {
		return nil, false, err // a FIFO must not be opened at all
	}
	content, err = regularfile.Read(path)
	return content, readable, sqlq.WithoutPath(err)
}

// Check returns an error unless a file is safe to use, and otherwise reports whether every user
// of the machine can read it. It must be a regular file, or a symbolic link to one, as Kubernetes
// mounts secrets. Only its owner may write to it, and its directory must not let every user
// replace it. The error says how to fix the file, but does not name it. Check looks at modes, so
// that the checks also apply to root.
func Check(path string) (readable bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, sqlq.WithoutPath(err)
	}
	mode := info.Mode()
	switch {
	case mode.IsDir():
		return false, errors.New("it is a directory; name the file in it")
	case !mode.IsRegular():
		return false, regularfile.ErrKind
	case mode&writableByOthers != 0:
		return false, fmt.Errorf("others can write to it, because it has the mode %04o; run: chmod go-w %s", mode.Perm(), path)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false, sqlq.WithoutPath(err)
	}
	for _, name := range []string{path, target} {
		directory := filepath.Dir(name)
		info, err := os.Stat(directory)
		if err != nil {
			return false, sqlq.WithoutPath(err)
		}
		// In a directory with the sticky bit, such as /tmp, only the owner can replace a file.
		within := info.Mode()
		if within&writableByAnybody != 0 && within&fs.ModeSticky == 0 {
			return false, fmt.Errorf("every user of this machine can replace it, because its directory %s has the mode %04o; run: chmod o-w %s", directory, within.Perm(), directory)
		}
		// The directory of the target decides, because users can go there without the link.
		readable = mode&readableByAnybody != 0 && within&enterableByAnybody != 0
	}
	return readable, nil
}

//go:build unix

package durable

import (
	"io/fs"
	"os"
	"syscall"
)

// chown gives a file the owner and the group of another one, unless it has them.
func chown(file *os.File, like fs.FileInfo) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	has, known := info.Sys().(*syscall.Stat_t)
	needs, also := like.Sys().(*syscall.Stat_t)
	if !known || !also || has.Uid == needs.Uid && has.Gid == needs.Gid {
		return nil
	}
	return file.Chown(int(needs.Uid), int(needs.Gid))
}

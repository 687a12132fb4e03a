//go:build linux || darwin

package idfile

import (
	"os"
	"syscall"
)

// mapFile returns the content of a file, of which the operating system reads and keeps what is
// used. unmap must be called once.
func mapFile(file *os.File, size int) (content []byte, unmap func() error, err error) {
	content, err = syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	return content, func() error { return syscall.Munmap(content) }, nil
}

//go:build linux || darwin

package logstore

import "syscall"

// freeBytes returns how much is free on the disk of a directory, if that is known.
func freeBytes(directory string) (free int64, known bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(directory, &disk); err != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true //nolint:gosec,unconvert // Disks are smaller, and the types differ between systems.
}

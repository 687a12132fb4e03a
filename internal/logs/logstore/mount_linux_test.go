package logstore_test

import (
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// mountDisk returns a directory on a disk of the given size.
func mountDisk(t *testing.T, bytes int) string {
	t.Helper()
	directory := t.TempDir()
	if err := syscall.Mount("tmpfs", directory, "tmpfs", 0, "size="+strconv.Itoa(bytes)); err != nil {
		t.Skipf("only root may mount a small disk: %s", err)
	}
	t.Cleanup(func() { assert.NoError(t, syscall.Unmount(directory, syscall.MNT_DETACH)) })
	return directory
}
